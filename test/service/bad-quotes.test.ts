import t from 'tap'
import type { Json } from './fixture.ts'
import { HELD, linesOf, MONDAY, Stage, TUESDAY, tickMs, together } from './fixtures/ticks.ts'

const [HALTED, FALLER, EARLY] = ['600036.SH', '600000.SH', '600009.SH']
const [FLICKER, DIPPER, WILD] = ['600010.SH', '600011.SH', '600015.SH']
const AUCTION = '09:15:00'
/** Ticks from then until the open itself. */
const BEFORE_OPEN = 301
const zeros = (count: number) => Array<number>(count).fill(0)
/** One bad tick in eight. */
const flickering = Array.from({ length: 80 }, (_, index) => (index % 8 === 7 ? 0 : 9.9))

/** All were traded on Monday. */
const monday = [HALTED, FALLER, EARLY, FLICKER, DIPPER, WILD].map((code) => ({
  day: MONDAY,
  code,
  prices: [10],
}))
const tuesday = [
  { day: TUESDAY, code: HALTED, from: AUCTION, open: 0, prices: zeros(BEFORE_OPEN + 300) },
  { day: TUESDAY, code: FALLER, prices: [9.9, 9.2] },
  { day: TUESDAY, code: FLICKER, prices: [...flickering, 9.2] },
]

const byTime = (a: string, b: string): number => timeOf(a) - timeOf(b)
const timeOf = (line: string): number => Number((JSON.parse(line) as Json)['time'])

t.test('halts and bad ticks of one stock keep no stock from its stop', async (t) => {
  const early = [
    ...linesOf({
      day: TUESDAY,
      code: EARLY,
      from: AUCTION,
      open: 0,
      prices: zeros(BEFORE_OPEN - 3),
    }),
    ...linesOf({ day: TUESDAY, code: EARLY, from: '09:30:03', open: 9.2, prices: [9.2, 9.2, 9.2] }),
  ]
  const lines = [...together(...monday, ...tuesday), ...early].toSorted(byTime)
  const positions = [HALTED, FALLER, EARLY, FLICKER].map((stock_code) => ({ ...HELD, stock_code }))
  const stage = await Stage.open(t, { lines, positions })
  await stage.to(tickMs(TUESDAY, 0))
  t.strictSame(await stage.fills(EARLY), ['stop_loss 1000@9.2'], 'within two looks of its price')
  await stage.to(tickMs(TUESDAY, 1))
  t.strictSame(await stage.fills(FALLER), ['stop_loss 1000@9.2'], 'beside one that is halted')
  await stage.to(tickMs(TUESDAY, flickering.length))
  t.strictSame(await stage.fills(FLICKER), ['stop_loss 1000@9.2'], 'at once')
  await stage.to()
  t.strictSame((await stage.verdicts(HALTED)).slice(-1), ['no_price'])
  t.match(await stage.holding(HALTED), { volume: 1_000 })
})

t.test('quotes that cannot be right stop purchases for a while, and no sale', async (t) => {
  const lines = together(
    { day: MONDAY, code: WILD, prices: [13, 13, 13, 10, 10] },
    { day: MONDAY, code: DIPPER, prices: [10, 10, 10, 9.29, 9.2] },
  )
  const positions = [DIPPER, WILD].map((stock_code) => ({ ...HELD, stock_code }))
  const stage = await Stage.open(t, { lines, positions })
  await stage.to(tickMs(MONDAY, 3))
  t.strictSame(await stage.orders(DIPPER), [], 'no supplementary purchase')
  t.strictSame((await stage.verdicts(DIPPER)).slice(-1), ['breaker_open'])
  const { decisions } = await stage.data(`/api/decisions?stock_code=${DIPPER}`)
  const [newest] = decisions as unknown as Json[]
  t.match(newest, { message: /行情熔断中，不补仓/, gates: { circuit_breaker_open: true } })
  await stage.to()
  t.strictSame(await stage.fills(DIPPER), ['stop_loss 1000@9.2'])
})
