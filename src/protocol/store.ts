/** Tables of an account database. One spelling, used by every reader and writer. */
export const TABLE = {
  meta: 'meta',
  journal: 'journal',
  positions: 'positions',
  orders: 'orders',
  /** Deal key → serial number of the record, so that the same deal is booked once. */
  deals: 'deals',
  records: 'records',
  /** Serial number of a record → what a person has written beside it. */
  fillNotes: 'fillNotes',
  settings: 'settings',
  /** What was found to differ at the broker, by serial number. */
  differences: 'differences',
  /** Key of a request for several stocks → its orders. */
  batches: 'batches',
  /** Key of an order that was refused here → the refusal. */
  denials: 'denials',
  /** Grids with their trackers, cool-downs and open ends of the ledger, by number. */
  gridSessions: 'gridSessions',
  /** Client order id → what the grid knows of the order. */
  gridOrders: 'gridOrders',
  /** Number of the session and of the row → booked fill, lot, match: written, read by the page. */
  gridTrades: 'gridTrades',
  gridLots: 'gridLots',
  gridMatches: 'gridMatches',
  /** By name. */
  gridTemplates: 'gridTemplates',
  /** What each holding has cost, by code. */
  costBooks: 'costBooks',
  /** Exchange day and number → a sale with what it has earned, a holding that was closed; for ever. */
  sales: 'sales',
  closedPositions: 'closedPositions',
  /** Minute since 1970 → what the account was worth; of the newest day only. */
  equityMinutes: 'equityMinutes',
  /** Exchange day → the last that was known of it; for ever. */
  equityDays: 'equityDays',
} as const
export type TableName = (typeof TABLE)[keyof typeof TABLE]

/** Strings sort as text, numbers as numbers, numbers before strings. */
export type Key = string | number
export interface Row {
  readonly key: Key
  /** Encoded by the codec; the store does not look inside. */
  readonly value: Uint8Array
}
export interface RowChange {
  readonly table: TableName
  readonly key: Key
  /** null deletes. */
  readonly value: Uint8Array | null
}

/** One event of the journal, before the store adds the hash of the one before. */
export interface JournalEntry {
  /** 1, 2, 3 … without a gap, per account. */
  readonly seq: number
  /** Epoch milliseconds of the market clock. */
  readonly timeMs: number
  readonly kind: string
  /** Encoded by the codec. */
  readonly body: Uint8Array
}

/** As stored: chained by SHA-256, so that a removed or changed event is seen. */
export interface StoredEntry extends JournalEntry {
  readonly epoch: number
  readonly previous: Uint8Array
  readonly hash: Uint8Array
}

/** A place in a journal: everything up to and with this entry. */
export interface JournalMark {
  /** 0 before the first entry. */
  readonly seq: number
  readonly hash: Uint8Array
  /** Of that entry: epochs never fall along a journal. */
  readonly epoch: number
}

/** Everything in one transaction, flushed before the answer, refused whole when the epoch is not the newest. */
export interface Commit {
  readonly entries: readonly JournalEntry[]
  readonly changes: readonly RowChange[]
}

export interface RangeQuery {
  readonly table: TableName
  /** Inclusive; absent = from the end in question. */
  readonly from?: Key
  readonly to?: Key
  readonly reverse?: boolean
  /** At most `STORE_RANGE_MAX` rows come back in one answer. */
  readonly limit: number
  /** A few rows of what was written lately: whoever writes them looks, and need not bring them to the database first. */
  readonly isRecent?: true
}
export const STORE_RANGE_MAX = 10_000

/** What an account finds when it opens its database: every small table whole. */
export interface Opened {
  readonly epoch: number
  /** Number of the last journal entry, 0 when none. */
  readonly seq: number
  readonly tables: { readonly [T in TableName]?: readonly Row[] }
  /** The last time that this database was put back from a backup; absent or null: never. */
  readonly restored?: Restored | null
}

/** That a database is older than what the trading client has seen. */
export interface Restored {
  /** Names this restore: each is dealt with once. */
  readonly mark: string
  /** Of the database as it was found. */
  readonly fromEpoch: number
  /** Highest that the trading client has seen; 0 when it could not say. */
  readonly clientEpoch: number
}

/** Requests to the store thread. `account` requests come over the port introduced for that account. */
export type StoreRequest =
  | { readonly kind: 'open'; readonly tables: readonly TableName[] }
  | { readonly kind: 'commit'; readonly epoch: number; readonly commit: Commit }
  | { readonly kind: 'range'; readonly query: RangeQuery }
  /** Answered when all that was sent before is on disk, or waits for disk space: then others may read. */
  | { readonly kind: 'settle' }
  /** The trading client has seen an owner of this epoch, later than ours. The next claim goes beyond it. */
  | { readonly kind: 'clientAhead'; readonly epoch: number; readonly clientEpoch: number }

export interface StoreReplies {
  open: Opened
  commit: null
  range: readonly Row[]
  settle: null
  clientAhead: null
}

/** To the thread that reads beside the store, over the port introduced for an account. */
export interface ReaderRequest {
  readonly kind: 'range'
  readonly query: RangeQuery
}
/** By the main thread, about one account. */
export type ReaderControl =
  /** The account is closed when it is answered. */
  | { readonly kind: 'leave'; readonly accountId: string }
  /** Writes the next segment of the journal, or finds one whose entries the database still has. */
  | {
      readonly kind: 'archive'
      readonly accountId: string
      readonly nowMs: number
      /** Trading days, and entries at most, that stay in the database. */
      readonly keepDays: number
      readonly keepEntries: number
    }
  /** Which segments are older than so many days. */
  | {
      readonly kind: 'expired'
      readonly accountId: string
      readonly nowMs: number
      readonly keepDays: number
    }
  /** Deletes those that the store has noted as no longer kept. */
  | { readonly kind: 'drop'; readonly accountId: string }

export interface ReaderControlReplies {
  leave: null
  /** Up to where the database may forget; null: nothing is due. */
  archive: JournalMark | null
  /** Up to where nothing need be kept; null: all of it. */
  expired: JournalMark | null
  /** How many. */
  drop: number
}

/**
 * Ownership and process-wide records, asked by the main thread over the control port.
 * `inspect` says who owns an account; `claim` raises the epoch if it still is `expected`.
 */
export type StoreControl =
  | { readonly kind: 'inspect'; readonly accountId: string }
  | {
      readonly kind: 'claim'
      readonly accountId: string
      readonly expected: number
      /** The epoch to have then, above `expected` and above what the trading client has seen. */
      readonly epoch?: number | undefined
      readonly owner: OwnerRecord
      /** The journal of a cluster has given the epoch: what it keeps is read, and all that follows is kept there first. */
      readonly isReplicated?: boolean
    }
  | { readonly kind: 'release'; readonly accountId: string }
  /** How the account stands to a cluster from now on; null: to none. */
  | { readonly kind: 'mark'; readonly accountId: string; readonly mark: ClusterMark | null }
  /** Its cluster is lost for good: it is run here alone, as an account that was put back from a backup. */
  | { readonly kind: 'lost'; readonly accountId: string }
  /** Gives all that is here to the cluster, as what its journal is to begin with. */
  | { readonly kind: 'hand'; readonly accountId: string }
  /** Where the journal on disk ends. */
  | { readonly kind: 'head'; readonly accountId: string }
  /** This process is done with the account: its database is closed. Asked for again, it is opened again. */
  | { readonly kind: 'leave'; readonly accountId: string }
  /** Removes some of the oldest entries of the journal, which a segment holds up to `upTo`. */
  | {
      readonly kind: 'trim'
      readonly accountId: string
      readonly upTo: JournalMark
      readonly limit: number
    }
  /** Segments up to `mark` are kept no longer: noted before they are deleted. */
  | { readonly kind: 'keepFrom'; readonly accountId: string; readonly mark: JournalMark }
  /** Whether it answers: it does as soon as its disk lets it. */
  | { readonly kind: 'answers' }
  | { readonly kind: 'get'; readonly key: string }
  | { readonly kind: 'put'; readonly key: string; readonly value: Uint8Array | null }
  /** Records whose key begins so, in the order of their keys. */
  | { readonly kind: 'list'; readonly prefix: string; readonly limit: number }
  | { readonly kind: 'flushAndClose' }

/**
 * How the account of a database stands to a cluster. Until it has left, its journal there says who runs it.
 *
 * `joining`  what is here is being given to the cluster
 * `in`       it is in the cluster
 * `leaving`  it is taken out under the epoch `at`, or stays in
 * `left`     it has left behind the record `at` of its journal, and is run here alone
 */
export interface ClusterMark {
  /** Of the cluster. */
  readonly id: string
  readonly state: 'joining' | 'in' | 'leaving' | 'left'
  readonly at: number
}

/** Who owns an account: written by the claim, read by every other process. */
export interface OwnerRecord {
  readonly pid: number
  /** Local socket or named pipe where the owner listens. */
  readonly socket: string
}

export interface StoreControlReplies {
  inspect: {
    readonly epoch: number
    readonly owner: OwnerRecord | null
    /** Highest that the trading client has seen, when it is higher than any owner's here. */
    readonly clientEpoch?: number
    /** How the account stands to a cluster; absent: to none. */
    readonly cluster?: ClusterMark
  }
  claim: {
    readonly claimed: boolean
    readonly epoch: number
    /** Why the account counts as put back from a backup: what was answered last may be lost. */
    readonly problem?: string
  }
  release: null
  mark: null
  lost: null
  hand: null
  head: { readonly seq: number; readonly hash: Uint8Array }
  leave: null
  /** How many are left to remove. */
  trim: number
  keepFrom: null
  answers: null
  get: Uint8Array | null
  put: null
  list: readonly { readonly key: string; readonly value: Uint8Array }[]
  flushAndClose: null
}
