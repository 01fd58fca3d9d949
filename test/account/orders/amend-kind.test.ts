import t from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import { BANK, Bench, commands, keyOf, push, quote, refusals, yuan } from '../fixture.ts'

const amend = (bench: Bench, terms: { readonly price?: never; readonly quantity: number }) =>
  bench.input({
    kind: 'request',
    ref: 55,
    request: {
      kind: 'amendOrder',
      orderId: '1001',
      key: keyOf(77),
      requestHash: 'amended',
      source: 'desk',
      ...terms,
    },
  })

/** Somebody's order of this kind of price. */
function others(priceType: number): Bench {
  const bench = new Bench().ready()
  bench.quotes.set(BANK, quote(36.4))
  push(bench, { clientOrderId: '', priceType, quantity: 1_000 as Quantity })
  return bench
}

t.test(
  'F647 an order of a kind that nobody could place here is changed with a price alone',
  async (t) => {
    const bench = others(54)
    const refused = amend(bench, { quantity: 800 })
    t.strictSame(commands(refused), [], 'it works on')
    t.strictSame(refusals(refused), ['VALIDATION'])
    const priced = amend(bench, { quantity: 800, price: yuan(36.2) as never })
    t.match(commands(priced), [{ kind: 'cancel', orderId: '1001' }])
    t.match(commands(amend(others(11), { quantity: 800 })), [{ kind: 'cancel', orderId: '1001' }])
  },
)
