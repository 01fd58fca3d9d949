import type {
  CalendarStanding,
  Census,
  CensusNode,
  CensusPlace,
  NodeStanding,
  PlaceStanding,
} from '../../protocol/census.ts'
import { calendarFrom, isSameCalendar } from '../protocol/calendar.ts'
import type { ControlEntry, Now } from '../protocol/effects.ts'
import type { Self } from '../protocol/lease.ts'
import type { NodeRecord, PlacementRecord } from '../protocol/records.ts'
import { interruptionMs, type Timing } from '../protocol/timing.ts'

/** A record of a node, and when the watch last showed a word of its own. Monotonic. */
export interface Sighting {
  readonly record: NodeRecord
  readonly revision: number
  /** undefined: its last word was spoken before anybody looked. */
  readonly heardMs: number | undefined
}

/**
 * What is known of a node once the watch shows this record; undefined: nothing new. A watch that was opened anew tells
 * what was told before, and a fence is the word of another: neither is anything heard of the node.
 */
export function sighted(
  before: Sighting | undefined,
  { record, revision }: Pick<Sighting, 'record' | 'revision'>,
  { monoMs }: Now,
): Sighting | undefined {
  if (revision <= (before?.revision ?? 0)) return
  if (record.state === 'fenced') {
    const isSame = before?.record.inc === record.inc
    return { record, revision, heardMs: isSame ? before.heardMs : undefined }
  }
  const isOld = before === undefined && record.state === 'gone'
  return { record, revision, heardMs: isOld ? undefined : monoMs }
}

interface Sights {
  readonly sightings: Iterable<Sighting>
  readonly placements: Iterable<readonly [acct: string, ControlEntry<PlacementRecord>]>
  /** Accounts that were registered at run time, and are no more: their records stay on the servers. */
  readonly unregistered: ReadonlySet<string>
  /** Since when the watch tells of the present; undefined: it does not. Monotonic. */
  readonly currentMs: number | undefined
  readonly leaseMs: number
  readonly echoMs: number | undefined
  readonly timing: Timing
  readonly self: Looker
}
/** The one that looks. */
type Looker = Pick<Self, 'node' | 'days' | 'rules'> & {
  readonly otherClient: readonly string[]
}

/** Of the record of a node. One of an earlier life of the looker tells days of a configuration of then. */
export function calendarStanding(
  { node, years }: Pick<NodeRecord, 'node' | 'years'>,
  self: Pick<Self, 'node' | 'days'>,
  { wallMs }: Now,
): CalendarStanding {
  if (node === self.node) return 'same'
  if (years === undefined || self.days === undefined) return 'unknown'
  return isSameCalendar(years, self.days, calendarFrom(wallMs)) ? 'same' : 'other'
}

/** What the watch has shown, in words for people. A hint, as everything that it shows: nothing is decided by it. */
export function censusOf(sights: Sights, now: Now): Census {
  const { currentMs, leaseMs, echoMs, timing, self } = sights
  const { monoMs } = now
  const lives = new Map<string, Life>()
  const nodes = [...sights.sightings].map(({ record, heardMs }): CensusNode => {
    const standing = standingOfNode(record, { heardMs, currentMs, monoMs, timing })
    const { node, inc, v: version, by: fencedBy } = record
    lives.set(node, { inc, standing })
    const heardMsAgo = heardMs === undefined ? undefined : Math.max(0, monoMs - heardMs)
    const closedDays = calendarStanding(record, self, now)
    const { rules, otherClient } = node === self.node ? self : record
    return { node, standing, version, heardMsAgo, fencedBy, closedDays, rules, otherClient }
  })
  return {
    isCurrent: currentMs !== undefined,
    nodes: nodes.toSorted((a, b) => (a.node < b.node ? -1 : 1)),
    places: placesOf(sights, lives),
    leaseMs,
    echoMsAgo: echoMs === undefined ? undefined : Math.max(0, monoMs - echoMs),
  }
}

/** One that nobody runs and that was unregistered is no place any more: nobody is to take it over. */
function placesOf(
  { placements, unregistered }: Pick<Sights, 'placements' | 'unregistered'>,
  lives: ReadonlyMap<string, Life>,
): readonly CensusPlace[] {
  const places = Array.from(placements, ([accountId, { value }]): CensusPlace => {
    const { node, e: epoch } = value
    return { accountId, node, epoch, owner: ownerOf(value, lives.get(node)) }
  })
  return places.filter(({ accountId, owner }) => owner !== 'none' || !unregistered.has(accountId))
}

interface Life {
  readonly inc: string
  readonly standing: NodeStanding
}

const OWNERS: Readonly<Record<NodeStanding, CensusPlace['owner']>> = {
  up: 'there',
  draining: 'there',
  silent: 'silent',
  fenced: 'none',
  gone: 'none',
  unknown: 'unknown',
}

function ownerOf({ inc, state }: PlacementRecord, life: Life | undefined): CensusPlace['owner'] {
  if (life?.standing === 'unknown') return 'unknown'
  return state === 'active' && life?.inc === inc ? OWNERS[life.standing] : 'none'
}

interface Heard {
  readonly heardMs: number | undefined
  readonly currentMs: number | undefined
  readonly monoMs: number
  readonly timing: Timing
}

/** Who was blind for a while has not heard the others either, and counts their silence anew. */
function standingOfNode(
  { state }: NodeRecord,
  { heardMs, currentMs, monoMs, timing }: Heard,
): NodeStanding {
  if (currentMs === undefined) return 'unknown'
  const isLive = state === 'up' || state === 'draining'
  const isSilent = monoMs - Math.max(heardMs ?? currentMs, currentMs) > interruptionMs(timing)
  return isLive && isSilent ? 'silent' : state
}

/** Who runs an account, or could: `eligible` are the nodes that may, undefined where that is not known here. */
export function placeStanding(
  { isCurrent, nodes }: Pick<Census, 'isCurrent' | 'nodes'>,
  accountId: string,
  place: CensusPlace | undefined,
  eligible: readonly string[] | undefined,
): PlaceStanding {
  if (!isCurrent || place?.owner === 'unknown') return 'unknown'
  if (place?.owner === 'there') return 'running'
  if (place?.owner === 'silent') return 'owner_silent'
  const isComing = nodes.some(
    ({ node, standing, otherClient }) =>
      standing === 'up' &&
      (eligible?.includes(node) ?? true) &&
      otherClient?.includes(accountId) !== true,
  )
  return isComing ? 'taking_over' : 'no_owner'
}
