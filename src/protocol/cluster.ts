import type { WireError } from '../domain/errors.ts'
import type { Census } from './census.ts'
import type { KeptSnapshot, ReplicatedBooks, ReplicatedCommit } from './journal.ts'

/** From the store to the thread of the cluster: the journals, over the port `journal`. */
export type JournalRequest =
  | {
      readonly kind: 'append'
      readonly accountId: string
      readonly commit: ReplicatedCommit
      /** Of the commit among all of the account. */
      readonly number: number
    }
  | { readonly kind: 'read'; readonly accountId: string }
  | {
      readonly kind: 'keep'
      readonly accountId: string
      readonly snapshot: KeptSnapshot
    }
export interface JournalReplies {
  append: number
  read: ReplicatedBooks
  keep: null
}

/** From the main thread to that of the cluster. */
export type ClusterRequest =
  /** The account may be run here from now on. `epoch`: highest that its database here has had. */
  | {
      readonly kind: 'join'
      readonly accountId: string
      readonly slot: number
      readonly eligible: readonly string[]
      readonly epoch: number
      /** Behind which record its journal may be opened here; undefined: it is not opened here. */
      readonly opensAt: number | undefined
      /** Whether it would be run here by a real trading client. */
      readonly isReal: boolean
    }
  /** What the servers have of it. Errors  `NOT_OWNER`: they do not answer. */
  | { readonly kind: 'about'; readonly accountId: string }
  /** Its actor is up: gateways are sent here. */
  | { readonly kind: 'activate'; readonly accountId: string; readonly epoch: number }
  /** Its actor has stopped, and nobody here takes it over any more: `left`, nobody elsewhere either. */
  | { readonly kind: 'leave'; readonly accountId: string; readonly closing?: 'release' | 'left' }
  /** A call to an account that runs elsewhere; answered by the encoded {@link RemoteReply} of its node. */
  | {
      readonly kind: 'call'
      readonly accountId: string
      readonly body: Uint8Array
      /** Whether it may change something: such a one is sent again only where nothing was done. */
      readonly isWrite: boolean
    }
  /** From now on, or no longer, it is told when the servers have kept something of the account. */
  | { readonly kind: 'follow'; readonly accountId: string; readonly isOn: boolean }
  /** Every node is to know the account, as `value` says. */
  | {
      readonly kind: 'register'
      readonly accountId: string
      readonly eligible: readonly string[]
      readonly value: Uint8Array
    }
  /** No node is to know it any more. */
  | { readonly kind: 'unregister'; readonly accountId: string }
  /** The disk of this computer has no room, or has some again: nodes that have some come first. */
  | { readonly kind: 'room'; readonly isFull: boolean }
  /** Whether what the servers keep of this account fits on the disk here. */
  | { readonly kind: 'fits'; readonly accountId: string; readonly doesFit: boolean }
  /** No account is taken any more: the process is about to end. */
  | { readonly kind: 'drain' }
  /** What the servers show. Answered at once, by null before they were reached. */
  | { readonly kind: 'census' }
  /** The metrics of all other nodes that can be expected to have some. */
  | { readonly kind: 'metrics'; readonly timeoutMs: number }

export interface ClusterReplies {
  join: null
  activate: null
  about: ClusterAbout
  /** Where that stands in its journal; null: it was not run here. */
  leave: number | null
  call: Uint8Array
  follow: null
  register: Registered
  unregister: null
  room: null
  fits: null
  drain: null
  census: Census | null
  metrics: NodeMetrics
}

/** What the servers of a cluster have of an account. */
export interface ClusterAbout {
  /** Of the cluster. */
  readonly id: string
  /** The last record of its journal; null: it was never opened. */
  readonly end: {
    readonly seq: number
    readonly epoch: number
    readonly node: string
    /** Nobody may take it over. */
    readonly isLeft: boolean
    /** Anybody may at once. */
    readonly isFree: boolean
  } | null
  /** Whether there is a snapshot of it. */
  readonly isKept: boolean
}

/** By node; null: it has not answered in time. */
export type NodeMetrics = Readonly<Record<string, string | null>>

/** What became of a registration: what stands there now, perhaps of an earlier one, or the nodes that nobody knows. */
export type Registered =
  | { readonly is: 'registered'; readonly value: Uint8Array }
  | { readonly is: 'unknown'; readonly nodes: readonly string[] }

/** What a node answers a call with: the epoch under which it was answered, and the answer. */
export interface RemoteReply {
  readonly epoch: number
  readonly value?: unknown
  readonly error?: WireError
  /** What the steady clock of that node showed when it heard the call. Earlier releases do not say. */
  readonly heardMs?: number
  /** Nothing was done: it cannot tell how long the call was on its way. */
  readonly isUndated?: true
}

/** A call of another node to an account of this one, as the thread of the cluster asks the main thread. */
export interface RemoteCall {
  readonly accountId: string
  readonly body: Uint8Array
}

/** Another node asks for the metrics of this one. */
export interface RemoteMetrics {
  readonly metricsWithinMs: number
}

/** Where an account is run, as the servers show it. */
export interface PlacedAt {
  readonly node: string
  readonly isHere: boolean
  readonly epoch: number
  readonly isActive: boolean
}

/** From the thread of the cluster to the main thread. */
export type ClusterTold =
  | { readonly kind: 'owned'; readonly accountId: string; readonly epoch: number }
  | { readonly kind: 'lost'; readonly accountId: string; readonly reason: string }
  /** JOURNAL_REGRESSED: nobody may trade on it. */
  | { readonly kind: 'regressed'; readonly accountId: string; readonly text: string }
  | { readonly kind: 'stalled'; readonly accountId: string; readonly isStalled: boolean }
  /** An account that may be run here is run at that node by the other kind of trading client. */
  | { readonly kind: 'otherClient'; readonly accountId: string; readonly node: string }
  | { readonly kind: 'placed'; readonly accountId: string; readonly at: PlacedAt }
  /** The answer to this call of another node found its caller gone. */
  | { readonly kind: 'undelivered'; readonly accountId: string; readonly body: Uint8Array }
  /** Something was kept of the account, or may have been while nobody could hear of it. */
  | { readonly kind: 'news'; readonly accountId: string }
  /**
   * Accounts that were registered at run time, all of them: at first, and after each change. `removed`: those that were
   * unregistered, as the servers still say.
   */
  | {
      readonly kind: 'registrations'
      readonly all: readonly { readonly accountId: string; readonly value: Uint8Array }[]
      readonly removed: readonly string[]
    }
  /** Whether this node may act. `untilMs`: the steady end of its lease, 0 while there is none. */
  | { readonly kind: 'lease'; readonly mayAct: boolean; readonly untilMs: number }
  | { readonly kind: 'foreign'; readonly host: string }
  /** The exchange of that node is closed on other days than here. */
  | { readonly kind: 'otherDays'; readonly node: string; readonly version: string }
  /** Of the connection to the servers. */
  | { readonly kind: 'servers'; readonly text: string }
  /** They have no room for what this node writes, and take nothing before a person makes some. */
  | { readonly kind: 'full'; readonly text: string }
  /** This life of the node is over: the process must end. */
  | { readonly kind: 'dead'; readonly why: string }
