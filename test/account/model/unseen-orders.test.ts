import fc from 'fast-check'
import t from 'tap'
import type { Unseen } from '../../../src/account/model/shown.ts'
import { UnseenOrders } from '../../../src/account/model/unseen-orders.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import type { Side } from '../../../src/domain/order.ts'

const SIDES = ['buy', 'sell'] as const
const CODES = ['600036.SH', '000001.SZ', '300750.SZ'] as StockCode[]
const unseen = (code: StockCode, side: Side): Unseen => ({
  code,
  side,
  filled: 0 as Quantity,
  newsMs: 0,
})

const ALL = CODES.flatMap((code) => SIDES.map((side) => ({ code, side })))

interface Move {
  readonly kind: string
  readonly id: string
  readonly code: StockCode
  readonly side: Side
}

function play(orders: UnseenOrders, { kind, id, code, side }: Move): void {
  if (kind === 'set') orders.set(id, unseen(code, side))
  else if (kind === 'delete') orders.delete(id)
  else orders.clear()
}

const isFound = (orders: UnseenOrders, { code, side }: (typeof ALL)[number]): boolean => {
  const all = [...orders].filter(([, each]) => each.code === code && each.side === side)
  const ids = all.map(([id]) => id).sort()
  return [...orders.of({ code, side })].sort().join() === ids.join()
}

t.test('those of a stock are what a look at all of them finds', async () => {
  const move = fc.record({
    kind: fc.constantFrom('set', 'set', 'set', 'delete', 'clear'),
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    code: fc.constantFrom(...CODES),
    side: fc.constantFrom(...SIDES),
  })
  const property = fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
    const orders = new UnseenOrders()
    return moves.every((each) => {
      play(orders, each)
      return ALL.every((wanted) => isFound(orders, wanted))
    })
  })
  fc.assert(property, { numRuns: 300 })
})

t.test('an order that is forgotten is none of its stock any more', async (t) => {
  const orders = new UnseenOrders()
  const [code = '' as StockCode] = CODES
  t.strictSame([...orders.of({ code, side: 'sell' })], [])
  orders.set('b', unseen(code, 'sell')).set('a', unseen(code, 'sell')).set('c', unseen(code, 'buy'))
  t.strictSame(
    [...orders.of({ code, side: 'sell' })],
    ['b', 'a'],
    'in the order in which they came',
  )
  t.equal(orders.delete('b'), true)
  t.equal(orders.delete('b'), false)
  t.strictSame([...orders.of({ code, side: 'sell' })], ['a'])
  t.equal(orders.size, 2)
})
