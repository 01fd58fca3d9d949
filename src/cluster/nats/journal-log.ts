import { strict as assert } from 'node:assert'
import type { Written } from '../node/engine.ts'
import { journalStream, journalSubject, shardOf } from '../protocol/subjects.ts'
import type { Line } from './line.ts'
import { appendIf, purgeBefore, readStored, type Stored } from './stream-wire.ts'

export interface JournalLogLimits {
  /** A read, or a purge, must be answered within this. ms */
  readonly callTimeoutMs: number
}

/**
 * The journals of all accounts, each a subject of its own. Everything is read from the leader of the stream.
 * Not told apart here: who may write, and what a failure means. That is decided by whoever reads the tail afterwards.
 */
export class JournalLog {
  readonly #line: Line
  readonly #limits: JournalLogLimits

  constructor(line: Line, limits: JournalLogLimits) {
    this.#line = line
    this.#limits = limits
  }

  /**
   * Appends if the last record of the account is `expectedSeq` (0: there is none), when a quorum has it on disk.
   * It is sent once. Errors  EngineError, none of which proves anything.
   */
  append(
    acct: string,
    bytes: Uint8Array,
    { expectedSeq, timeoutMs }: { expectedSeq: number; timeoutMs: number },
  ): Promise<number> {
    return appendIf(this.#line, { subject: journalSubject(acct), expectedSeq }, bytes, timeoutMs)
  }

  /** The last record; undefined when the journal is empty. Errors  EngineError. */
  tail(acct: string, timeoutMs = this.#limits.callTimeoutMs): Promise<Written | undefined> {
    return this.#read(acct, { last_by_subj: journalSubject(acct) }, timeoutMs)
  }

  /**
   * The records from `seq` on, in order, up to the one that is last while it is read, or the one in front of
   * `before`: then it ends. One question a record, to the leader.
   *
   * Errors  EngineError; what was handed out before it stands.
   */
  async *readFrom(
    acct: string,
    seq: number,
    before = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Written> {
    let next = seq
    while (next < before) {
      const query = { seq: Math.max(1, next), next_by_subj: journalSubject(acct) }
      const record = await this.#read(acct, query, this.#limits.callTimeoutMs)
      if (record === undefined || record.seq >= before) return
      yield record
      next = record.seq + 1
    }
  }

  /**
   * Removes the records in front of this one: a snapshot has them. The last record always stays, because who owns the
   * account is written there and nowhere else. Answers how many it were. Errors  EngineError.
   */
  async purge(acct: string, beforeSeq: number): Promise<number> {
    // The servers take what is no number for all of it.
    assert(Number.isSafeInteger(beforeSeq), 'a place in a journal')
    const tail = await this.tail(acct)
    if (tail === undefined) return 0
    const seq = Math.min(beforeSeq, tail.seq)
    const from = { stream: journalStream(shardOf(acct)), subject: journalSubject(acct), seq }
    return purgeBefore(this.#line, from, this.#limits.callTimeoutMs)
  }

  /** When the servers took the first record from `seq` on, epoch ms; undefined: there is none. Errors  EngineError. */
  async timeFrom(acct: string, seq: number): Promise<number | undefined> {
    const query = { seq: Math.max(1, seq), next_by_subj: journalSubject(acct) }
    const stream = journalStream(shardOf(acct))
    const stored = await readStored(this.#line, stream, query, this.#limits.callTimeoutMs)
    return stored?.timeMs
  }

  #read(acct: string, query: Parameters<typeof readStored>[2], timeoutMs: number) {
    return readStored(this.#line, journalStream(shardOf(acct)), query, timeoutMs).then(asWritten)
  }
}

const asWritten = (stored: Stored | undefined): Written | undefined =>
  stored === undefined ? undefined : { seq: stored.seq, bytes: stored.bytes }
