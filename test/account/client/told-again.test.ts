import t from 'tap'
import { driver, together } from '../client.ts'
import { commands, set } from '../fixture.ts'
import { accepted, placed } from '../play.ts'
import { ask, canceled, lookedFor, startedAnew, THEIRS } from './fixtures/canceling.ts'
import { buying, NEW, OLD, OTHER } from './fixtures/restarted.ts'

// After a connect a driver tells again what nobody heard. A number in it may be of before the client was started anew.

t.test(
  'F569 a push that is told again says nothing of a number before the first list',
  async (t) => {
    const { bench, client } = buying()
    const connected = startedAnew(bench)
    set(bench, 'cancel_all')
    t.strictSame(canceled(driver(bench, { kind: 'orderPushed', order: OLD })), [])
    t.strictSame(canceled(ask(bench)), [])
    client.orders = [OTHER]
    const short = client.answer(bench, commands(connected))
    t.strictSame(canceled(short), [OTHER.orderId], 'nor behind one that was short')
    client.orders = [OTHER, THEIRS, NEW]
    const found = canceled(lookedFor(bench, client))
    t.ok(found.includes(NEW.orderId))
    t.equal(found.filter((id) => id === OLD.orderId).length, 1, 'theirs, by the kill switch alone')
  },
)

t.test('F569 nor does the answer to an order that was sent before the connection', async (t) => {
  for (const isListed of [false, true]) {
    const { bench, client } = together()
    const callId = placed(bench)
    let connected = startedAnew(bench)
    client.orders = [OTHER]
    if (isListed) connected = client.answer(bench, commands(connected))
    bench.input(accepted(callId, OLD.orderId))
    const asked = ask(bench)
    t.strictSame(canceled(asked), [])
    client.orders = [OTHER, THEIRS, NEW]
    t.strictSame(canceled(client.answer(bench, commands(isListed ? asked : connected))), [])
    t.strictSame(canceled(lookedFor(bench, client)), [NEW.orderId])
  }
})
