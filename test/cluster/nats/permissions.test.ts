import { rmSync } from 'node:fs'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { errors, type NatsConnection } from '@nats-io/nats-core'
import t from 'tap'
import { LINE_LIMITS } from '../../../bench/kit/nats-lines.ts'
import { CallError, Calls } from '../../../src/cluster/nats/calls.ts'
import { ConnectionError, openConnection } from '../../../src/cluster/nats/connect.ts'
import { JournalLog } from '../../../src/cluster/nats/journal-log.ts'
import { Kv } from '../../../src/cluster/nats/kv.ts'
import { watchKeys } from '../../../src/cluster/nats/kv-watch.ts'
import { Line } from '../../../src/cluster/nats/line.ts'
import { followNews } from '../../../src/cluster/nats/news.ts'
import { purgeJournals, purgeSnapshots } from '../../../src/cluster/nats/purge.ts'
import { partKey } from '../../../src/cluster/nats/snapshots.ts'
import { Surveys } from '../../../src/cluster/nats/surveys.ts'
import {
  CONTROL_BUCKET,
  IDENTITY_KEY,
  SNAPSHOT_BUCKET,
  shardOf,
} from '../../../src/cluster/protocol/subjects.ts'
import { inTime, turnsUntil } from '../../in-time.ts'
import { deployedServers, NOT_DEPLOYABLE, type User } from '../fixtures/deployed.ts'
import { makeStreams, streamSettings } from '../fixtures/nats-lines.ts'

const quiet = () => undefined
const CALL_MS = 20_000
const INC = '00000000-0000-4000-8000-000000000001'

/** What each may publish, or is refused, in the words of the servers. Streams and buckets are there. */
const PUBLISHES: readonly (readonly [
  user: User,
  may: readonly string[],
  not: readonly string[],
])[] = [
  [
    'n1',
    [
      'j.0.10000001',
      '$KV.CTL.n.n1',
      '$KV.CTL.n.n2',
      '$KV.CTL.a.10000001',
      '$KV.CTL.r.10000001',
      '$KV.SNAP.10000001',
      'md.SH.600036',
      'md.want',
      'n.n2.1d.a.10000001',
      'q.health',
      '$JS.API.STREAM.INFO.J0',
      '$JS.API.STREAM.MSG.GET.J0',
      '$JS.API.STREAM.MSG.GET.KV_CTL',
      '$JS.API.CONSUMER.CREATE.KV_CTL.W1',
    ],
    [
      'ev.j.0.10000001',
      'ev.s.10000001.status',
      'j.0.10000001.more',
      '$JS.API.STREAM.CREATE.X',
      '$JS.API.STREAM.UPDATE.J0',
      '$JS.API.STREAM.DELETE.J0',
      '$JS.API.STREAM.PURGE.J0',
      '$JS.API.STREAM.MSG.DELETE.J0',
      '$JS.API.STREAM.LEADER.STEPDOWN.J0',
      '$JS.API.STREAM.PEER.REMOVE.J0',
      '$JS.API.DIRECT.GET.KV_CTL',
      '$JS.API.CONSUMER.CREATE.J0.W1',
      '_INBOX_n2.x',
      '$SYS.REQ.SERVER.PING',
    ],
  ],
  [
    'gw1',
    [
      'n.n1.1d.a.10000001',
      'q.health',
      '$KV.CTL.r.10000001',
      '$JS.API.STREAM.MSG.GET.KV_CTL',
      '$JS.API.CONSUMER.CREATE.KV_CTL.W1',
    ],
    [
      'j.0.10000001',
      '$KV.CTL.n.n1',
      '$KV.CTL.a.10000001',
      '$KV.CTL.cfg.min_fmt',
      '$KV.SNAP.10000001',
      'ev.s.10000001.status',
      'ev.j.0.10000001',
      'md.SH.600036',
      'md.want',
      'n.n1.1d.x',
      '$JS.API.STREAM.PURGE.J0',
      '$JS.API.STREAM.DELETE.KV_CTL',
      // Its answer is what somebody has stored, as it is, on any subject.
      '$JS.API.DIRECT.GET.KV_CTL',
      '$JS.API.CONSUMER.CREATE.J0.W1',
    ],
  ],
  ['provisioner', ['$JS.API.STREAM.INFO.J0'], ['j.0.10000001', '$KV.CTL.n.n1', 'n.n1.1d.a.x']],
  ['operator', ['$SYS.REQ.SERVER.PING.VARZ'], ['j.0.10000001', '$SYS.REQ.SERVER.RELOAD']],
]

const SUBSCRIBES: typeof PUBLISHES = [
  [
    'n1',
    ['n.n1.>', 'q.>', 'md.>', 'ev.j.*.*', '_INBOX_n1.>'],
    ['ev.>', 'n.n2.>', 'n.>', '>', '_INBOX_n2.>', '_INBOX_gw1.>', 'j.>', '$KV.CTL.>'],
  ],
  [
    'gw1',
    ['ev.j.*.*', '_INBOX_gw1.>'],
    ['ev.>', 'n.n1.>', 'q.>', 'md.>', '_INBOX_n1.>', 'j.>', '>'],
  ],
  ['provisioner', ['_INBOX_provisioner.>'], ['j.>', 'ev.>', '>']],
  ['operator', ['_INBOX_operator.>'], ['$SYS.>', '>']],
]

/** What the servers have refused, of a connection on which each thing is done and then asked whether it arrived. */
async function refusedOf(connection: NatsConnection, act: () => void): Promise<string[]> {
  const found: string[] = []
  const states = connection.status()
  const noting = (async () => {
    for await (const state of states) {
      if (state.type !== 'error') continue
      if (state.error instanceof errors.PermissionViolationError) found.push(state.error.subject)
    }
  })()
  act()
  await inTime(connection.flush(), 'the servers')
  await connection.close()
  await inTime(noting, 'the end of the connection')
  return found
}

/** Until the server of the caller knows who listens at another one. */
async function heardOf(call: () => Promise<unknown>): Promise<void> {
  const isUnheard = (error: unknown) =>
    error instanceof CallError && error.outcome === 'not_executed'
  while (await call().then(() => false, isUnheard));
}

t.test('the servers of deploy/nats', { skip: NOT_DEPLOYABLE }, async (t) => {
  const deployed = await deployedServers(t)
  const open = async (user: User, change: object = {}) => {
    const connection = await openConnection({ ...deployed.settingsOf(user), ...change }, quiet)
    t.teardown(() => connection.close())
    return connection
  }

  await t.test('who provisions makes streams of three copies', async (t) => {
    const line = await Line.open(deployed.settingsOf('provisioner'), LINE_LIMITS, quiet)
    t.teardown(() => line.close())
    await makeStreams(line, streamSettings(3))
    const manager = await jetstreamManager(line.connection, { timeout: CALL_MS })
    for (const name of ['J0', 'J3', 'KV_CTL', 'KV_SNAP']) {
      t.equal((await manager.streams.info(name)).config.num_replicas, 3, name)
    }
  })

  for (const [user, may, not] of PUBLISHES) {
    await t.test(`${user} publishes what it has to, and nothing else`, async (t) => {
      const connection = await open(user)
      const refused = await refusedOf(connection, () => {
        for (const subject of [...may, ...not]) connection.publish(subject, 'x')
      })
      t.strictSame([...new Set(refused)].sort(), [...not].sort())
    })
  }

  for (const [user, may, not] of SUBSCRIBES) {
    await t.test(`${user} listens to what it has to, and nothing else`, async (t) => {
      const connection = await open(user)
      const refused = await refusedOf(connection, () => {
        for (const subject of [...may, ...not]) connection.subscribe(subject, { callback: quiet })
      })
      t.strictSame([...new Set(refused)].sort(), [...not].sort())
    })
  }

  await t.test('what nodes and gateways say to the servers is all allowed', async (t) => {
    const complaints: string[] = []
    const lineOf = async (user: User) => {
      const limits = { requestsMax: 100, drainMs: 1_000, watchedMax: 100 }
      const line = await Line.open(deployed.settingsOf(user), limits, (state) => {
        if (state.state === 'complaint') complaints.push(`${user}: ${state.text}`)
      })
      t.teardown(() => line.close())
      return line
    }
    const [node, gateway] = [await lineOf('n1'), await lineOf('gw1')]
    const control = new Kv(node, CONTROL_BUCKET)
    const seen = { n1: new Set<string>(), gw1: new Set<string>() }
    for (const [user, line] of [['n1', node] as const, ['gw1', gateway] as const]) {
      const limits = { silenceMs: 5_000, callTimeoutMs: CALL_MS, retryMs: 100 }
      const wanted = {
        bucket: CONTROL_BUCKET,
        prefixes: ['n.', 'a.', 'r.'],
        inboxPrefix: `_INBOX_${user}`,
        limits,
      }
      const watch = watchKeys(line, wanted, {
        onEntry: (key) => seen[user].add(key),
        onCurrent: quiet,
        onStalled: quiet,
      })
      t.teardown(() => watch.stop())
    }
    await control.create('n.n3', Buffer.from('up'), CALL_MS)
    await new Kv(gateway, CONTROL_BUCKET).create('r.30000003', Buffer.from('{}'), CALL_MS)
    for (const keys of Object.values(seen)) {
      await turnsUntil(() => keys.has('n.n3') && keys.has('r.30000003'), 'both keys')
    }
    const registered = await control.read('r.30000003', CALL_MS)
    t.ok(registered)
    const removal = { revision: registered?.revision ?? 0, timeoutMs: CALL_MS }
    await new Kv(gateway, CONTROL_BUCKET).remove('r.30000003', removal)
    t.equal(await control.read('r.30000003', CALL_MS), undefined)
    const journals = new JournalLog(node, { callTimeoutMs: CALL_MS })
    const at = { expectedSeq: 0, timeoutMs: CALL_MS }
    const acct = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].find((id) => shardOf(id) === 0) ?? ''
    const heard = new Set<Line>()
    for (const line of [node, gateway]) {
      t.teardown(followNews(line, acct, () => heard.add(line)))
      await line.connection.flush()
    }
    const seq = await journals.append(acct, Buffer.from('record'), at)
    await turnsUntil(() => heard.size === 2, 'news of the record at both')
    t.equal((await journals.tail(acct))?.seq, seq)
    const kept = { answerBytesMax: 5_000, keptBytesMax: 5_000, keepMs: CALL_MS }
    const limits = { perAccountMax: 8, perNodeMax: 8, bytesMax: 1_000, ...kept }
    const long = Buffer.alloc(4_500, 'long ')
    const gone = await lineOf('gw1')
    const undelivered: string[] = []
    const stop = new Calls(node, limits).serve(
      { node: 'n1', inc: INC },
      async (_, bytes) => {
        const text = Buffer.from(bytes).toString()
        if (text === 'gone') await gone.close()
        return text === 'long' ? long : bytes
      },
      (_, bytes) => undelivered.push(Buffer.from(bytes).toString()),
    )
    await node.connection.flush()
    const call = { node: 'n1', inc: INC, acct }
    await heardOf(() => new Calls(gateway, limits).request(call, Buffer.from('there'), CALL_MS))
    const answer = await new Calls(gateway, limits).request(call, Buffer.from('ask'), CALL_MS)
    t.equal(Buffer.from(answer).toString(), 'ask')
    const inParts = await new Calls(gateway, limits).request(call, Buffer.from('long'), CALL_MS)
    t.equal(Buffer.compare(inParts, long), 0, 'an answer in parts: each is one answer to one call')
    await heardOf(() => new Calls(gone, limits).request(call, Buffer.from('there'), CALL_MS))
    const lost = new Calls(gone, limits).request(call, Buffer.from('gone'), CALL_MS)
    await t.rejects(lost, CallError)
    await turnsUntil(() => undelivered.includes('gone'), 'to hear that the caller is gone')
    stop()
    const surveyed = { openMax: 1, bytesMax: 1_000 }
    const told = async () => Buffer.from('told')
    t.teardown(new Surveys(node, 'n1', surveyed).serve('metrics', told))
    await node.connection.flush()
    const survey = { what: 'metrics', expected: ['n1'], timeoutMs: CALL_MS }
    const answers = await new Surveys(gateway, 'gw1', surveyed).gather(survey)
    t.equal(Buffer.from(answers.get('n1') ?? []).toString(), 'told')
    for (const { connection } of [node, gateway]) await connection.flush()
    t.strictSame(complaints, [])
    await t.rejects(journals.purge(acct, seq), 'emptying is left to whoever provisions')
  })

  await t.test(
    'a node says which servers these are, who provisions empties journals',
    async (t) => {
      const lineOf = async (user: User) => {
        const line = await Line.open(deployed.settingsOf(user), LINE_LIMITS, quiet)
        t.teardown(() => line.close())
        return line
      }
      const keys = new Kv(await lineOf('n1'), CONTROL_BUCKET)
      t.ok(await keys.create(IDENTITY_KEY, Buffer.from('id'), CALL_MS))
      const provisioner = await lineOf('provisioner')
      const wish = { keepFromMs: 0, timeoutMs: CALL_MS, verify: () => undefined }
      let looked = 0
      for await (const { acct, why, words = '' } of purgeJournals(provisioner, wish)) {
        looked += 1
        // Of the first account something stands there that was written above to try it.
        t.equal(why, acct === '10000001' ? 'unreadable' : 'noSnapshot', words)
      }
      t.ok(looked > 0)
      const part = partKey('10000002', 'lost', 0)
      const snapshots = new Kv(await lineOf('n1'), SNAPSHOT_BUCKET)
      await snapshots.create(part, Buffer.from('lost'), CALL_MS)
      const all = { keepFromMs: Number.MAX_SAFE_INTEGER, keepingMsMax: 0, timeoutMs: CALL_MS }
      t.ok((await purgeSnapshots(provisioner, all)) > 0)
      t.equal(await snapshots.read(part, CALL_MS), undefined)
      const journals = new JournalLog(provisioner, { callTimeoutMs: CALL_MS })
      t.equal(await journals.purge('10000001', 1), 0)
    },
  )

  await t.test('a node appends on condition, and reads from the leader', async (t) => {
    const node = await open('n1')
    const expect = { lastSubjectSequence: 0 }
    await jetstream(node).publish('j.0.20000002', 'first', { expect, timeout: 20_000 })
    await t.rejects(jetstream(node).publish('j.0.20000002', 'second', { expect }))
    const asked = { last_by_subj: 'j.0.20000002' }
    const last = await (await jetstreamManager(node)).streams.getMessage('J0', asked)
    t.equal(last?.string(), 'first')
  })

  await t.test('a call reaches its node, and the answer its caller', async (t) => {
    const node = await open('n1')
    node.subscribe('n.n1.1d.a.*', { callback: (_, message) => void message.respond('done') })
    await node.flush()
    const gateway = await open('gw1')
    t.equal((await gateway.request('n.n1.1d.a.10000001', 'x')).string(), 'done')
    await t.rejects(gateway.request('n.n2.1d.a.10000001', 'x'), /no responders/)
  })

  await t.test('who has no certificate, another CA or no seed is refused', async (t) => {
    const { tls, servers } = deployed.settingsOf('n1')
    const refusal = (change: object) =>
      open('n1', { servers: servers.slice(0, 1), ...change }).then(
        () => undefined,
        (error: unknown) => (error instanceof ConnectionError ? error.fault : error),
      )
    t.equal(await refusal({ tls: { caFile: tls?.caFile } }), 'encryption', 'no certificate')
    t.equal(await refusal({ tls: { ...tls, caFile: undefined } }), 'encryption', 'another CA')
    t.equal(await refusal({ nkeyFile: undefined }), 'credentials', 'no seed')
  })

  await t.test('files that are gone are named', async (t) => {
    rmSync(`${deployed.folder}/n2.nk`)
    await t.rejects(open('n2'), /n2\.nk.*ENOENT/)
  })
})
