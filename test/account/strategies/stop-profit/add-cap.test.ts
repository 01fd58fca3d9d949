import fc from 'fast-check'
import t from 'tap'
import { yuan } from '../../fixture.ts'
import { Buyer, CAP } from './buyer.ts'

t.test('a share that costs more than the room is not bought', async (t) => {
  const buyer = new Buyer(100, 650).tick(604)
  t.strictSame(buyer.sent, [], '200 shares at 604 are 120 800 yuan')
  t.equal(buyer.verdict, 'add_room_below_lot')
})

t.test('what is sent again at a higher price is what there is still room for', async (t) => {
  const buyer = new Buyer(4_000, 10).tick(9.3)
  t.match(buyer.sent, [{ order: { quantity: 3_500 } }])
  buyer.wait(3_000).tick(9.31, 9.5)
  while (buyer.sent.length < 2 && buyer.open.length > 0) buyer.ring()
  t.match(buyer.sent.at(-1), { order: { quantity: 3_300, price: yuan(9.5) } }, '69 350 yuan')
})

t.test('what the stop would give up is not bought once more', async (t) => {
  const buyer = new Buyer(1_000, 10).tick(9.3)
  buyer.wait(290_000).tick(9.2, 9.22)
  buyer.ring().list().ring()
  t.equal(buyer.sent.length, 1)
})

t.test('nor is a rest that would lower no cost, or that is switched off', async (t) => {
  const dear = new Buyer(1_000, 10).tick(9.3)
  dear.wait(290_000).tick(9.99, 10)
  dear.ring().list().ring()
  t.equal(dear.sent.length, 1)
  const cheap = new Buyer(1_000, 10).tick(9.3)
  cheap.wait(290_000).tick(9.98, 9.99)
  t.equal(cheap.ring().sent.length, 2)
  const off = new Buyer(1_000, 10).tick(9.3).save({ stopLossBuyEnabled: false })
  off.wait(290_000).tick(9.4)
  off.ring().list().ring()
  t.equal(off.sent.length, 1)
})

t.test('a lower cap ends the rest of an older purchase', async (t) => {
  const buyer = new Buyer(4_000, 10).tick(9.3).save({ singleStockMaxPosition: 37_500 })
  buyer.wait(3_000).tick(9.31, 9.5)
  buyer.ring()
  t.equal(buyer.open.length, 0)
  t.equal(buyer.sent.length, 1)
})

t.test('shares that were bought count before any list of holdings shows them', async (t) => {
  const buyer = new Buyer(4_000, 10).tick(9.3)
  buyer.fill(buyer.open[0], 3_500).wait(120_000).tick(9.29)
  t.equal(buyer.sent.length, 1, 'the list still says 4 000')
  buyer.list().wait(120_000).tick(9.28)
  t.equal(buyer.sent.length, 1)
})

type Move =
  | { readonly kind: 'tick'; readonly drop: number; readonly spread: number }
  | { readonly kind: 'fill'; readonly part: number; readonly isTold: boolean }
  | { readonly kind: 'list' | 'ring' | 'wait' | 'tell' }

const drop = fc.integer({ min: 0, max: 9 })
const spread = fc.integer({ min: 0, max: 30 })
const part = fc.integer({ min: 1, max: 4 })
const isTold = fc.boolean()
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('tick' as const), drop, spread }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('fill' as const), part, isTold }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('list', 'ring', 'wait', 'tell') }) },
)
const cents = (yuan: number): number => Math.round(yuan * 100) / 100

const PLAY = {
  tick(buyer: Buyer, one: Extract<Move, { kind: 'tick' }>) {
    const price = cents(buyer.cost * (0.9255 + one.drop * 0.0005))
    buyer.tick(price, cents(price * (1 + one.spread / 1_000)))
  },
  /** A part of what is open, which may be told late. */
  fill(buyer: Buyer, one: Extract<Move, { kind: 'fill' }>) {
    const [order] = buyer.open
    const rest = order === undefined ? 0 : order.quantity - order.filledQuantity
    buyer.fill(order, Math.min(rest, Math.ceil((rest * one.part) / 400) * 100), one.isTold)
  },
  list: (buyer: Buyer) => buyer.list(),
  tell: (buyer: Buyer) => buyer.tell(),
  ring: (buyer: Buyer) => buyer.ring(),
  wait: (buyer: Buyer) => buyer.wait(130_000),
}

t.test('whatever is filled, told late, canceled and sent again: the caps hold', async (t) => {
  let [purchases, again, refused] = [0, 0, 0]
  fc.assert(
    fc.property(
      fc.constantFrom(5, 10, 48.6, 140, 620),
      fc.integer({ min: 1, max: 90 }),
      fc.constantFrom(0.05, 0.06, 0.95),
      fc.array(move, { minLength: 5, maxLength: 40 }),
      (cost, lots, ratio, moves) => {
        const buyer = new Buyer(lots * 100, cost, { MAX_TOTAL_POSITION_RATIO: ratio })
        for (const one of moves) PLAY[one.kind](buyer, one as never)
        const { sent, bench } = buyer
        purchases += sent.length
        again += sent.filter(({ order }) => order.priceType === 11).length
        refused += bench.journal.filter(({ event }) => event.kind === 'orderDenied').length
        return sent.every(
          ({ value, part, isToldAll }) => value <= CAP && (!isToldAll || part <= ratio),
        )
      },
    ),
    { numRuns: 400, seed: 20_260_914 },
  )
  const counts = `${purchases} purchases, ${again} of them sent again, ${refused} refused`
  t.ok(purchases > 100 && again > 20 && refused > 20, counts)
})
