import t from 'tap'
import {
  COMMIT_PARTS_MAX,
  EPOCH_MAX,
  OPEN_INTENTS_MAX,
  parseJournalRecord,
  parseNodeRecord,
  parsePlacementRecord,
} from '../../../src/cluster/protocol/records.ts'
import { nodeOf, recordOf, uuid } from './fixtures/values.ts'

const PART = { t: 'part', index: 1, count: 2, bytes: new Uint8Array([1]) } as const

const fieldOf = (parsed: ReturnType<typeof parseJournalRecord>) =>
  parsed.ok ? undefined : parsed.error.field

t.test('a record of the journal is read as it was written', async (t) => {
  const commits = [new Uint8Array([1, 2])]
  for (const record of [
    recordOf(),
    recordOf({ body: { t: 'release' } }),
    recordOf({ body: PART }),
    recordOf({ body: { t: 'left' } }),
    recordOf({ body: { t: 'commits', commits }, open: [{ id: 'a', deadlineMs: 5 }] }),
  ]) {
    const parsed = parseJournalRecord(record)
    t.ok(parsed.ok)
    if (parsed.ok) t.strictSame(parsed.value, record)
  }
})

t.test('what is no record is refused by the field', async (t) => {
  const open = Array.from({ length: OPEN_INTENTS_MAX + 1 }, (_, i) => ({
    id: `${i}`,
    deadlineMs: 1,
  }))
  const wrong: readonly (readonly [string, object])[] = [
    ['fmt', { fmt: 2 }],
    ['rid', { rid: 'mine' }],
    ['e', { e: 0 }],
    ['e', { e: EPOCH_MAX + 1 }],
    ['e', { e: 1.5 }],
    ['n', { n: 0 }],
    ['node', { node: 'N 1' }],
    ['inc', { inc: uuid(1).toUpperCase().replace('0', 'A') }],
    ['since', { since: 0 }],
    ['prev', { prev: 'ab' }],
    ['open', { open }],
    ['open', { open: [{ id: '', deadlineMs: 1 }] }],
    ['open', { open: [{ id: 'a', deadlineMs: '1' }] }],
    ['body', { body: { t: 'other' } }],
    ...[
      { index: 2 },
      { index: -1 },
      { index: 0.5 },
      { count: 1 },
      { count: COMMIT_PARTS_MAX + 1 },
      { bytes: 'text' },
    ].map((fields) => ['body', { body: { ...PART, ...fields } }] as const),
    ['body', { body: { t: 'commits', commits: [] } }],
    ['body', { body: { t: 'commits', commits: ['text'] } }],
    ['body', { body: { t: 'commits', commits: Array(17).fill(new Uint8Array()) } }],
  ]
  for (const [field, fields] of wrong) {
    t.equal(
      fieldOf(parseJournalRecord({ ...recordOf(), ...fields })),
      field,
      JSON.stringify(fields).slice(0, 80),
    )
  }
  for (const value of [undefined, null, 1, 'text']) t.equal(fieldOf(parseJournalRecord(value)), '')
})

t.test('records of nodes and placements likewise', async (t) => {
  t.ok(parseNodeRecord(nodeOf()).ok)
  t.ok(parseNodeRecord(nodeOf({ state: 'fenced', by: 'n2' })).ok)
  for (const fields of [
    { state: 'well' },
    { ttlMs: 0 },
    { ttlMs: 3_600_001 },
    { by: '' },
    { host: '' },
  ]) {
    t.notOk(parseNodeRecord({ ...nodeOf(), ...fields }).ok, JSON.stringify(fields))
  }
  const placement = { node: 'n1', inc: uuid(1), e: 1, seq: 1, state: 'active' }
  t.ok(parsePlacementRecord(placement).ok, 'of a release that does not say by which client')
  t.ok(parsePlacementRecord({ ...placement, isReal: true }).ok)
  for (const fields of [{ state: 'up' }, { seq: 0 }, { e: 0 }, { node: 'a.b' }, { isReal: 1 }]) {
    t.notOk(parsePlacementRecord({ ...placement, ...fields }).ok, JSON.stringify(fields))
  }
  t.notOk(parseNodeRecord(null).ok)
  t.notOk(parsePlacementRecord(null).ok)
})
