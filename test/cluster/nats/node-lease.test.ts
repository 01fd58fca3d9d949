import t from 'tap'
import { inTime, turnsUntil } from '../../in-time.ts'
import { makeStreams, openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { natsNode, QUICK } from '../fixtures/nats-node.ts'
import { natsProxy } from '../fixtures/nats-proxy.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

t.test(
  'F167 a node that is cut off stops by itself, is fenced, and ends when it is back',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    const url = server?.url ?? ''
    const line = await openLine(t, [url])
    await makeStreams(line, streamSettings(1))
    const proxy = await natsProxy(t, url)
    const one = natsNode(t, 'n1', await openLine(t, [proxy.url]))
    await one.until('up')
    const owned = await inTime(one.claim('a1', ['n1', 'n2']), 'the first claim')
    await turnsUntil(() => one.mayOrder(owned), 'n1 to be allowed to order')

    const two = natsNode(t, 'n2', line)
    await two.until('up')
    await two.until('current')
    const next = two.claim('a1', ['n1', 'n2'])
    const taken: string[] = []
    const heir = next.then((its) => {
      // By then the words of the former owner must have run out, whatever it has heard.
      taken.push(one.mayOrder(owned) ? 'both may order' : 'only one may order')
      return its
    })
    proxy.cut()
    await one.until('suspended')
    t.notOk(one.mayOrder(owned))
    const its = await inTime(heir, 'the second claim')
    t.strictSame(taken, ['only one may order'])
    t.equal(its.e, owned.e + 1)
    t.ok(two.told.includes('fenced n1'))
    await turnsUntil(() => two.mayOrder(its), 'n2 to be allowed to order')

    proxy.hangUp()
    await one.until('dead fenced')
    t.notOk(one.mayOrder(owned))
  },
)

t.test('a node that leaves in order is followed at once', { skip: NO_SERVERS }, async (t) => {
  const [server] = await natsServers(t, { count: 1 })
  const line = await openLine(t, [server?.url ?? ''])
  await makeStreams(line, streamSettings(1))
  const one = natsNode(t, 'n1', line)
  await one.until('up')
  const owned = await inTime(one.claim('a1', ['n1', 'n2']), 'the first claim')
  const two = natsNode(t, 'n2', line)
  await two.until('up')
  const next = two.claim('a1', ['n1', 'n2'])
  one.lease.drain()
  await turnsUntil(
    () => two.lease.view.peers.peers.get('n1')?.record.state === 'draining',
    'n1 draining',
  )
  await inTime(one.lease.leave(), 'the end in order')
  t.notOk(one.mayOrder(owned))
  const its = await inTime(next, 'the second claim')
  t.equal(its.e, owned.e + 1)
  t.notOk(two.told.includes('fenced n1'), 'it had not to be fenced')
})

t.test(
  'another computer under the same name waits for its silence',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    const line = await openLine(t, [server?.url ?? ''])
    await makeStreams(line, streamSettings(1))
    const one = natsNode(t, 'n1', line)
    await one.until('up')
    const copy = natsNode(t, 'n1', line, undefined, 'another')
    await copy.until('foreign host-n1')
    t.notOk(copy.told.includes('up'))
    one.lease.stop()
    await copy.until('up')
  },
)

t.test('a node whose life is over clears its words at once', { skip: NO_SERVERS }, async (t) => {
  const [server] = await natsServers(t, { count: 1 })
  const line = await openLine(t, [server?.url ?? ''])
  await makeStreams(line, streamSettings(1))
  // A lease that does not run out while the test lasts, unless somebody says so.
  const timing = { ...QUICK, ttlMs: 600_000, marginMs: 20_000 }
  const one = natsNode(t, 'n1', line, timing)
  await one.until('up')
  const owned = await inTime(one.claim('a1', ['n1']), 'the claim')
  await turnsUntil(() => one.mayOrder(owned), 'n1 to be allowed to order')
  const two = natsNode(t, 'n1', line, timing)
  await one.until('dead replaced')
  t.notOk(one.mayOrder(owned))
  await two.until('up')
})
