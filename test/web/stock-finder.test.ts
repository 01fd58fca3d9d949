import t from 'tap'
import { asMany, createFinder } from '../../web/console/stock-finder.ts'
import type { FoundStocks, Instrument } from '../../web/console/wire.ts'
import { Fault } from '../../web/shared/fault.ts'

const BANK = { stock_code: '600036.SH', stock_name: '招商银行' } as Instrument
const OTHER = { stock_code: '600030.SH', stock_name: '中信证券' } as Instrument
const answer = (...instruments: Instrument[]): FoundStocks => ({
  instruments,
  source: 'shipped',
  day: null,
})

/** A finder whose questions are answered by the test. */
function bench() {
  const open: { text: string; settle: PromiseWithResolvers<FoundStocks> }[] = []
  let asked = Promise.withResolvers<void>()
  const finder = createFinder((text) => {
    const settle = Promise.withResolvers<FoundStocks>()
    open.push({ text, settle })
    asked.resolve()
    return settle.promise
  }, 1)
  /** Until the next question is asked. */
  const question = async () => {
    await asked.promise
    asked = Promise.withResolvers<void>()
    return open.at(-1)?.settle as PromiseWithResolvers<FoundStocks>
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { ...finder, open, question, settled }
}

/** A text was looked for that was typed only now: by then a try that was set before has been due for long. */
async function muchLater(): Promise<void> {
  const other = bench()
  other.type('zs')
  await other.question()
}

t.test('an answer for an earlier text is dropped, however late it comes', async (t) => {
  const b = bench()
  b.type('60003')
  const late = await b.question()
  b.type('600036')
  late.resolve(answer(OTHER, BANK))
  await b.settled()
  t.match(b.offer, { isOpen: false, active: -1, choices: [] }, 'nothing stands beside a whole code')

  b.type('zs')
  const first = await b.question()
  b.type('zsyh')
  const second = await b.question()
  second.resolve(answer(BANK))
  await b.settled()
  first.resolve(answer(OTHER))
  await b.settled()
  t.strictSame(
    b.offer.choices.map(({ stock_code }) => stock_code),
    ['600036.SH'],
  )
  b.type('zsyhx')
  t.match(b.offer, { isOpen: false, choices: [] }, 'a change takes away what was offered before')
  b.forget()
})

t.test('a whole code is asked about by nobody', async (t) => {
  const b = bench()
  for (const text of ['600036', '600036.SH', 'sz.000001', ' 600036 ', '', '  ']) b.type(text)
  b.type('zs')
  await b.question()
  t.strictSame(
    b.open.map(({ text }) => text),
    ['zs'],
  )
})

t.test(
  'Enter takes the best line of a name, and of a part of a code none that was not chosen',
  async (t) => {
    const b = bench()
    b.type('zsyh')
    ;(await b.question()).resolve(answer(BANK, OTHER))
    await b.settled()
    t.match(b.offer, { isOpen: true, active: 0 })
    b.move(1)
    b.move(1)
    t.equal(b.offer.active, 0, 'round')
    b.move(-1)
    t.equal(b.offer.active, 1)
    b.type('6000')
    ;(await b.question()).resolve(answer(OTHER, BANK))
    await b.settled()
    t.match(b.offer, { isOpen: true, active: -1 })
    b.move(-1)
    t.equal(b.offer.active, 1, 'up from nowhere is the last')
    b.close()
    t.match(b.offer, { isOpen: false, active: -1 })
    b.move(1)
    t.match(b.offer, { isOpen: true, active: 0 }, 'an arrow brings it back')
    b.forget()
  },
)

t.test('what is not found and what fails is said, and the next text forgets it', async (t) => {
  const b = bench()
  b.type('xyz')
  ;(await b.question()).resolve(answer())
  await b.settled()
  t.match(b.offer, { isNothing: true, isOpen: false })
  b.type('xy')
  t.match(b.offer, { isNothing: false })
  ;(await b.question()).reject(new Error('away'))
  await b.settled()
  t.match(b.offer, { isFailed: true, isOpen: false })
  b.type('600036')
  t.match(b.offer, { isFailed: false })
})

t.test('a search that fails is tried again while somebody waits for it', async (t) => {
  const b = bench()
  b.type('zs')
  const failed = await b.question()
  failed.reject(new Error('late'))
  await b.settled()
  t.match(b.offer, { isFailed: true, isOpen: false })
  const again = await b.question()
  again.resolve(answer(BANK))
  await b.settled()
  t.match(b.offer, { isFailed: false, isOpen: true, choices: [BANK] })

  b.type('zsy')
  const last = await b.question()
  last.reject(new Error('late'))
  await b.settled()
  b.close()
  const { length } = b.open
  await muchLater()
  t.equal(b.open.length, length, 'whoever has gone elsewhere waits for nothing')
  b.wake('zsy')
  const back = await b.question()
  t.equal(b.open.at(-1)?.text, 'zsy', 'and waits again once he is back')
  back.resolve(answer(BANK))
  await b.settled()
  t.match(b.offer, { isFailed: false, isOpen: true })
})

t.test(
  'what is on its way when the field is left opens nothing, and is not tried again',
  async (t) => {
    const b = bench()
    b.type('zs')
    const late = await b.question()
    b.close()
    late.resolve(answer(BANK))
    await b.settled()
    t.match(b.offer, { isOpen: false, active: -1, choices: [BANK] }, 'an arrow has it back')

    b.type('zsy')
    const failed = await b.question()
    failed.reject(new Error('late'))
    const again = await b.question()
    b.close()
    again.reject(new Error('late'))
    await b.settled()
    const { length } = b.open
    await muchLater()
    t.equal(b.open.length, length)
  },
)

t.test('F936 a service that gives shorter answers is asked for what it gives', async (t) => {
  const asked: string[] = []
  const find = asMany(50, async (text, limit) => {
    asked.push(`${limit}q=${text}`)
    if (limit !== '') throw new Fault('refused', 'no more than 20', { code: 'VALIDATION' })
    return answer(BANK)
  })
  t.strictSame(await find('zs'), answer(BANK))
  t.strictSame(await find('zsy'), answer(BANK))
  t.strictSame(asked, ['limit=50&q=zs', 'q=zs', 'q=zsy'])

  let count = 0
  const down = asMany(50, async () => {
    count += 1
    throw new Fault('busy', 'in a moment')
  })
  await t.rejects(down('zs'), /in a moment/)
  t.equal(count, 1)
})

t.test(
  'F936 a text that is longer than the service reads is nothing, and is not asked',
  async (t) => {
    const { type, offer, open } = bench()
    type('z'.repeat(33))
    t.ok(offer.isNothing)
    await muchLater()
    t.strictSame(open, [])
  },
)
