import t from 'tap'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { Client, connect, driver, together } from '../client.ts'
import { type Bench, brokerOrder, commands, KEY, set } from '../fixture.ts'
import { accepted, placed, timer } from '../play.ts'
import { buying, later, look, NEW, OLD, OTHER } from './fixtures/restarted.ts'

// After a connect a driver tells again what nobody heard. A number in it may be of before the client was started anew.

/** Somebody's order of another stock, under the number that ours had. */
const THEIRS = brokerOrder({ ...OTHER, orderId: OLD.orderId, code: '000001.SZ' as StockCode })

const canceled = (effects: readonly Effect[]) =>
  commands(effects).flatMap((command) => (command.kind === 'cancel' ? [command.orderId] : []))

const ask = (bench: Bench) =>
  bench.input({
    kind: 'request',
    ref: 7,
    request: { kind: 'cancelOrder', orderId: KEY, source: 'operator' },
  })

/** The client was started anew; its lists are still to come. */
function startedAnew(bench: Bench): readonly Effect[] {
  driver(bench, { kind: 'disconnected', reason: 'restart' })
  return connect(bench, new Silent(), bench.input(timer('reconnect')))
}

class Silent extends Client {
  override answer(): readonly Effect[] {
    return []
  }
}

/** Lists come until it is proven that the number is gone. */
const lookedFor = (bench: Bench, client: Client): readonly string[] =>
  [1, 2, 3].flatMap(() => {
    later(bench)
    return canceled(look(bench, client))
  })

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
    const found = lookedFor(bench, client)
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
    t.strictSame(lookedFor(bench, client), [NEW.orderId])
  }
})
