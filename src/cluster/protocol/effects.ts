import type { JournalRecord, NodeRecord, PlacementRecord } from './records.ts'

/** A reading of both clocks of this computer. Whole milliseconds. */
export interface Now {
  /** Never jumps, may stand still while the computer sleeps. Only differences mean something. */
  readonly monoMs: number
  /** Epoch ms. May jump. */
  readonly wallMs: number
}

/** What a reducer answers: the state from now on, and what the shell has to do, in this order. */
export interface Step<S, E> {
  readonly state: S
  readonly effects: readonly E[]
}

/** The end of the journal of an account. */
export interface Tail {
  readonly seq: number
  /** Hex SHA-256 of the bytes of the record. */
  readonly hash: string
  readonly record: JournalRecord
}

/**
 * A call to the engine. The shell answers every call exactly once, within `timeoutMs`, with an
 * `EngineAnswer` of the same number. What comes later is dropped.
 */
interface Call {
  readonly call: number
  readonly timeoutMs: number
}

export type KvEffect =
  /** Writes a key of `CTL` if its revision is still this one: that of its removal if it was deleted, 0 if it was never there. → `written` or `failed` */
  | (Call & {
      readonly do: 'kvUpdate'
      readonly key: string
      readonly value: NodeRecord | PlacementRecord
      readonly revision: number
    })
  /** Reads a key from the leader of the stream, never by a direct get. → `entry` or `failed` */
  | (Call & { readonly do: 'kvReadLeader'; readonly key: string })

export type JournalEffect =
  /** Appends on condition that the last record of the account is `expectedSeq` (0: there is none). → `appended` or `failed` */
  | (Call & {
      readonly do: 'append'
      readonly acct: string
      readonly record: JournalRecord
      readonly expectedSeq: number
    })
  /** Reads the last record of the account from the leader of its stream. → `tail` or `failed` */
  | (Call & { readonly do: 'readTail'; readonly acct: string })

export interface ControlEntry<T = NodeRecord | PlacementRecord> {
  readonly value: T
  readonly revision: number
}

/** What came of a call. No failure says whether something was written: only reading does. */
export type EngineAnswer =
  | { readonly is: 'written'; readonly call: number; readonly revision: number }
  | {
      readonly is: 'appended'
      readonly call: number
      readonly seq: number
      /** Hex SHA-256 of the bytes that were sent. */
      readonly hash: string
    }
  /** `entry` is undefined when the key is not there; `revision` is then that of its removal, 0 if it was never there. */
  | {
      readonly is: 'entry'
      readonly call: number
      readonly entry: ControlEntry | undefined
      readonly revision: number
    }
  /** `tail` is undefined when the journal is empty. */
  | { readonly is: 'tail'; readonly call: number; readonly tail: Tail | undefined }
  /** `why` is for the log. `unreadable`: what stands there is no record that this version reads. */
  | {
      readonly is: 'failed'
      readonly call: number
      readonly why: 'conflict' | 'ambiguous' | 'unavailable' | 'unreadable'
    }

/** Time has passed. Every reducer is told so once in `tickMs` of `Timing`; safety does not hang on it. */
export interface Tick {
  readonly is: 'tick'
}
