import t from 'tap'
import { TickReceiver, TickSender } from '../../../src/cluster/nats/ticks.ts'
import { turnsUntil } from '../../in-time.ts'
import { openLine } from '../fixtures/nats-lines.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const LIMITS = { codesMax: 2, gatherMs: 1 }
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

t.test('the newest tick of a code reaches who wants it', { skip: NO_SERVERS }, async (t) => {
  const [server] = await natsServers(t, { count: 1 })
  const url = server?.url ?? ''
  const [from, to] = [await openLine(t, [url]), await openLine(t, [url])]
  const newest = new Map<string, string>()
  let count = 0
  const receiver = new TickReceiver(to, LIMITS, (ticks) => {
    for (const [code, bytes] of ticks) {
      newest.set(code, text(bytes))
      count++
    }
  })
  const sender = new TickSender(from, LIMITS)
  t.teardown(() => {
    receiver.stop()
    sender.stop()
  })
  const codes = ['600000.SH', '000001.SZ', '300750.SZ']
  t.strictSame(receiver.want(new Set(codes)), ['300750.SZ'], 'more than it may')
  await to.connection.flush()
  for (let price = 1; price <= 100; price++) {
    sender.offer('600000.SH', Buffer.from(`${price}`))
    sender.offer('000001.SZ', Buffer.from(`${-price}`))
  }
  sender.offer('300750.SZ', Buffer.from('no room'))
  t.equal(sender.dropped, 1)
  await turnsUntil(() => newest.get('600000.SH') === '100', 'the newest of the one')
  await turnsUntil(() => newest.get('000001.SZ') === '-100', 'the newest of the other')
  t.ok(count < 100, 'many were one')

  receiver.want(new Set(['000001.SZ']))
  await to.connection.flush()
  sender.offer('600000.SH', Buffer.from('not wanted'))
  sender.offer('000001.SZ', Buffer.from('wanted'))
  await turnsUntil(() => newest.get('000001.SZ') === 'wanted', 'what is still wanted')
  t.equal(newest.get('600000.SH'), '100')
  t.throws(() => receiver.want(new Set(['600000.*'])), /code/)
})
