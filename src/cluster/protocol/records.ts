import { err, ok, type Result } from '../../domain/result.ts'
import { INCARNATION, NODE_ID } from './subjects.ts'

/** Format of the journal that this version writes, and the highest that it reads. */
export const JOURNAL_FORMAT = 1
/** Epochs fit a word of shared memory with room for the sign: one a second lasts 68 years. */
export const EPOCH_MAX = 2 ** 31 - 1
/** Orders of an account that may be under way at once: they stand in every record. */
export const OPEN_INTENTS_MAX = 256
/** Commits that one record carries at most. */
export const RECORD_COMMITS_MAX = 16
/** Records over which one commit may be spread. */
export const COMMIT_PARTS_MAX = 16_384

/** An order or cancel that may be told to a trading client, once, by whoever has written it. */
export interface Intent {
  readonly id: string
  /** Wall clock of the writer, epoch ms: the call must have begun by then. */
  readonly deadlineMs: number
}

export type RecordBody =
  /** Its writer takes the account over. */
  | { readonly t: 'epoch' }
  /** Its writer gives the account up in order: anybody may take it over at once. */
  | { readonly t: 'release' }
  /** Its writer takes the account out of the cluster: nobody takes it over, until it is opened again behind this. */
  | { readonly t: 'left' }
  /** What the account has decided, encoded elsewhere. */
  | { readonly t: 'commits'; readonly commits: readonly Uint8Array[] }
  /** One of `count` parts of a commit that no record has room for, from 0 on; its writer writes nothing between them. */
  | {
      readonly t: 'part'
      readonly index: number
      readonly count: number
      readonly bytes: Uint8Array
    }

/** One message of an account's journal. */
export interface JournalRecord {
  /** A record is told apart by this alone, never by where it stands. UUID. */
  readonly rid: string
  readonly fmt: typeof JOURNAL_FORMAT
  /** Epoch of the writer, 1 … EPOCH_MAX. */
  readonly e: number
  /** Count of records in this journal: 1 for the first. */
  readonly n: number
  readonly node: string
  readonly inc: string
  /**
   * Revision of the writer's own record in `CTL` under which it took over. Whatever was written
   * there before says nothing about this life of the node: an old answer must not depose it.
   */
  readonly since: number
  /** Hex SHA-256 of the bytes of the record before; '' for the first. */
  readonly prev: string
  /** Intents without an outcome after this record: a successor needs to read no other. */
  readonly open: readonly Intent[]
  readonly body: RecordBody
}

/**
 * `up`        may own accounts
 * `draining`  owns what it has not released yet, and takes no more
 * `fenced`    was silent too long, and may never act again
 * `gone`      has ended in order
 */
export type NodeState = 'up' | 'draining' | 'fenced' | 'gone'

/** What stands under `n.<node>`. */
export interface NodeRecord {
  readonly node: string
  readonly inc: string
  /** Id of the computer. */
  readonly host: string
  readonly state: NodeState
  /** Others wait for this and a margin of silence. ms */
  readonly ttlMs: number
  /** Version of the program. */
  readonly v: string
  /** Who fenced it. */
  readonly by?: string
  /** Its disk has no room: another node should run what it may. Earlier releases do not say. */
  readonly isFull?: boolean
  /**
   * The days on which its exchange is closed, as a digest of each year. Earlier releases do not say: what stands under
   * `days` there is one digest of all years, and none of both is compared with the other.
   */
  readonly years?: string
  /** What of its file decides how it runs an account, as digests. Earlier releases do not say. */
  readonly rules?: string
  /**
   * Accounts that its file has run by the other kind of trading client than they live with, real or embedded: it takes
   * none of them over. No more than {@link OTHER_CLIENT_MAX} are named. Earlier releases do not say.
   */
  readonly otherClient?: readonly string[]
}

/** Fences a life of which no record is left. */
export const fenceOf = (
  { node, inc }: Pick<NodeRecord, 'node' | 'inc'>,
  by: string,
  ttlMs: number,
): NodeRecord => ({ node, inc, host: '?', state: 'fenced', ttlMs, v: '?', by })

/** What stands under `a.<acct>`. */
export interface PlacementRecord {
  readonly node: string
  readonly inc: string
  readonly e: number
  /** Of the epoch record, or of the release. */
  readonly seq: number
  readonly state: 'active' | 'released'
  /** Whether the trading client behind it is a real one, not the embedded one. Earlier releases do not say. */
  readonly isReal?: boolean
}

/** Why plain values are no such record: a field and what is wrong with it. */
export interface RecordFault {
  readonly field: string
  readonly text: string
}
type Parsed<T> = Result<T, RecordFault>
type Fields = Readonly<Record<string, unknown>>

const RID = INCARNATION
const HASH = /^([0-9a-f]{64})?$/
const TEXT_MAX = 256
/** All settings of both sections, each with its digest, are some 6,000. */
const RULES_CHARS_MAX = 16_384
/** They travel with every renewal, until somebody has mended the file. */
export const OTHER_CLIENT_MAX = 1_000
const TTL_MS_MAX = 3_600_000
const NODE_STATES: ReadonlySet<unknown> = new Set<NodeState>(['up', 'draining', 'fenced', 'gone'])

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= TEXT_MAX
const isMatch = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value)
const isCount =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max

type Check = (value: unknown) => boolean

/** The first field that is not as it must be. */
function faultOf(fields: Fields, checks: Readonly<Record<string, Check>>): RecordFault | undefined {
  for (const [field, isRight] of Object.entries(checks)) {
    if (!isRight(fields[field])) return { field, text: `${typeof fields[field]} is not allowed` }
  }
  return
}

const asFields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null ? (value as Fields) : undefined

/** Plain values from the wire. */
function parsed<R extends object>(
  value: unknown,
  checks: Readonly<Record<keyof R & string, Check>>,
): Parsed<R> {
  const fields = asFields(value)
  if (fields === undefined) return err({ field: '', text: 'a record has fields' })
  const fault = faultOf(fields, checks)
  return fault === undefined ? ok(fields as unknown as R) : err(fault)
}

const isIntent: Check = (value) => {
  const fields = asFields(value)
  return fields !== undefined && isText(fields['id']) && isCount(0)(fields['deadlineMs'])
}
const isOpen: Check = (value) =>
  Array.isArray(value) && value.length <= OPEN_INTENTS_MAX && value.every(isIntent)

const isPart = ({ index, count, bytes }: Fields): boolean =>
  isCount(2, COMMIT_PARTS_MAX)(count) &&
  isCount(0, (count as number) - 1)(index) &&
  bytes instanceof Uint8Array

const PLAIN_BODIES: ReadonlySet<unknown> = new Set<RecordBody['t']>(['epoch', 'release', 'left'])
const isBody: Check = (value) => {
  const body = asFields(value)
  if (PLAIN_BODIES.has(body?.['t'])) return true
  if (body?.['t'] === 'part') return isPart(body)
  const commits = body?.['commits']
  if (body?.['t'] !== 'commits' || !Array.isArray(commits)) return false
  const isFit = commits.length > 0 && commits.length <= RECORD_COMMITS_MAX
  return isFit && commits.every((commit) => commit instanceof Uint8Array)
}

const JOURNAL_CHECKS: Readonly<Record<keyof JournalRecord, Check>> = {
  fmt: (value) => value === JOURNAL_FORMAT,
  rid: isMatch(RID),
  e: isCount(1, EPOCH_MAX),
  n: isCount(1),
  node: isMatch(NODE_ID),
  inc: isMatch(INCARNATION),
  since: isCount(1),
  prev: isMatch(HASH),
  open: isOpen,
  body: isBody,
}

/** A format of later versions is a fault of the field `fmt`. */
export const parseJournalRecord = (value: unknown): Parsed<JournalRecord> =>
  parsed<JournalRecord>(value, JOURNAL_CHECKS)

const NODE_CHECKS: Readonly<Record<keyof NodeRecord, Check>> = {
  node: isMatch(NODE_ID),
  inc: isMatch(INCARNATION),
  host: isText,
  state: (value) => NODE_STATES.has(value),
  ttlMs: isCount(1, TTL_MS_MAX),
  v: isText,
  by: (value) => value === undefined || isMatch(NODE_ID)(value),
  isFull: (value) => value === undefined || typeof value === 'boolean',
  years: (value) => value === undefined || value === '' || isText(value), // none is known
  rules: (value) =>
    value === undefined || (typeof value === 'string' && value.length <= RULES_CHARS_MAX),
  otherClient: (value) =>
    value === undefined ||
    (Array.isArray(value) && value.length <= OTHER_CLIENT_MAX && value.every(isText)),
}

export const parseNodeRecord = (value: unknown): Parsed<NodeRecord> =>
  parsed<NodeRecord>(value, NODE_CHECKS)

const PLACEMENT_CHECKS: Readonly<Record<keyof PlacementRecord, Check>> = {
  node: isMatch(NODE_ID),
  inc: isMatch(INCARNATION),
  e: isCount(1, EPOCH_MAX),
  seq: isCount(1),
  state: (value) => value === 'active' || value === 'released',
  isReal: (value) => value === undefined || typeof value === 'boolean',
}

export const parsePlacementRecord = (value: unknown): Parsed<PlacementRecord> =>
  parsed<PlacementRecord>(value, PLACEMENT_CHECKS)
