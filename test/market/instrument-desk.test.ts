import fc from 'fast-check'
import t from 'tap'
import { InstrumentDesk } from '../../actors/market/instrument-desk.ts'
import { DAY_MS, exchangeDay, exchangeDayNumber } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Price } from '../../src/domain/money.ts'
import { limitsOfDay, priceLimits } from '../../src/domain/rules.ts'
import { CodeTable } from '../../src/market/codes.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader, QuoteWriter } from '../../src/market/quote-board.ts'
import type { Instrument } from '../../src/ports/market-source.port.ts'
import { tickOf } from './fixtures/ticks.ts'

const CODE = '600036.SH' as StockCode
const OTHER = '000001.SZ' as StockCode
const MORNING_MS = Date.parse('2026-08-11T09:30:00+08:00')
const LIMITS = { instrumentsRowsMax: 2, instrumentsRetryMs: 1_000, instrumentsTriesMax: 3 }
const yuan = (value: number) => Math.round(value * 10_000) as Price
const NEVER = { day: -1, close: 0 }

/** A name, and limits that no table gives for this close: 5 % of a stock whose name says nothing. */
const told = (fields: Partial<Instrument> = {}): Instrument => ({
  code: CODE,
  name: '招商银行',
  lastClose: yuan(36),
  lowerLimit: yuan(34.2),
  upperLimit: yuan(37.8),
  tickSize: yuan(0.01),
  lotMin: 100,
  ...fields,
})

/** A desk with its board, its clock, and a terminal that says what it is given. */
function bench(answer: (codes: readonly string[]) => readonly Instrument[] | Error) {
  const memory = createMarketMemory({ codesMax: 8, actorSlots: 1 })
  const [codes, reader, writer] = [
    new CodeTable(8),
    new QuoteReader(memory),
    new QuoteWriter(memory),
  ]
  const at = { dayMs: MORNING_MS, monotonicMs: 0 }
  const asked: string[][] = []
  const names: Record<string, string> = {}
  const warnings: string[] = []
  const ask = async (wanted: readonly string[]) => {
    asked.push([...wanted])
    const found = answer(wanted)
    if (found instanceof Error) throw found
    return found
  }
  const note = (_fields: object, text: string) => void warnings.push(text)
  const desk = new InstrumentDesk({
    ask,
    codes,
    reader,
    writer,
    dayMs: () => at.dayMs,
    monotonicMs: () => at.monotonicMs,
    limits: LIMITS,
    named: (found) => Object.assign(names, found),
    log: { info: note, warn: note, error: note },
  })
  const slot = (code: string) => codes.assign(code) as number
  const tick = (timeMs: number, lastClose = 36, code: string = CODE) =>
    writer.write(slot(code), { ...tickOf(code, timeMs, lastClose), lastClose })
  const want = (code: string = CODE) => {
    slot(code)
    desk.want(code)
  }
  /** What the account would go by for an order of this day. */
  const limits = (day = exchangeDay(at.dayMs)) => {
    const quote = reader.read(slot(CODE))
    return limitsOfDay(CODE, day, { lastClose: yuan(0), ...quote, name: '' })
  }
  const later = (ms: number) => {
    at.monotonicMs += ms
    return desk.look()
  }
  return { desk, at, asked, names, warnings, tick, want, limits, later, reader, slot }
}
const TOLD = { low: yuan(34.2), high: yuan(37.8) }
const OF_TABLE = { low: yuan(32.4), high: yuan(39.6) }

t.test(
  'F93 limits of the terminal beat those of the table beside a quote of the same day',
  async (t) => {
    const b = bench(() => [told()])
    b.want()
    b.tick(MORNING_MS)
    t.same(b.limits(), OF_TABLE, 'nothing is known yet')
    await b.desk.look()
    t.same(b.limits(), TOLD)
    t.same(b.names, { [CODE]: '招商银行' })
    await b.later(3_600_000)
    t.equal(b.asked.length, 1, 'once a day')
  },
)

t.test('F93 an instrument of yesterday is asked again and never used', async (t) => {
  let answer = told({ lastClose: yuan(35), lowerLimit: yuan(33.25), upperLimit: yuan(36.75) })
  const b = bench(() => [answer])
  b.want()
  b.tick(MORNING_MS - DAY_MS, 35)
  await b.desk.look()
  t.same(b.limits(), { low: yuan(31.5), high: yuan(38.5) }, 'a quote of yesterday proves nothing')
  t.equal(b.warnings.length, 0)
  b.tick(MORNING_MS, 36)
  await b.desk.look()
  t.same(b.limits(), OF_TABLE)
  t.match(b.warnings, [/昨收与行情不符.*contradict/])
  await b.later(999)
  t.equal(b.asked.length, 1)
  answer = told()
  await b.later(1)
  t.equal(b.asked.length, 2)
  t.same(b.limits(), TOLD, 'that of today, once the terminal has it')
})

t.test('a quote without a close of the day before refutes nothing', async (t) => {
  const b = bench(() => [told()])
  b.want()
  b.tick(MORNING_MS, 0)
  await b.desk.look()
  t.same(b.warnings, [])
  b.tick(MORNING_MS + 1, 36)
  await b.desk.look()
  t.same(b.limits(), TOLD)
  await b.later(3_600_000)
  t.equal(b.asked.length, 1)
})

t.test('a new day asks anew, and what was told before is of the day before', async (t) => {
  const b = bench(() => [told()])
  b.want()
  b.tick(MORNING_MS)
  await b.desk.look()
  t.same(b.limits(), TOLD)
  b.at.dayMs += DAY_MS
  t.same(b.limits(), OF_TABLE, 'yesterday’s quote, today’s order')
  b.tick(b.at.dayMs)
  t.same(b.limits(), OF_TABLE, 'unchanged close, and still of yesterday')
  await b.later(0)
  t.same(b.limits(), TOLD)
  t.equal(b.asked.length, 2)
})

t.test(
  'questions are bounded: codes at once, tries a day, and the pace after a failure',
  async (t) => {
    let answer: readonly Instrument[] | Error = []
    const b = bench(() => answer)
    for (const code of [CODE, OTHER, '300750.SZ']) b.want(code)
    await b.desk.look()
    await b.desk.look()
    t.same(b.asked, [[CODE, OTHER], ['300750.SZ']], 'two at once')
    for (let n = 0; n < 50; n++) await b.later(1_000)
    t.equal(b.asked.flat().filter((code) => code === CODE).length, 3, 'three times a day')
    b.at.dayMs += DAY_MS
    const before = b.asked.length
    answer = new Error('the sidecar is away')
    for (let n = 0; n < 100; n++) await b.later(100)
    t.equal(b.asked.length - before, 10, 'once a second')
    t.match(b.warnings, ['no instruments for now: asked again'], 'said once a day')
    answer = [told()]
    b.tick(b.at.dayMs)
    await b.later(1_000)
    t.same(b.limits(), TOLD, 'what failed has cost no try')
  },
)

t.test(
  'F1020 codes at which every question fails do not keep the others from being asked about',
  async (t) => {
    const known = (codes: readonly string[]) => (codes.includes(CODE) ? [told()] : undefined)
    const b = bench((codes) => known(codes) ?? new Error('no details'))
    for (const code of [OTHER, '300750.SZ', CODE]) b.want(code)
    b.tick(MORNING_MS)
    await b.later(0)
    await b.later(1_000)
    t.same(b.limits(), TOLD)
    t.same(b.asked, [
      [OTHER, '300750.SZ'],
      [CODE, OTHER],
    ])
  },
)

t.test(
  'F1021 what a terminal does not know yet in the morning is asked about until late in the day',
  async (t) => {
    let answer: readonly Instrument[] = []
    const b = bench(() => answer)
    b.want()
    b.tick(MORNING_MS)
    await b.later(0)
    await b.later(1_000)
    await b.later(1_999)
    t.equal(b.asked.length, 2, 'the pause is twice as long each time')
    answer = [told()]
    await b.later(1)
    t.same(b.limits(), TOLD)
  },
)

t.test('limits that cannot be are none, and their name counts all the same', async (t) => {
  const none = { lowerLimit: yuan(0), upperLimit: yuan(0) }
  for (const fields of [
    none,
    { lastClose: yuan(0) },
    { upperLimit: yuan(35) },
    { lowerLimit: yuan(36.01) },
  ]) {
    const b = bench(() => [told(fields)])
    b.want()
    b.tick(MORNING_MS)
    await b.desk.look()
    t.same(b.limits(), OF_TABLE, JSON.stringify(fields))
    t.same(b.names, { [CODE]: '招商银行' })
  }
})

t.test('nothing stands on the board before a quote does', async (t) => {
  const b = bench(() => [told()])
  b.want()
  await b.desk.look()
  t.equal(b.reader.read(b.slot(CODE)), undefined)
  b.tick(MORNING_MS)
  await b.desk.look()
  t.same(b.limits(), TOLD)
})

t.test(
  'F93 a limit that was told is used on its day alone, beside the close it follows from',
  async (t) => {
    const days = fc.integer({ min: 0, max: 3 })
    const closes = fc.constantFrom(35, 36, 37)
    const move = fc.oneof(
      fc.record({ kind: fc.constant('tick' as const), day: days, close: closes }),
      fc.record({ kind: fc.constant('told' as const), day: days, close: closes }),
      fc.record({ kind: fc.constant('order' as const), day: days }),
    )
    const holds = fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
      const memory = createMarketMemory({ codesMax: 1, actorSlots: 1 })
      const [writer, reader] = [new QuoteWriter(memory), new QuoteReader(memory)]
      let last = NEVER
      let limit = NEVER
      const tick = (day: number, close: number) => {
        last = { day, close }
        const timeMs = MORNING_MS + day * DAY_MS
        writer.write(0, { ...tickOf(CODE, timeMs, close), lastClose: close })
      }
      const tell = (day: number, close: number) => {
        limit = { day, close }
        const dayNumber = exchangeDayNumber(MORNING_MS) + day
        writer.writeLimits(0, { dayNumber, lastClose: yuan(close), low: yuan(1), high: yuan(99) })
      }
      const isRight = (onDay: number): boolean => {
        const day = exchangeDay(MORNING_MS + onDay * DAY_MS)
        const quote = reader.read(0) ?? { lastClose: yuan(0) }
        const found = limitsOfDay(CODE, day, { ...quote, name: '' })
        const mayBe = limit.day === onDay && last.day === onDay && limit.close === last.close
        const table = priceLimits(CODE, day, { lastClose: quote.lastClose })
        return found?.high === (mayBe ? yuan(99) : table?.high)
      }
      return moves.every((move) => {
        if (move.kind === 'order') return isRight(move.day)
        if (move.kind === 'tick') tick(move.day, move.close)
        else if (last !== NEVER) tell(move.day, move.close)
        return true
      })
    })
    fc.assert(holds, { numRuns: 500 })
    t.pass('held')
  },
)
