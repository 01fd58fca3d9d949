import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Addend, accountSum, figuresOf, holdingSums, sumsAt } from '../../web/shared/sums.ts'
import type { PositionRow } from '../../web/shared/wire.ts'

const row = (fields: Partial<PositionRow> = {}): PositionRow =>
  ({
    stock_code: '600036',
    volume: 100,
    cost_price: 10,
    current_price: 11,
    market_value: 1_100,
    profit_amount: 100,
    profit_ratio: 10,
    change_percentage: 1,
    is_priced: true,
    is_cost_known: true,
    ...fields,
  }) as PositionRow
/** As the service answers it: the cost stands in, and the profit is nothing. */
const unquoted = row({
  current_price: 10,
  market_value: 1_000,
  profit_amount: 0,
  profit_ratio: 0,
  change_percentage: 0,
  is_priced: false,
})

t.test('a stock that nobody quotes has no price, no value and no profit', async (t) => {
  const { cost, ...rest } = figuresOf(unquoted)
  for (const value of Object.values(rest)) t.equal(value, undefined)
  t.equal(cost, 10, 'what it has cost is known')
  t.match(figuresOf(row()), { price: 11, change: 1, value: 1_100, profit: 100, percent: 10 })
  const { is_priced: _, ...older } = row()
  t.match(figuresOf(older as PositionRow), { price: 11 }, 'an older service does not say')
  t.equal(figuresOf(row({ cost_price: 0, profit_ratio: 0 })).percent, undefined, 'without a cost')
})

t.test(
  'F430 a stock whose cost nobody has told has a price and a value, and no profit',
  async (t) => {
    const uncosted = row({
      cost_price: 0.01,
      is_cost_known: false,
      profit_amount: 0,
      profit_ratio: 0,
    })
    const none = { profit: undefined, percent: undefined, cost: undefined }
    t.match(figuresOf(uncosted), { price: 11, value: 1_100, ...none })
    const { is_cost_known: _, ...older } = row()
    t.match(figuresOf(older as PositionRow), { cost: 10, profit: 100 }, 'an older service')
    const sums = holdingSums([row(), uncosted])
    t.match(sums, { value: 2_200, uncosted: 1, unpriced: 0, all: 2 })
    t.match(sums, { profit: 100, percent: 10, win: 1, lose: 0 }, 'of those whose cost is known')
    const unknown = holdingSums([uncosted])
    for (const name of ['profit', 'percent', 'win', 'lose'] as const) {
      t.equal(unknown[name], undefined, name)
    }
    const halted = { ...uncosted, is_priced: false }
    t.match(holdingSums([row(), halted]), { value: undefined, profit: 100, unpriced: 1 })
    t.equal(holdingSums([unquoted, uncosted]).profit, undefined, 'its price is missing')
  },
)

t.test('one unknown figure makes the sum unknown, and it is said of how many', async (t) => {
  const known = row({ current_price: 9, market_value: 900, profit_amount: -100 })
  t.match(holdingSums([row(), known, row()]), {
    value: 3_100,
    profit: 100,
    win: 2,
    lose: 1,
    unpriced: 0,
  })
  const sums = holdingSums([row(), unquoted])
  for (const name of ['value', 'profit', 'percent', 'win', 'lose'] as const) {
    t.equal(sums[name], undefined, name)
  }
  t.match(sums, { all: 2, unpriced: 1 })
  t.match(holdingSums([]), { value: 0, profit: 0, win: 0, all: 0 }, 'nothing held is worth nothing')
  t.equal(holdingSums([]).percent, undefined)
  t.equal(holdingSums(undefined).profit, undefined, 'nobody knows what is held')
})

const real = (value: number | undefined, isOld = false): Addend => ({
  value,
  isSimulation: false,
  isOld,
})
const simulated = (value: number | undefined): Addend => ({
  value,
  isSimulation: true,
  isOld: false,
})

t.test('accounts are added up only when all of them are known', async (t) => {
  t.match(accountSum([real(100), real(200)]), { value: 300, all: 2, known: 2, old: 0 })
  const part = accountSum([real(100), real(undefined)])
  t.equal(part.value, undefined)
  t.match(part, { all: 2, known: 1 })
  t.match(accountSum([real(100), real(200, true)]), { value: 300, old: 1 })
  t.equal(accountSum([]).value, undefined, 'no accounts is no answer')
})

t.test('a simulated million is no money of a real account', async (t) => {
  t.match(accountSum([real(100), simulated(1_000_000)]), { value: 100, all: 1, simulated: 1 })
  const all = accountSum([simulated(1), simulated(2)])
  t.match(all, { value: 3, isSimulation: true, simulated: 0 })
  const odd = accountSum([real(100), { value: 5, isSimulation: null, isOld: false }])
  t.equal(odd.value, undefined, 'nobody knows whether it is real')
  t.match(odd, { all: 2, known: 1 })
  t.equal(accountSum([real(undefined), simulated(5)]).value, undefined)
})

t.test(
  'no page takes the cost of a holding for its price: figuresOf alone reads the price',
  async (t) => {
    const web = join(import.meta.dirname, '../../web')
    const rooms = ['console', 'monitor', 'shared'].flatMap((room) =>
      readdirSync(join(web, room), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(room, file),
      ),
    )
    const sources = rooms.filter((file) => /\.(ts|vue)$/.test(file))
    t.ok(sources.length > 100)
    const readers = sources.filter((file) =>
      // The one of a ledger is no holding's.
      /(?<!ledger\.data\?)\.current_price\b/.test(readFileSync(join(web, file), 'utf8')),
    )
    t.strictSame(readers, [join('shared', 'sums.ts')])
  },
)

t.test('F934 a profit is at the prices of the value that stands beside it', async (t) => {
  const two = holdingSums([row(), row({ stock_code: '601318' })])
  t.match(two, { value: 2_200, profit: 200, percent: 10 })
  t.match(sumsAt(two, 2_100), { value: 2_100, profit: 100, percent: 5 })
  t.equal(sumsAt(two, undefined), two)
  const none = holdingSums([])
  t.equal(sumsAt(none, 0), none)
  for (const one of [unquoted, row({ is_cost_known: false })]) {
    const partly = holdingSums([row(), one])
    t.equal(sumsAt(partly, 2_100), partly, 'what each has gained is not told')
  }
})
