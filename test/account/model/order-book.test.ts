import fc from 'fast-check'
import t from 'tap'
import { OrderBook } from '../../../src/account/model/order-book.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../../src/domain/money.ts'
import { type OrderRecord, PRICE_TYPE } from '../../../src/domain/order.ts'
import { isOpen, ORDER_STATUSES } from '../../../src/domain/order-state.ts'

const DAYS = ['2026-03-02', '2026-03-03'] as const
const CODES = ['600000.SH' as StockCode, '000001.SZ' as StockCode] as const

const anyOrder: fc.Arbitrary<OrderRecord> = fc
  .record({
    n: fc.integer({ min: 0, max: 5 }),
    orderId: fc.constantFrom('', '7'),
    status: fc.constantFrom(...ORDER_STATUSES),
    day: fc.constantFrom(...DAYS),
    strategy: fc.constantFrom('manual', 'external'),
    signalType: fc.constantFrom(undefined, 'stop_loss' as const, 'add_position' as const),
    requestHash: fc.constantFrom('', '', 'h'),
    updatedMs: fc.integer({ min: 1, max: 9 }),
    createdMs: fc.integer({ min: 1, max: 9 }),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    code: fc.constantFrom(...CODES),
    priceType: fc.constantFrom(PRICE_TYPE.limit, PRICE_TYPE.latest),
    price: fc.constantFrom(100_000 as Price, 200_000 as Price),
  })
  .map(({ n, signalType, ...order }) => ({
    ...order,
    ...(signalType && { signalType }),
    clientOrderId: `order-${n}`,
    quantity: 100 as Quantity,
    venueStatus: 50,
    statusMessage: '',
    filledQuantity: 0 as Quantity,
    filledAmount: 0 as Money,
  }))

const anyChange = fc.oneof(
  { weight: 5, arbitrary: anyOrder.map((order) => ({ order })) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 5 }).map((n) => ({ gone: `order-${n}` })) },
)

const ids = (orders: Iterable<OrderRecord>) =>
  Array.from(orders, ({ clientOrderId }) => clientOrderId).sort()

const isStop = ({ side, signalType }: OrderRecord) => side === 'sell' && signalType === 'stop_loss'
/** Those since the last one that was filled. */
const inRow = (stops: readonly OrderRecord[]) => {
  const filled = stops.filter(({ status }) => status === 'filled')
  const lastMs = Math.max(...filled.map(({ createdMs }) => createdMs), 0)
  return stops.filter((one) => isUnmetStop(one) && one.createdMs > lastMs)
}
const isUnmetStop = (order: OrderRecord) =>
  isStop(order) && (order.status === 'canceled' || order.status === 'rejected')

/** What a look at every order says, whatever order the changes came in. */
function lookedFor(book: OrderBook) {
  const all = [...book.values()]
  const isWaiting = ({ status }: OrderRecord) => status === 'submitted' || status === 'inDoubt'
  return {
    open: ids(all.filter(({ status }) => isOpen(status))),
    openCount: all.filter(({ status }) => isOpen(status)).length,
    unanswered: ids(all.filter((order) => order.orderId === '' && isWaiting(order))),
    doubtful: ids(all.filter(({ status }) => status === 'inDoubt')),
    openOf: CODES.map((code) => all.some((one) => isOpen(one.status) && one.code === code)),
    expired: CODES.map((code) => all.some((one) => one.status === 'expired' && one.code === code)),
    ours: DAYS.map(
      (day) =>
        all.filter((one) => one.day >= day && one.strategy === 'manual' && !isStop(one)).length,
    ),
    protective: DAYS.map(
      (day) =>
        all.filter((one) => one.day >= day && one.strategy === 'manual' && isStop(one)).length,
    ),
    unmetInRow: DAYS.map((day) =>
      CODES.map((code) =>
        ids(
          inRow(all.filter((one) => isStop(one) && one.code === code)).filter(
            (one) => one.day >= day,
          ),
        ),
      ),
    ),
  }
}

const kept = (book: OrderBook) => ({
  open: ids(book.open()),
  openCount: book.openCount,
  unanswered: ids(book.unanswered()),
  doubtful: ids(book.doubtful()),
  openOf: CODES.map((code) => book.hasOpen(code)),
  expired: CODES.map((code) => book.hasExpired(code)),
  ours: DAYS.map((day) => book.oursSince(day)),
  protective: DAYS.map((day) => book.protectiveSince(day)),
  unmetInRow: DAYS.map((day) =>
    CODES.map((code) => ids(book.unmetInRow({ code, side: 'sell', signalType: 'stop_loss' }, day))),
  ),
})

t.test('what is kept beside the orders is what a look at all of them finds', async (t) => {
  const property = fc.property(
    fc.array(anyChange, { maxLength: 40 }),
    anyOrder,
    (changes, wanted) => {
      const book = new OrderBook()
      for (const change of changes) {
        if ('order' in change) book.set(change.order.clientOrderId, change.order)
        else book.delete(change.gone)
      }
      t.strictSame(kept(book), lookedFor(book))
      const isLike = (order: OrderRecord) =>
        isOpen(order.status) &&
        order.code === wanted.code &&
        order.side === wanted.side &&
        order.priceType === wanted.priceType &&
        (order.priceType !== PRICE_TYPE.limit || order.price === wanted.price)
      const like = [...book.values()].filter(isLike).map(({ clientOrderId }) => clientOrderId)
      const refused = [...book.values()].filter(
        ({ status, requestHash, strategy, signalType, code, side }) =>
          status === 'rejected' &&
          signalType === undefined &&
          requestHash === '' &&
          strategy === 'manual' &&
          code === wanted.code &&
          side === wanted.side,
      )
      const refusedMs = refused.reduce((last, order) => Math.max(last, order.updatedMs), 0)
      const likeIt = { code: wanted.code, side: wanted.side, strategy: 'manual' }
      t.equal(book.refusedMs(likeIt) ?? 0, refusedMs)
      const found = [...book.openLike(wanted)].map(({ clientOrderId }) => clientOrderId)
      t.strictSame(found.toSorted(), [...like].toSorted())
      book.clear()
      t.strictSame(kept(book), lookedFor(new OrderBook()))
    },
  )
  fc.assert(property, { numRuns: 200 })
})

t.test(
  'orders of signals are alike, whatever the signal; those of a grid are its own',
  async (t) => {
    const [code] = CODES
    const [sample] = fc.sample(anyOrder, 1)
    const book = new OrderBook()
    const refused = {
      code,
      side: 'sell',
      status: 'rejected',
      requestHash: '',
      updatedMs: 5,
    } as const
    book.set('one', {
      ...(sample as OrderRecord),
      ...refused,
      clientOrderId: 'one',
      strategy: 'reorder_stop_loss',
      signalType: 'stop_loss',
    })
    const side = { code, side: 'sell' } as const
    const signal = { ...side, strategy: 'auto_full', signalType: 'take_profit_full' } as const
    t.equal(book.refusedMs(signal), 5)
    t.equal(book.refusedMs({ ...signal, side: 'buy' }), undefined)
    t.equal(book.refusedMs({ ...side, strategy: 'grid' }), undefined)
  },
)
