import fc from 'fast-check'
import t from 'tap'
import { equityNow } from '../../../src/account/orders/equity-points.ts'
import { worthOf } from '../../../src/domain/equity.ts'
import type { CorporateAction } from '../../../src/drivers/paper/corporate-action.ts'
import { BANK, yuan } from '../fixture.ts'
import { PaperLife } from '../paper-life.ts'

const PRICE = yuan(36)

/** What earlier days have taken off prices beside bonus shares, and what was there at the beginning. */
class Checked {
  readonly life: PaperLife
  readonly #equity: number
  readonly #unrealized: number
  /** By which ex-days have changed what holdings are worth; the embedded client pays no dividend. */
  exDays = 0
  settled = 0

  constructor(cash: number, shares: number, cost: number) {
    this.life = new PaperLife(cash, shares, cost).begin(36)
    this.#equity = this.life.books.ledger.cash + this.life.marketValue()
    this.#unrealized = this.life.unrealized()
  }

  /** The first way in which the account does not agree with the counter; undefined: it does. */
  fault(): string | undefined {
    const { life } = this
    if (!life.settle()) return 'it never settles'
    this.settled += 1
    const point = equityNow(life.state, life.turn().inputs)
    if (point === undefined) return 'its equity is not known'
    const { cash } = life.books.ledger
    const gained = life.realized() + life.unrealized() - this.#unrealized
    const pairs = {
      cash: [point.cash, cash],
      frozen: [point.frozen, life.draft().frozen()],
      marketValue: [point.marketValue, life.marketValue()],
      equity: [worthOf(point), cash + life.marketValue()],
      gained: [gained, cash + life.marketValue() - this.#equity + this.exDays],
    }
    for (const [name, [ours, theirs]] of Object.entries(pairs)) {
      if (ours !== theirs) return `${name}: ${ours} here, ${theirs} at the counter`
    }
    return undefined
  }

  /** A night in which shares came, one for so many, and cash that this counter does not pay. */
  exDay(close: number, part: number, cash: number): void {
    const { life } = this
    const shares = 1 + part
    const to = Math.round((close - cash) / shares / 100) * 100
    const action: CorporateAction = {
      code: BANK,
      shares,
      cost: 1,
      sharesFromMs: part > 0 ? life.nowMs + 86_400_000 : null,
      costFromMs: null,
    }
    const before = life.marketValue()
    life.nextDay(part > 0 ? [action] : [])
    const exDay = { lastClose: to, closeBefore: close, lastCloseBefore: close + 100 } as never
    life.tick(to, exDay)
    life.settle()
    life.nowMs += 120_000 // no deal explains the new ones
    life.tick(to, exDay)
    this.exDays += before - life.marketValue()
  }
}

t.test('buys, partial fills, cancels, sales over days: all books agree to the cent', (t) => {
  const checked = new Checked(1_000_000, 1_000, 35.1)
  const { life } = checked
  const steps: (() => void)[] = [
    () => life.order('buy', 1_000, yuan(35)),
    () => life.tick(yuan(35), { askVolume: [300], bidVolume: [900] }),
    () => life.order('buy', 500, yuan(34.5)),
    () => life.cancelOldest(),
    () => life.order('sell', 400, yuan(34.9)),
    () => life.tick(yuan(34.4)),
    () => life.nextDay(),
    () => life.tick(yuan(36.7)),
    () => life.order('sell', 800, yuan(36.5)),
    () => life.tick(yuan(37)),
    () => life.order('sell', 100, yuan(36.9)),
  ]
  for (const [index, act] of steps.entries()) {
    act()
    t.equal(checked.fault(), undefined, `after step ${index}`)
  }
  t.equal(life.sales().length, 3)
  t.ok(life.sales().every(({ fee }) => fee > 0))
  t.ok(life.books.holdings.get(BANK)?.quantity === 0 || life.state.costs.books.has(BANK))
  t.end()
})

t.test('a bonus and a dividend earn nothing and lose nothing', (t) => {
  const checked = new Checked(1_000_000, 1_000, 35.1)
  const { life } = checked
  life.tick(yuan(36))
  life.order('sell', 100, yuan(36))
  t.equal(checked.fault(), undefined)
  const gained = life.realized() + life.unrealized()
  checked.exDay(yuan(36), 0.2, yuan(1.2))
  t.equal(life.books.holdings.get(BANK)?.quantity, 1_080)
  t.equal(checked.fault(), undefined)
  t.equal(life.realized() + life.unrealized(), gained)
  life.order('sell', 900, yuan(28)) // the new ones are not sellable yet, we think
  t.equal(checked.fault(), undefined)
  t.strictSame(
    life.sales().map(({ quantity, costFrom }) => [quantity, costFrom]),
    [
      [100, 'client'],
      [900, 'client'],
    ],
  )
  t.end()
})

type Move =
  | { act: 'buy' | 'sell'; lots: number; off: number }
  | { act: 'tick'; up: number; volume: number }
  | { act: 'cancel' | 'night' }

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    act: fc.constantFrom('buy' as const, 'sell' as const),
    lots: fc.integer({ min: 1, max: 12 }),
    off: fc.integer({ min: -3, max: 3 }),
  }),
  fc.record({
    act: fc.constant('tick' as const),
    up: fc.integer({ min: -40, max: 40 }),
    volume: fc.integer({ min: 0, max: 900 }),
  }),
  fc.constant<Move>({ act: 'cancel' }),
  fc.constant<Move>({ act: 'night' }),
)
/** Within the limits of a day: the counter refuses what is beyond. */
function played(checked: Checked, price: number, each: Move): number {
  const { life } = checked
  switch (each.act) {
    case 'cancel':
      life.cancelOldest()
      break
    case 'buy':
    case 'sell':
      life.order(each.act, each.lots * 100, price + each.off * 100)
      break
    case 'night':
      life.nextDay()
      life.tick(price)
      break
    case 'tick': {
      const next = Math.min(Math.max(price + each.up * 100, yuan(33)), yuan(39))
      const { volume } = each
      life.tick(next, volume === 0 ? {} : { askVolume: [volume], bidVolume: [volume] })
      return next
    }
  }
  return price
}

t.test(
  'any history: cash, frozen cash, holdings and what was gained agree with the counter',
  (t) => {
    let [sales, settled] = [0, 0]
    fc.assert(
      fc.property(fc.array(move, { minLength: 5, maxLength: 25 }), (moves) => {
        const checked = new Checked(500_000, 1_500, 35.123)
        let price: number = PRICE
        for (const each of moves) {
          price = played(checked, price, each)
          const fault = checked.fault()
          if (fault !== undefined) throw new Error(fault)
        }
        sales += checked.life.sales().length
        settled += checked.settled
      }),
      { numRuns: 40 },
    )
    t.ok(sales > 0, `${sales} sales`)
    t.ok(settled > 100)
    t.end()
  },
)
