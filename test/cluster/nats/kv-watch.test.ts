import { jetstreamManager } from '@nats-io/jetstream'
import t, { type Test } from 'tap'
import { Kv } from '../../../src/cluster/nats/kv.ts'
import { type KvWatchLimits, watchKeys } from '../../../src/cluster/nats/kv-watch.ts'
import type { Line } from '../../../src/cluster/nats/line.ts'
import { CONTROL_BUCKET } from '../../../src/cluster/protocol/subjects.ts'
import { turnsUntil } from '../../in-time.ts'
import { makeStreams, openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { natsProxy } from '../fixtures/nats-proxy.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const CALL_MS = 5_000

async function oneServer(t: Test) {
  const [server] = await natsServers(t, { count: 1 })
  const url = server?.url ?? ''
  const line = await openLine(t, [url])
  await makeStreams(line, streamSettings(1))
  return { url, line, kv: new Kv(line, CONTROL_BUCKET) }
}

/** What a watcher was told, a line each. */
function watched(t: Test, line: Line, prefixes: string[], change: Partial<KvWatchLimits> = {}) {
  const told: string[] = []
  const limits = { silenceMs: 60_000, callTimeoutMs: CALL_MS, retryMs: 20, ...change }
  const wanted = { bucket: CONTROL_BUCKET, prefixes, inboxPrefix: '_INBOX_test', limits }
  const watch = watchKeys(line, wanted, {
    onEntry: (key, entry, revision) => {
      const text = entry === undefined ? 'gone' : Buffer.from(entry.bytes).toString()
      told.push(`${key}=${text}@${revision}`)
    },
    onCurrent: () => told.push('current'),
    onStalled: () => told.push('stalled'),
  })
  t.teardown(() => watch.stop())
  const until = (text: string) => turnsUntil(() => told.includes(text), text)
  return { told, until, watch }
}

t.test('a watch tells what stands there, then what is written', { skip: NO_SERVERS }, async (t) => {
  const { line, kv } = await oneServer(t)
  const first = await kv.create('n.n1', Buffer.from('up'), CALL_MS)
  const second = await kv.create('a.a1', Buffer.from('there'), CALL_MS)
  await kv.create('r.a1', Buffer.from('not asked for'), CALL_MS)
  const { told, until } = watched(t, line, ['n.', 'a.'])
  await until('current')
  t.strictSame(told, [`n.n1=up@${first}`, `a.a1=there@${second}`, 'current'])
  const third = await kv.update('n.n1', Buffer.from('draining'), {
    revision: first,
    timeoutMs: CALL_MS,
  })
  await until(`n.n1=draining@${third}`)

  await line.request('$KV.CTL.a.a1', new Uint8Array(0), {
    timeoutMs: CALL_MS,
    headers: { 'KV-Operation': 'DEL' },
  })
  await until(`a.a1=gone@${third + 1}`)
  t.equal(await kv.read('a.a1', CALL_MS), undefined)
  const made = await kv.create('a.a1', Buffer.from('again'), CALL_MS)
  await until(`a.a1=again@${made}`)
  t.notOk(told.includes('stalled'))
})

t.test('a bucket without such keys is current at once', { skip: NO_SERVERS }, async (t) => {
  const { line } = await oneServer(t)
  const { told, until } = watched(t, line, ['n.'])
  await until('current')
  t.strictSame(told, ['current'])
})

t.test(
  'F166 a watch that was removed without a word is opened anew',
  { skip: NO_SERVERS },
  async (t) => {
    const { line, kv } = await oneServer(t)
    const first = await kv.create('n.n1', Buffer.from('1'), CALL_MS)
    const { told, until } = watched(t, line, ['n.'], { silenceMs: 300 })
    await until('current')
    const manager = await jetstreamManager(line.connection)
    for await (const { name } of manager.consumers.list('KV_CTL')) {
      await manager.consumers.delete('KV_CTL', name)
    }
    const second = await kv.update('n.n1', Buffer.from('2'), {
      revision: first,
      timeoutMs: CALL_MS,
    })
    await until(`n.n1=2@${second}`)
    t.ok(told.includes('stalled'), 'and it was told that the present was not known')
  },
)

t.test('a watch outlives a lost connection', { skip: NO_SERVERS }, async (t) => {
  const { url, kv } = await oneServer(t)
  const proxy = await natsProxy(t, url)
  const far = await openLine(t, [proxy.url])
  const first = await kv.create('n.n1', Buffer.from('1'), CALL_MS)
  const { until } = watched(t, far, ['n.'], { silenceMs: 300 })
  await until('current')
  proxy.cut()
  await turnsUntil(() => !far.isOpen, 'the line to be closed')
  const second = await kv.update('n.n1', Buffer.from('2'), { revision: first, timeoutMs: CALL_MS })
  proxy.hangUp()
  await until(`n.n1=2@${second}`)
})

t.test('a watch that is stopped tells nothing more', { skip: NO_SERVERS }, async (t) => {
  const { line, kv } = await oneServer(t)
  const { told, until, watch } = watched(t, line, ['n.'])
  const other = watched(t, line, ['n.'])
  await until('current')
  await other.until('current')
  watch.stop()
  watch.stop()
  const revision = await kv.create('n.n1', Buffer.from('1'), CALL_MS)
  await other.until(`n.n1=1@${revision}`)
  t.strictSame(told, ['current'])
})
