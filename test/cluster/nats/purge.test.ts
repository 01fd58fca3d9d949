import t, { type Test } from 'tap'
import { JournalLog } from '../../../src/cluster/nats/journal-log.ts'
import { Kv } from '../../../src/cluster/nats/kv.ts'
import type { Line } from '../../../src/cluster/nats/line.ts'
import {
  type Purged,
  purgeJournals,
  purgeSnapshots,
  streamBytes,
} from '../../../src/cluster/nats/purge.ts'
import { partKey, readSnapshot, type SnapshotNote } from '../../../src/cluster/nats/snapshots.ts'
import { SNAPSHOT_BUCKET } from '../../../src/cluster/protocol/subjects.ts'
import { encode } from '../../../src/protocol/codec.ts'
import { makeStreams, openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const CALL_MS = 5_000
const FOR_EVER = Number.MAX_SAFE_INTEGER
const noMatter = () => undefined

/** Two journals of five records each, side by side in whichever streams they fall. */
async function begun(t: Test) {
  const [server] = await natsServers(t, { count: 1 })
  const line = await openLine(t, [server?.url ?? ''])
  await makeStreams(line, streamSettings(1))
  const log = new JournalLog(line, { callTimeoutMs: CALL_MS })
  const places: Record<'a1' | 'a2', number[]> = { a1: [], a2: [] }
  for (let count = 1; count <= 5; count++) {
    for (const [acct, seqs] of Object.entries(places)) {
      const to = { expectedSeq: seqs.at(-1) ?? 0, timeoutMs: CALL_MS }
      seqs.push(await log.append(acct, Buffer.from(`${count}`), to))
    }
  }
  const rest = async (acct: string) => {
    const texts: string[] = []
    for await (const { bytes } of log.readFrom(acct, 0)) texts.push(Buffer.from(bytes).toString())
    return texts.join('')
  }
  return { line, log, places, rest }
}

/** As a node keeps it. */
async function keep(line: Line, acct: string, from: number, parts = [Buffer.from('whole')]) {
  const bucket = new Kv(line, SNAPSHOT_BUCKET)
  const note: SnapshotNote = { name: 'one', from, parts: parts.length }
  for (const [part, bytes] of parts.entries()) {
    await bucket.create(partKey(acct, 'one', part), bytes, CALL_MS)
  }
  await bucket.create(acct, encode(note), CALL_MS)
}

async function purge(
  line: Line,
  keepFromMs: number,
  verify: (parts: readonly Uint8Array[]) => void = noMatter,
) {
  const found: Purged[] = []
  const options = { keepFromMs, timeoutMs: CALL_MS, verify }
  for await (const purged of purgeJournals(line, options)) found.push(purged)
  return found.sort((a, b) => a.acct.localeCompare(b.acct))
}

t.test(
  'F203 what a snapshot covers is removed, and nothing else',
  { skip: NO_SERVERS },
  async (t) => {
    const { line, places, rest } = await begun(t)
    await keep(line, 'a1', places.a1[3] ?? 0)
    const before = await streamBytes(line, CALL_MS)
    t.strictSame(await purge(line, FOR_EVER), [
      { acct: 'a1', records: 5, removed: 3 },
      { acct: 'a2', records: 5, removed: undefined, why: 'noSnapshot' },
    ])
    t.equal(await rest('a1'), '45')
    t.equal(await rest('a2'), '12345')
    const taken = (found: typeof before) => found.reduce((sum, { bytes }) => sum + bytes, 0)
    t.ok(taken(await streamBytes(line, CALL_MS)) < taken(before))
    t.match(await purge(line, FOR_EVER), [{ acct: 'a1', records: 2, removed: 0 }, {}], 'once more')
  },
)

t.test(
  'F203 the last record stays, and so do the days that are to be kept',
  { skip: NO_SERVERS },
  async (t) => {
    const { line, log, places, rest } = await begun(t)
    await keep(line, 'a1', 1_000_000)
    await keep(line, 'a2', places.a2[4] ?? 0)
    const third = (await log.timeFrom('a2', places.a2[2] ?? 0)) ?? 0
    t.ok(third > 0)
    t.match(await purge(line, 0), [{ removed: 0 }, { removed: 0 }], 'all of it is young')
    t.equal(await rest('a1'), '12345')
    await purge(line, third)
    t.match(await rest('a2'), /345$/, 'what was taken from then on')
    await purge(line, FOR_EVER)
    t.equal(await rest('a1'), '5')
    t.equal(await rest('a2'), '5')
  },
)

t.test(
  'F203 a snapshot that cannot be read, or was handed over, removes nothing',
  { skip: NO_SERVERS },
  async (t) => {
    const { line, places, rest } = await begun(t)
    await keep(line, 'a1', places.a1[3] ?? 0)
    await keep(line, 'a2', 0)
    const damaged = () => {
      throw new Error('not whole')
    }
    t.match(await purge(line, FOR_EVER, damaged), [
      { removed: undefined, why: 'unreadable', words: 'not whole' },
      { removed: undefined, why: 'unreadable' },
    ])
    t.match(await purge(line, FOR_EVER), [{ removed: 3 }, { removed: 0 }])
    t.equal(await rest('a2'), '12345')
    const bucket = new Kv(line, SNAPSHOT_BUCKET)
    const note = async (value: unknown) => {
      const found = await bucket.read('a2', CALL_MS)
      const at = { revision: found?.revision ?? 0, timeoutMs: CALL_MS }
      await bucket.update('a2', encode(value), at)
    }
    for (const [strange, wanted] of [
      [{ name: 'one', parts: 1 }, { removed: 0 }],
      [{ name: 'one', parts: 1, from: 'x' }, { why: 'unreadable' }],
      [{ name: 'one', parts: 1, from: Number.NaN }, { why: 'unreadable' }],
      [{ name: 'one', parts: 0, from: 9 }, { why: 'unreadable' }],
      [{ name: 'one', from: 9 }, { why: 'unreadable' }],
      ['something else', { why: 'unreadable' }],
    ] as const) {
      await note(strange)
      t.match(await purge(line, FOR_EVER), [{}, wanted])
      t.equal(await rest('a2'), '12345')
    }
    await note({ name: 'one', from: 9, parts: 1 })
    const key = partKey('a2', 'one', 0)
    const part = await bucket.read(key, CALL_MS)
    await bucket.remove(key, { revision: part?.revision ?? 0, timeoutMs: CALL_MS })
    t.match(await purge(line, FOR_EVER), [{}, { why: 'unreadable', words: /part 0/ }])
  },
)

t.test(
  'F996 what somebody who was stopped has kept of a snapshot is removed, and nothing that is named',
  { skip: NO_SERVERS },
  async (t) => {
    const { line, places } = await begun(t)
    const bucket = new Kv(line, SNAPSHOT_BUCKET)
    await keep(line, 'a1', places.a1[3] ?? 0, [Buffer.from('w'), Buffer.from('hole')])
    const lost = async (acct: string) => {
      for (const part of [0, 1]) {
        await bucket.create(partKey(acct, 'lost', part), Buffer.from('lost'), CALL_MS)
      }
    }
    await lost('a1')
    const revision = (await bucket.read(partKey('a1', 'lost', 1), CALL_MS))?.revision ?? 0
    await bucket.remove(partKey('a1', 'lost', 1), { revision, timeoutMs: CALL_MS })
    await lost('a2')
    await bucket.create('a3', Buffer.from('no note'), CALL_MS)
    await lost('a3')
    const options = { keepFromMs: FOR_EVER, timeoutMs: CALL_MS }
    t.equal(await purgeSnapshots(line, options), 0, 'somebody may be keeping it now')
    const young = { ...options, keepFromMs: 0, keepingMsMax: 0 }
    t.equal(await purgeSnapshots(line, young), 0, 'all of it is young')
    const before = await streamBytes(line, CALL_MS)
    t.equal(await purgeSnapshots(line, { ...options, keepingMsMax: 0 }), 2)
    const stands = async (key: string) => {
      const { entry, revision } = await bucket.standing(key, CALL_MS)
      return entry === undefined ? revision : Buffer.from(entry.bytes).toString()
    }
    for (const acct of ['a1', 'a2']) {
      for (const part of [0, 1]) t.equal(await stands(partKey(acct, 'lost', part)), 0, 'no mark')
    }
    t.equal(await stands(partKey('a3', 'lost', 0)), 'lost', 'nobody knows what its note names')
    t.match(await readSnapshot(bucket, 'a1', CALL_MS), { parts: [/w/, /hole/] })
    const [last, first] = [await streamBytes(line, CALL_MS), before].map((found) => found.at(-1))
    t.equal(last?.stream, 'KV_SNAP')
    t.ok((last?.bytes ?? 0) < (first?.bytes ?? 0), 'the room is free again')
    t.equal(await purgeSnapshots(line, { ...options, keepingMsMax: 0 }), 0, 'once more')
  },
)
