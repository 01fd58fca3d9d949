import {
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import {
  CONTROL_BUCKET,
  journalStream,
  SHARDS,
  SNAPSHOT_BUCKET,
  shardSubjects,
} from '../protocol/subjects.ts'
import { CODES } from './engine-error.ts'
import { bucketStream, keyPrefix } from './kv.ts'
import type { Line } from './line.ts'

/** How large what the servers keep may grow, and on how many of them it stands. */
export interface StreamSettings {
  /** Servers that have each record: 3, or 1 where there is a single server. */
  readonly replicas: 1 | 3 | 5
  /** Of each of the four streams of journals. A full one takes nothing new, and forgets nothing. */
  readonly journalBytesMax: number
  readonly controlBytesMax: number
  readonly snapshotBytesMax: number
  /** Longest record, and longest snapshot. */
  readonly recordBytesMax: number
}

/** A setting of a stream that is another one than it must be. */
export interface StreamDifference {
  readonly setting: string
  readonly is: unknown
  readonly should: unknown
}

/** What was found of one stream. `missing`: it is not there, and was not made. */
export interface StreamFinding {
  readonly stream: string
  readonly state: 'made' | 'present' | 'missing'
  /** Empty when it is as it must be. Nothing is changed here: some of it cannot be without losing what stands there. */
  readonly differences: readonly StreamDifference[]
}

type Wanted = Partial<StreamConfig> & { readonly name: string }

/** What a snapshot is followed by until it is known to be readable. */
const SNAPSHOTS_KEPT = 2

/** All streams of a cluster, with the settings that the protocol stands on. */
function wantedStreams(settings: StreamSettings): readonly Wanted[] {
  const shared = {
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: settings.replicas,
    // A full stream refuses what is new. The other policy would forget the oldest.
    discard: DiscardPolicy.New,
    max_msgs: -1,
    max_age: 0,
    max_msg_size: settings.recordBytesMax,
    deny_delete: true,
    deny_purge: false,
  } as const
  const journals = Array.from({ length: SHARDS }, (_, shard) => ({
    ...shared,
    name: journalStream(shard),
    subjects: [shardSubjects(shard)],
    max_bytes: settings.journalBytesMax,
    max_msgs_per_subject: -1,
    // Only the leader answers what stands at the end of a journal.
    allow_direct: false,
    allow_rollup_hdrs: false,
    republish: { src: shardSubjects(shard), dest: `ev.${shardSubjects(shard)}` },
  }))
  const bucket = (name: string) => ({
    ...shared,
    name: bucketStream(name),
    subjects: [`${keyPrefix(name)}>`],
    allow_rollup_hdrs: true,
  })
  const control = {
    ...bucket(CONTROL_BUCKET),
    max_bytes: settings.controlBytesMax,
    max_msgs_per_subject: 1,
    allow_direct: false,
  }
  const snapshots = {
    ...bucket(SNAPSHOT_BUCKET),
    max_bytes: settings.snapshotBytesMax,
    max_msgs_per_subject: SNAPSHOTS_KEPT,
    allow_direct: true,
  }
  return [...journals, control, snapshots]
}

/**
 * Makes the streams that are not there; those that are stay as they are, and what differs is told. It needs a user that
 * may make streams. May be repeated. `timeoutMs` is for each call.
 *
 * Errors  those of the client: no answer, no right.
 */
export function provision(
  line: Line,
  settings: StreamSettings,
  timeoutMs: number,
): Promise<readonly StreamFinding[]> {
  return lookThrough(line, settings, { timeoutMs, makes: true })
}

/** What the streams are, without making any. Errors  those of the client: no answer, no right. */
export function examineStreams(
  line: Line,
  settings: StreamSettings,
  timeoutMs: number,
): Promise<readonly StreamFinding[]> {
  return lookThrough(line, settings, { timeoutMs, makes: false })
}

async function lookThrough(
  line: Line,
  settings: StreamSettings,
  how: { timeoutMs: number; makes: boolean },
): Promise<readonly StreamFinding[]> {
  const options = { checkAPI: false, timeout: how.timeoutMs }
  const { streams } = await jetstreamManager(line.connection, options)
  const findings: StreamFinding[] = []
  for (const wanted of wantedStreams(settings)) {
    const stream = wanted.name
    const found = await streams.info(stream).catch(absentOrThrow)
    if (found !== undefined) {
      findings.push({ stream, state: 'present', differences: differences(found.config, wanted) })
    } else if (how.makes) {
      // Of two that make it at once both are right: the settings are the same.
      const made = await streams.add(wanted)
      findings.push({ stream, state: 'made', differences: differences(made.config, wanted) })
    } else {
      findings.push({ stream, state: 'missing', differences: [] })
    }
  }
  return findings
}

function absentOrThrow(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.code === CODES.noStream) return undefined
  throw error
}

/** Settings that are not as they must be; those that are not named here are the operator's. */
export function differences(
  found: Partial<StreamConfig>,
  wanted: Partial<StreamConfig>,
): readonly StreamDifference[] {
  return Object.entries(wanted).flatMap(([setting, should]) => {
    const is = found[setting as keyof StreamConfig]
    return JSON.stringify(is) === JSON.stringify(should) ? [] : [{ setting, is, should }]
  })
}

const NO_ROOM: ReadonlySet<number> = new Set([CODES.noStorage, CODES.noResources, CODES.overLimits])

/** Whether the servers have refused to make a stream for want of room. */
export const isWithoutRoom = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (NO_ROOM.has(error.code) || (error.code === CODES.noPeers && /storage/.test(error.message)))

const MIB = 1_048_576

/** What each server with a copy of all streams sets aside for them. */
export const roomMib = (settings: StreamSettings): number =>
  wantedStreams(settings).reduce((sum, { max_bytes: bytes = 0 }) => sum + bytes, 0) / MIB
