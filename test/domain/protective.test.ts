import t from 'tap'
import { SIGNAL_TYPES } from '../../src/domain/order.ts'
import { isProtective } from '../../src/domain/protective.ts'

const KNOWN = [
  { side: 'sell', isRecovered: true },
  { side: 'sell' },
  { side: 'buy', isRecovered: true },
  { side: 'buy' },
] as const

t.test('an order is protective by the signal that it sells for', (t) => {
  for (const known of KNOWN) {
    for (const signalType of SIGNAL_TYPES) {
      const isOne = known.side === 'sell' && signalType !== 'add_position'
      t.equal(isProtective({ ...known, strategy: 'M_real', signalType }), isOne, signalType)
    }
  }
  t.end()
})

t.test('a sale that the books had lost is protective by its name', (t) => {
  const [lost, ...others] = KNOWN
  for (const strategy of ['stop_loss', 'auto_partial', 'auto_full', 'reorder_stop_loss']) {
    t.ok(isProtective({ ...lost, strategy }), strategy)
    for (const known of others) t.notOk(isProtective({ ...known, strategy }), strategy)
  }
  for (const strategy of ['grid', 'manual_real', 'external', 'add_position']) {
    t.notOk(isProtective({ ...lost, strategy }), strategy)
  }
  t.end()
})
