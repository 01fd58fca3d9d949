import t from 'tap'
import { AUDIT_KINDS } from '../../../src/account/answers/audit.ts'
import { isDerived, LOSS } from '../../../src/account/model/derived.ts'
import type { AccountEvent, HoldingFields } from '../../../src/account/model/events.ts'
import { fileSession } from '../../../src/account/model/grid-book.ts'
import type { Tracker } from '../../../src/strategy/grid/tracker.ts'
import { session } from '../../strategy/grid/fixture.ts'
import { BANK, holder, ORDER, yuan } from '../fixture.ts'

const changed = (fields: HoldingFields, source = 'market'): AccountEvent => ({
  kind: 'holdingChanged',
  code: BANK,
  fields,
  source,
})

t.test('of every event it is decided whether its saving may wait, with a reason', (t) => {
  t.strictSame(Object.keys(LOSS).sort(), [...AUDIT_KINDS].sort())
  for (const [kind, { because }] of Object.entries(LOSS)) t.ok(because.length > 10, kind)
  const kinds = Object.entries(LOSS).flatMap(([kind, { isDerived }]) => (isDerived ? kind : []))
  t.strictSame(kinds, ['holdingChanged', 'gridTracked'], 'and these two only for what they say')
  t.end()
})

t.test('a new high would be found again, with the stop price that follows from it', (t) => {
  const { state } = holder()
  const high = changed({ highestPrice: yuan(37), stopLossPrice: yuan(34), actedTickMs: 5 })
  t.ok(isDerived(state, high))
  t.ok(isDerived(state, changed({ breakoutHighestPrice: yuan(38), actedTickMs: 5 })))
  t.end()
})

t.test('what else changes of a holding would not', (t) => {
  const { state } = holder()
  const high = { highestPrice: yuan(37), actedTickMs: 5 }
  const breakout = { breakoutTriggered: true, breakoutHighestPrice: yuan(38) }
  t.notOk(isDerived(state, changed({ ...high, ...breakout })), 'a breakout')
  t.notOk(isDerived(state, changed({ ...high, profitTriggered: true })), 'a first profit taken')
  t.notOk(isDerived(state, changed({ stopProfitEnabled: false })), 'the switch of a stock')
  t.notOk(isDerived(state, changed(high, 'operator')), 'what a person has set')
  const held = state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  state.positions.set(BANK, { ...held, highestPrice: yuan(40), breakoutHighestPrice: yuan(40) })
  t.notOk(isDerived(state, changed({ highestPrice: yuan(39) })), 'a high that falls')
  t.notOk(isDerived(state, changed({ breakoutHighestPrice: yuan(39) })), 'of a breakout as well')
  state.positions.delete(BANK)
  t.notOk(isDerived(state, changed(high)), 'of a holding that is not there')
  t.end()
})

t.test(
  'a turning point of a grid would be found again, a level that was crossed would not',
  (t) => {
    const { state } = holder()
    const waiting: Tracker = {
      lastPrice: yuan(10.6),
      peakPrice: yuan(10.6),
      valleyPrice: yuan(10),
      direction: 'rising',
      crossedLevel: 105_000_000_000,
      isWaiting: true,
    }
    const known = session({ tracker: waiting })
    fileSession(state.grid, known)
    const tracked = (tracker: Partial<Tracker>, missingSinceMs = 0): AccountEvent => ({
      kind: 'gridTracked',
      sessionId: known.id,
      tracker: { ...waiting, ...tracker },
      missingSinceMs,
      actedTickMs: 5,
    })
    t.ok(isDerived(state, tracked({ lastPrice: yuan(10.7), peakPrice: yuan(10.7) })))
    t.notOk(isDerived(state, tracked({ isWaiting: false, crossedLevel: null })))
    t.notOk(isDerived(state, tracked({ crossedLevel: 110_000_000_000 })))
    t.notOk(isDerived(state, tracked({ direction: 'falling' })))
    t.notOk(isDerived(state, tracked({ peakPrice: yuan(10.7) }, 7)), 'its holding is missed since')
    const other = { ...tracked({ peakPrice: yuan(10.7) }), sessionId: known.id + 1 } as AccountEvent
    t.notOk(isDerived(state, other), 'of a session that is not there')
    t.end()
  },
)

t.test('a turn is derived while all that it notes is', (t) => {
  const bench = holder()
  const turn = bench.turn()
  t.ok(turn.isDerived, 'with nothing noted')
  turn.emit(changed({ highestPrice: yuan(37), actedTickMs: 5 }))
  t.ok(turn.isDerived)
  turn.emit({ kind: 'keyWithdrawn', clientOrderId: ORDER.key, source: 'test' })
  t.notOk(turn.isDerived)
  turn.emit(changed({ highestPrice: yuan(38), actedTickMs: 6 }))
  t.notOk(turn.isDerived, 'for good')
  t.end()
})
