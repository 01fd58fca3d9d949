import t from 'tap'
import {
  censusOf,
  placeStanding,
  type Sighting,
  sighted,
} from '../../../src/cluster/node/census.ts'
import type { NodeRecord, PlacementRecord } from '../../../src/cluster/protocol/records.ts'
import { DEFAULT_TIMING } from '../../../src/cluster/protocol/timing.ts'
import type { CensusPlace } from '../../../src/protocol/census.ts'
import { at, nodeOf, uuid } from '../protocol/fixtures/values.ts'

const NOW_MS = 100_000
const placed = (fields: Partial<PlacementRecord> = {}): PlacementRecord => ({
  node: 'n2',
  inc: uuid(2),
  e: 7,
  seq: 1,
  state: 'active',
  ...fields,
})

interface Seen {
  readonly record?: Partial<NodeRecord>
  /** Of its last renewal. */
  readonly agoMs?: number
  /** For which the watch has been current; null: it is not. */
  readonly currentMs?: number | null
  readonly placement?: PlacementRecord
  /** Accounts that n1 has another kind of trading client for. */
  readonly own?: readonly string[]
}

/** Node n2 and one account, as n1 sees them. */
function seen({ record, agoMs = 500, currentMs = 60_000, placement = placed(), own = [] }: Seen) {
  const sighting = (fields: Partial<NodeRecord>, ago: number): Sighting => ({
    record: nodeOf(fields),
    revision: 5,
    heardMs: NOW_MS - ago,
  })
  const census = censusOf(
    {
      sightings: [sighting({ node: 'n2', inc: uuid(2), ...record }, agoMs), sighting({}, 100)],
      placements: [['A', { value: placement, revision: 6 }]],
      unregistered: new Set(),
      currentMs: currentMs === null ? undefined : NOW_MS - currentMs,
      leaseMs: 9_000,
      echoMs: NOW_MS - 100,
      timing: DEFAULT_TIMING,
      self: { node: 'n1', days: '2030:d1', otherClient: own },
    },
    at(NOW_MS),
  )
  const [n1, n2] = census.nodes
  return { census, n1, n2, place: census.places[0] }
}

const MISSED_MS = 3 * DEFAULT_TIMING.renewMs + 1

t.test('a node stands as its record says, as long as it is heard of', async (t) => {
  const cases: readonly (readonly [Seen, string])[] = [
    [{}, 'up'],
    [{ agoMs: MISSED_MS - 1 }, 'up'],
    [{ agoMs: MISSED_MS }, 'silent'],
    [{ record: { state: 'draining' } }, 'draining'],
    [{ record: { state: 'draining' }, agoMs: MISSED_MS }, 'silent'],
    [{ record: { state: 'fenced', by: 'n1' }, agoMs: 3_600_000 }, 'fenced'],
    [{ record: { state: 'gone' }, agoMs: 3_600_000 }, 'gone'],
    // Nobody hears anything while the servers are away, and is not to call the others silent afterwards.
    [{ agoMs: 60_000, currentMs: 500 }, 'up'],
    [{ agoMs: 60_000, currentMs: MISSED_MS }, 'silent'],
    [{ currentMs: null }, 'unknown'],
    [{ record: { state: 'gone' }, currentMs: null }, 'unknown'],
  ]
  for (const [what, standing] of cases) {
    t.equal(seen(what).n2?.standing, standing, JSON.stringify(what))
  }
})

t.test('what a node says of itself is told with its age', async (t) => {
  const { census, n2 } = seen({ record: { v: '2.1.0', state: 'fenced', by: 'n1' } })
  t.strictSame(n2, {
    node: 'n2',
    standing: 'fenced',
    version: '2.1.0',
    heardMsAgo: 500,
    fencedBy: 'n1',
    closedDays: 'unknown',
    rules: undefined,
    otherClient: undefined,
  })
  const days = ['2030:d1', '2030:d2'].map((years) => seen({ record: { years } }).n2?.closedDays)
  t.strictSame(days, ['same', 'other'])
  const former = { days: '1f3a5b7c90d1e2f3' } as Partial<NodeRecord>
  t.equal(seen({ record: former }).n2?.closedDays, 'unknown', 'one digest, of a release before')
  const before = seen({ record: { node: 'n1', years: '2030:d2' } }).n2?.closedDays
  t.equal(before, 'same', 'an earlier life of the one that looks, by a configuration of then')
  t.match(census, { isCurrent: true, leaseMs: 9_000, echoMsAgo: 100 })
})

t.test(
  'an account is owned by the life of the node that took it, and by no later one',
  async (t) => {
    const cases: readonly (readonly [Seen, CensusPlace['owner']])[] = [
      [{}, 'there'],
      [{ record: { state: 'draining' } }, 'there'],
      [{ agoMs: MISSED_MS }, 'silent'],
      [{ record: { inc: uuid(3) } }, 'none'],
      [{ record: { inc: uuid(3) }, agoMs: MISSED_MS }, 'none'],
      [{ record: { state: 'fenced' } }, 'none'],
      [{ record: { state: 'gone' } }, 'none'],
      [{ placement: placed({ state: 'released' }) }, 'none'],
      [{ placement: placed({ node: 'n9' }) }, 'none'],
      [{ currentMs: null }, 'unknown'],
    ]
    for (const [what, owner] of cases) {
      t.equal(seen(what).place?.owner, owner, JSON.stringify(what))
    }
  },
)

t.test('who could run an account decides whether it is about to be taken over', async (t) => {
  const standing = (what: Seen, eligible?: readonly string[]) => {
    const { census, place } = seen(what)
    return placeStanding(census, 'A', place, eligible)
  }
  const over: Seen = { record: { state: 'fenced' } }
  t.equal(standing({}, ['n2']), 'running')
  t.equal(standing({ agoMs: MISSED_MS }, ['n1', 'n2']), 'owner_silent')
  t.equal(standing(over, ['n1', 'n2']), 'taking_over')
  t.equal(standing(over, ['n2']), 'no_owner', 'only the one that is lost may run it')
  t.equal(standing(over, []), 'no_owner')
  t.equal(standing(over), 'taking_over', 'who may run it is not known here')
  t.equal(standing({ currentMs: null }, ['n1']), 'unknown')
  t.equal(
    placeStanding(seen({}).census, 'A', undefined, ['n1']),
    'taking_over',
    'shown nowhere yet',
  )
  t.equal(placeStanding(seen({ currentMs: null }).census, 'A', undefined, ['n1']), 'unknown')
})

t.test('F1000 a node by another kind of trading client is nobody who takes it over', async (t) => {
  const standing = (what: Seen) => {
    const { census, place } = seen(what)
    return placeStanding(census, 'A', place, ['n1', 'n2'])
  }
  const released = placed({ state: 'released' })
  const gone: Seen = { record: { state: 'gone' }, placement: released }
  t.equal(standing({ ...gone, own: ['B'] }), 'taking_over')
  t.equal(standing({ ...gone, own: ['A', 'B'] }), 'no_owner')
  const other: Seen = { record: { otherClient: ['A'] }, placement: released }
  t.equal(standing(other), 'taking_over', 'by the one that looks')
  t.equal(standing({ ...other, own: ['A'] }), 'no_owner')
  t.match(seen({ ...other, own: ['B'] }), {
    n1: { otherClient: ['B'] },
    n2: { otherClient: ['A'] },
  })
})

t.test('only a word of the node itself is something heard of it', async (t) => {
  const up = nodeOf({ node: 'n2', inc: uuid(2) })
  const first = sighted(undefined, { record: up, revision: 5 }, at(1_000))
  t.match(first, { revision: 5, heardMs: 1_000 })
  t.equal(sighted(first, { record: up, revision: 5 }, at(9_000)), undefined, 'told again')
  t.match(sighted(first, { record: up, revision: 6 }, at(3_000)), { heardMs: 3_000 })
  const fence = { record: { ...up, state: 'fenced' as const, by: 'n1' }, revision: 7 }
  t.match(sighted(first, fence, at(20_000)), { record: fence.record, heardMs: 1_000 })
  t.equal(sighted(undefined, fence, at(20_000))?.heardMs, undefined, 'silent before we looked')
  const otherLife = { ...fence, record: { ...fence.record, inc: uuid(3) } }
  t.equal(sighted(first, otherLife, at(20_000))?.heardMs, undefined)
  const gone = { record: { ...up, state: 'gone' as const }, revision: 8 }
  t.equal(sighted(first, gone, at(30_000))?.heardMs, 30_000)
  t.equal(sighted(undefined, gone, at(30_000))?.heardMs, undefined, 'it left before we looked')
})
