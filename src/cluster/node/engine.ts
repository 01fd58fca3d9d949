import type { ControlEntry, EngineAnswer, JournalEffect, KvEffect } from '../protocol/effects.ts'
import type { JournalRecord, NodeRecord, PlacementRecord } from '../protocol/records.ts'

export type EngineEffect = KvEffect | JournalEffect

/** Does what the protocol asks of the servers. Every call is answered, within its time, and nothing is thrown. */
export interface Engine {
  perform(effect: EngineEffect): Promise<EngineAnswer>
}

/** A record of a journal as it stands there. */
export interface Written {
  readonly seq: number
  readonly bytes: Uint8Array
}

/** What is told of the bucket `CTL`, as it stands and as it changes. All of it is a hint. */
export interface ControlWatcher {
  onNode(record: NodeRecord, revision: number): void
  onPlacement(acct: string, entry: ControlEntry<PlacementRecord>): void
  /** Somebody has removed it by hand. */
  onPlacementRemoved(acct: string, revision: number): void
  /** Everything that stood there has been told: from now on it is of the present. */
  onCurrent(): void
  /** Nothing is known of the present, until it is current again. */
  onStalled(): void
  /**
   * All registrations, by account, as whoever made them has encoded them: at first, and after each change.
   * `removed` are accounts that were registered once and are no more.
   */
  onRegistrations(
    registrations: ReadonlyMap<string, Uint8Array>,
    removed: ReadonlySet<string>,
  ): void
}
export interface ControlWatch {
  /** It may be dead although the servers answer: opens it anew. */
  reopen(): void
  close(): void
}

/** Which snapshot of an account it is. */
export interface SnapshotName {
  /** Tells it apart from every other, also from one that was given up half way. */
  readonly name: string
  /** Records before this place are not needed beside it; 0: all are. */
  readonly from: number
}

/** A snapshot of an account, in parts. */
export interface EngineSnapshot extends Pick<SnapshotName, 'from'> {
  readonly parts: readonly Uint8Array[]
}

/** A call to an account that another node runs. */
export interface NodeCall {
  readonly node: string
  readonly inc: string
  readonly acct: string
  readonly body: Uint8Array
  readonly timeoutMs: number
}

/** Answers the calls of other nodes. */
export interface CallServer {
  answer(acct: string, body: Uint8Array): Promise<Uint8Array>
  /** Its caller was gone when the answer came. Not every caller that is gone is told of. */
  undelivered(acct: string, body: Uint8Array): void
}

/** A question to all nodes at once. */
export interface SurveyCall {
  readonly what: string
  /** Nodes that are waited for. */
  readonly expected: readonly string[]
  readonly timeoutMs: number
}

/** What came of a {@link NodeCall}: only `reply` says that it was executed, and `timeout` that nobody knows. */
export type CallOutcome =
  | { readonly is: 'reply'; readonly body: Uint8Array }
  | { readonly is: 'noResponders' | 'timeout' }

/** The external system that decides between computers. NATS JetStream is one; tests bring their own. */
export interface ClusterEngine extends Engine {
  watch(watcher: ControlWatcher): ControlWatch
  /**
   * Records of a journal from this place on, in their order, up to the last at some moment after the call. Rejects when they cannot be read,
   * with BrokenChain when one of them is missing or another one.
   */
  records(
    acct: string,
    from: number,
  ): AsyncIterable<{ readonly seq: number; readonly record: JournalRecord }>
  /** The newest snapshot of an account; undefined: there is none. Rejects when it cannot be read. */
  snapshot(acct: string): Promise<EngineSnapshot | undefined>
  /** Whether there is one. Rejects when that is not known. */
  hasSnapshot(acct: string): Promise<boolean>
  /** Keeps a snapshot, whole or not at all. */
  keep(acct: string, note: SnapshotName, parts: readonly Uint8Array[]): Promise<void>
  /** What tells these servers apart from others, for as long as they keep anything. Rejects when it cannot be read. */
  identity(): Promise<string>
  /**
   * Calls when something was kept of an account, after a quorum has it, and when something may have been while that
   * could not be heard. May miss some. Ends with what it returns.
   */
  follow(acct: string, onNews: () => void): () => void
  /** Registers an account, if it is not registered; answers what stands there now. Rejects when that is not known. */
  register(acct: string, value: Uint8Array): Promise<Uint8Array>
  /** Rejects when it is not known whether it is gone. */
  unregister(acct: string): Promise<void>
  request(call: NodeCall): Promise<CallOutcome>
  /** Answers calls to accounts of this life of a node, until the engine is closed. */
  serve(node: string, inc: string, server: CallServer): void
  /** What came in within the time, by node. */
  survey(call: SurveyCall): Promise<ReadonlyMap<string, Uint8Array>>
  /** Answers surveys of other nodes, until the engine is closed. */
  serveSurvey(what: string, answer: (timeoutMs: number) => Promise<Uint8Array>): void
  close(): Promise<void>
}
