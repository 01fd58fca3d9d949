import t from 'tap'
import { together } from '../client.ts'
import { brokerDeal, driver, KEY, refusals } from '../fixture.ts'
import { accepted, placed } from '../play.ts'
import { ask } from './fixtures/canceling.ts'
import { OLD, order } from './fixtures/restarted.ts'

t.test('F584 who waits for a cancel when the simulation mode begins is answered', async (t) => {
  const { bench } = together()
  bench.input(accepted(placed(bench)))
  ask(bench)
  const { quantity } = OLD
  const deal = brokerDeal({ clientOrderId: KEY, quantity })
  driver(bench, { kind: 'dealPushed', deal })
  t.equal(order(bench)?.status, 'filled', 'before the client has answered the cancel')
  const effects = bench.input({
    kind: 'request',
    ref: 8,
    request: { kind: 'saveConfig', changes: { simulationMode: true }, source: 'operator' },
  })
  const answered = effects.flatMap((effect) =>
    effect.kind === 'refuse' || effect.kind === 'reply' ? [effect.ref] : [],
  )
  t.strictSame(answered.toSorted(), [7, 8])
  t.strictSame(refusals(effects), ['NOT_CONNECTED'])
})
