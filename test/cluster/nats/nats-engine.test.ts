import { randomUUID } from 'node:crypto'
import type { Msg } from '@nats-io/nats-core'
import t, { type Test } from 'tap'
import { LINE_LIMITS } from '../../../bench/kit/nats-lines.ts'
import type { CallLimits } from '../../../src/cluster/nats/calls.ts'
import { CODES } from '../../../src/cluster/nats/engine-error.ts'
import { JournalLog } from '../../../src/cluster/nats/journal-log.ts'
import { Kv } from '../../../src/cluster/nats/kv.ts'
import { Line } from '../../../src/cluster/nats/line.ts'
import { NatsEngine } from '../../../src/cluster/nats/nats-engine.ts'
import { purgeSnapshots } from '../../../src/cluster/nats/purge.ts'
import { readClocks } from '../../../src/cluster/node/clocks.ts'
import { ClusterNode } from '../../../src/cluster/node/cluster-node.ts'
import { hashOf } from '../../../src/cluster/node/encoded.ts'
import { BrokenChain } from '../../../src/cluster/node/fenced-log.ts'
import { DEFAULT_APPEND_LIMITS } from '../../../src/cluster/protocol/append.ts'
import type { JournalRecord } from '../../../src/cluster/protocol/records.ts'
import { CONTROL_BUCKET, SNAPSHOT_BUCKET } from '../../../src/cluster/protocol/subjects.ts'
import { encode } from '../../../src/protocol/codec.ts'
import { inTime, turnsUntil } from '../../in-time.ts'
import { makeStreams, openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { QUICK } from '../fixtures/nats-node.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'
import { recordOf } from '../protocol/fixtures/values.ts'

const CALL_MS = 10_000
const CALL_LIMITS: CallLimits = {
  perAccountMax: 8,
  perNodeMax: 8,
  bytesMax: 1_000,
  answerBytesMax: 5_000,
  keptBytesMax: 5_000,
  keepMs: 1_000,
}

async function engineOn(
  t: Test,
  streams: Parameters<typeof streamSettings>[1] = {},
  onFailure: (error: unknown) => void = () => undefined,
) {
  const servers = await natsServers(t, { count: 1 })
  const urls = servers.map(({ url }) => url)
  const line = await openLine(t, urls)
  await makeStreams(line, streamSettings(1, streams))
  const engine = await NatsEngine.open({
    node: 'n1',
    settings: {
      servers: urls,
      name: 'test',
      inboxPrefix: '_INBOX_n1',
      reconnects: 'never',
      limits: {
        connectTimeoutMs: 5_000,
        reconnectWaitMs: 20,
        pingMs: 5_000,
        pingsUnansweredMax: 2,
      },
    },
    limits: {
      line: LINE_LIMITS,
      watch: { silenceMs: 5_000, callTimeoutMs: CALL_MS, retryMs: 100 },
      calls: CALL_LIMITS,
      reader: { readersMax: 4, aheadMax: 8 },
      surveys: { openMax: 1, bytesMax: 1_000 },
      callTimeoutMs: CALL_MS,
    },
    onState: () => undefined,
    onFailure,
  })
  t.teardown(() => engine.close())
  return { engine, line, log: new JournalLog(line, { callTimeoutMs: CALL_MS }) }
}

t.test('F204 a record that is missing in a journal is noticed', { skip: NO_SERVERS }, async (t) => {
  const { engine, log } = await engineOn(t)
  const write = async (acct: string, records: readonly Partial<JournalRecord>[]) => {
    let [expectedSeq, prev] = [0, '']
    for (const fields of records) {
      const bytes = encode(recordOf({ prev, ...fields }))
      expectedSeq = await log.append(acct, bytes, { expectedSeq, timeoutMs: CALL_MS })
      prev = hashOf(bytes)
    }
  }
  const read = async (acct: string) => {
    const found: number[] = []
    for await (const { record } of engine.records(acct, 0)) found.push(record.n)
    return found
  }
  await write('whole', [{ n: 1 }, { n: 2 }, { n: 3 }])
  t.strictSame(await read('whole'), [1, 2, 3])
  await write('begun', [{ n: 8, prev: 'a'.repeat(64) }, { n: 9 }])
  t.strictSame(await read('begun'), [8, 9], 'what is in front of the first was forgotten')
  await write('gap', [{ n: 1 }, { n: 3 }])
  await t.rejects(read('gap'), BrokenChain)
  await write('other', [{ n: 1 }, { n: 2, prev: 'a'.repeat(64) }])
  await t.rejects(read('other'), BrokenChain)
})

t.test('F380 a snapshot without room is told, for the log', { skip: NO_SERVERS }, async (t) => {
  const failures: unknown[] = []
  const streams = { snapshotBytesMax: 65_536, recordBytesMax: 32_768 }
  const { engine } = await engineOn(t, streams, (error) => failures.push(error))
  const parts = Array.from({ length: 4 }, () => new Uint8Array(30_000))
  const kept = engine.keep('a1', { name: 'first', from: 0 }, parts)
  t.match(await kept.catch((error: unknown) => error), { failure: 'full' })
  t.match(failures, [{ failure: 'full', message: /max_bytes/ }])
})

t.test(
  'F994 what was kept of a snapshot without room is given back',
  { skip: NO_SERVERS },
  async (t) => {
    const streams = { snapshotBytesMax: 65_536, recordBytesMax: 32_768 }
    const { engine } = await engineOn(t, streams)
    const small = [new Uint8Array(20_000)]
    await engine.keep('a1', { name: '10', from: 1 }, small)
    const parts = Array.from({ length: 4 }, () => new Uint8Array(20_000))
    t.match(
      await engine.keep('a1', { name: '20', from: 2 }, parts).catch((error: unknown) => error),
      {
        failure: 'full',
      },
    )
    t.match(await engine.snapshot('a1'), { from: 1 }, 'the one before stands')
    await engine.keep('a2', { name: '10', from: 3 }, small)
    t.match(await engine.snapshot('a2'), { from: 3 }, 'nobody else is kept out')
  },
)

/** What is written to this subject is answered by `answer`, which may let the servers answer. */
function answering(
  t: Test,
  subject: string,
  answer: (fromServers: () => Promise<Msg>) => Promise<Msg>,
): void {
  const { request } = Line.prototype
  t.teardown(() => void Object.assign(Line.prototype, { request }))
  Line.prototype.request = function (to, ...rest) {
    const fromServers = () => request.call(this, to, ...rest)
    return to === subject ? answer(fromServers) : fromServers()
  }
}

t.test(
  'F1023 a note that one server has no disk for, and the others keep, has its parts',
  { skip: NO_SERVERS },
  async (t) => {
    const { engine } = await engineOn(t)
    const words = 'write /data/1.blk: no space left on device'
    answering(t, '$KV.SNAP.a1', async (fromServers) => {
      const error = { code: 503, err_code: CODES.streamFull, description: words }
      return { ...(await fromServers()), data: Buffer.from(JSON.stringify({ error })) }
    })
    const kept = engine.keep('a1', { name: '10', from: 7 }, [new Uint8Array([1])])
    t.match(await kept.catch((error: unknown) => error), { failure: 'full' })
    t.match(await engine.snapshot('a1'), { from: 7 })
  },
)

t.test(
  'F1024 no note names parts that were purged while the computer slept between them',
  { skip: NO_SERVERS },
  async (t) => {
    const { engine, line } = await engineOn(t)
    await engine.keep('a1', { name: '10', from: 3 }, [new Uint8Array([1])])
    answering(t, '$KV.SNAP.a1.20.1', async (fromServers) => {
      const all = { keepFromMs: Number.MAX_SAFE_INTEGER, keepingMsMax: -CALL_MS }
      t.equal(await purgeSnapshots(line, { ...all, timeoutMs: CALL_MS }), 1)
      return fromServers()
    })
    const kept = engine.keep('a1', { name: '20', from: 7 }, [
      new Uint8Array([1]),
      new Uint8Array([2]),
    ])
    await t.rejects(kept, /purged/)
    t.match(await engine.snapshot('a1'), { from: 3 }, 'the one before stands')
  },
)

t.test(
  'F995 a snapshot is kept again after somebody has deleted the note of the one before',
  { skip: NO_SERVERS },
  async (t) => {
    const { engine, line } = await engineOn(t)
    const parts = [new Uint8Array([1])]
    await engine.keep('a1', { name: '10', from: 7 }, parts)
    const bucket = new Kv(line, SNAPSHOT_BUCKET)
    const note = await bucket.read('a1', CALL_MS)
    await bucket.remove('a1', { revision: note?.revision ?? 0, timeoutMs: CALL_MS })
    t.equal(await engine.snapshot('a1'), undefined)
    await engine.keep('a1', { name: '20', from: 9 }, parts)
    t.match(await engine.snapshot('a1'), { name: '20', from: 9 })
  },
)

t.test('what is registered is told whole, and stands once', { skip: NO_SERVERS }, async (t) => {
  const { engine } = await engineOn(t)
  const told: string[] = []
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
  const watch = engine.watch({
    onNode: () => undefined,
    onPlacement: () => undefined,
    onPlacementRemoved: () => undefined,
    onCurrent: () => undefined,
    onStalled: () => undefined,
    onRegistrations: (all, removed) =>
      told.push(
        [...[...all].map(([acct, value]) => `${acct} ${text(value)}`), ...removed].join(', '),
      ),
  })
  t.teardown(() => watch.close())
  const until = (list: string) => turnsUntil(() => told.at(-1) === list, `“${list}”`)
  await until('')
  t.equal(text(await engine.register('a1', Buffer.from('first'))), 'first')
  t.equal(text(await engine.register('a1', Buffer.from('second'))), 'first', 'it is there already')
  await engine.register('a2', Buffer.from('other'))
  await until('a1 first, a2 other')
  await engine.unregister('a1')
  await engine.unregister('a1')
  await until('a2 other, a1')
  const later = Promise.withResolvers<readonly string[]>()
  const second = engine.watch({
    onNode: () => undefined,
    onPlacement: () => undefined,
    onPlacementRemoved: () => undefined,
    onCurrent: () => undefined,
    onStalled: () => undefined,
    onRegistrations: (_all, removed) => later.resolve([...removed]),
  })
  t.teardown(() => second.close())
  t.strictSame(await inTime(later.promise, 'a second watch'), ['a1'], 'also who looks later')
  t.equal(text(await engine.register('a1', Buffer.from('again'))), 'again')
  await until('a2 other, a1 again')
})

t.test(
  'F207 a snapshot says from where on the journal is read',
  { skip: NO_SERVERS },
  async (t) => {
    const { engine } = await engineOn(t)
    t.equal(await engine.snapshot('a1'), undefined)
    const parts = [new Uint8Array([1, 2]), new Uint8Array([3])]
    await engine.keep('a1', { name: '10', from: 7 }, parts)
    t.match(await engine.snapshot('a1'), { parts: parts.map((part) => Buffer.from(part)), from: 7 })
    await engine.keep('a1', { name: '20', from: 0 }, parts.slice(1))
    t.match(await engine.snapshot('a1'), { parts: [Buffer.from([3])], from: 0 })
  },
)

t.test(
  'F752 the entry of an account that somebody deletes is made again by the node that runs it',
  { skip: NO_SERVERS },
  async (t) => {
    const { engine, line } = await engineOn(t)
    const owned = Promise.withResolvers<number>()
    const nothing = () => undefined
    let placed = 0
    const node = new ClusterNode({
      self: { node: 'n1', inc: randomUUID(), host: 'here', v: 'test' },
      timing: QUICK,
      append: DEFAULT_APPEND_LIMITS,
      engine,
      now: readClocks,
      newId: randomUUID,
      words: new Int32Array(new SharedArrayBuffer(64)),
      origin: readClocks(),
      events: {
        lease: nothing,
        foreign: nothing,
        dead: nothing,
        owned: (_acct, epoch) => owned.resolve(epoch),
        lost: nothing,
        regressed: nothing,
        stalled: nothing,
        otherClient: nothing,
        placed: () => placed++,
        otherDays: nothing,
        registrations: nothing,
      },
    })
    t.teardown(() => node.stop(1_000))
    node.join('a1', { eligible: ['n1'], epochFloor: 0, opensAt: 0, isReal: false })
    node.seat('a1')?.activate(await inTime(owned.promise, 'the account'))
    await turnsUntil(() => placed === 1, 'the entry')
    for (const operation of ['DEL', 'PURGE']) {
      const before = placed
      const headers = { 'KV-Operation': operation }
      await line.request('$KV.CTL.a.a1', new Uint8Array(0), { timeoutMs: CALL_MS, headers })
      await turnsUntil(() => placed > before, `the entry after ${operation}`)
    }
    t.match(await new Kv(line, CONTROL_BUCKET).read('a.a1', CALL_MS), { revision: Number })
  },
)
