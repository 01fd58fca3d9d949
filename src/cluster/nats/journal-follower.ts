import { strict as assert } from 'node:assert'
import type { Msg } from '@nats-io/nats-core'
import type { Written } from '../node/engine.ts'
import { journalEventSubject } from '../protocol/subjects.ts'
import type { JournalLog } from './journal-log.ts'
import type { Line, Stop } from './line.ts'

export interface FollowLimits {
  /** Wait before the journal is read again after that failed. ms */
  readonly retryMs: number
}

/** Where it comes from. */
export interface FollowSource {
  readonly line: Pick<Line, 'subscribe' | 'onReopened'>
  readonly log: Pick<JournalLog, 'readFrom'>
  readonly limits: FollowLimits
}

/** What follows a journal. */
export interface Follower {
  /** Each record once, in its order. */
  onRecord(record: Written): void
  /** The journal cannot be read at the moment; it is tried again. */
  onFailure(error: unknown): void
}

/**
 * Follows the journal of an account from behind `afterSeq`. The servers publish each record again when it is committed;
 * such a message may be lost, and says which record came before it. So a gap, or a new connection, is filled
 * from the journal itself, and nothing is kept meanwhile.
 */
export function followJournal(
  from: FollowSource,
  { acct, afterSeq }: { acct: string; afterSeq: number },
  follower: Follower,
): Stop {
  const following = new Following(from, { acct, afterSeq }, follower)
  const stops = [
    from.line.subscribe(journalEventSubject(acct), (message) => following.take(message)),
    from.line.onReopened(() => following.catchUp()),
  ]
  following.catchUp()
  return () => {
    following.stop()
    for (const stop of stops) stop()
  }
}

class Following {
  readonly #from: FollowSource
  readonly #acct: string
  readonly #follower: Follower
  /** Last record that was told. */
  #last: number
  /** There is, or may be, something behind it that has not been told. */
  #isBehind = false
  #isReading = false
  #isStopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(
    from: FollowSource,
    { acct, afterSeq }: { acct: string; afterSeq: number },
    follower: Follower,
  ) {
    this.#from = from
    this.#acct = acct
    this.#last = afterSeq
    this.#follower = follower
  }

  take(message: Msg): void {
    const seq = Number(message.headers?.get('Nats-Sequence') ?? 0)
    const before = Number(message.headers?.get('Nats-Last-Sequence') ?? -1)
    if (seq <= this.#last) return
    if (this.#isReading || before !== this.#last) this.catchUp()
    else this.#tell({ seq, bytes: message.data })
  }

  catchUp(): void {
    this.#isBehind = true
    if (!this.#isReading && !this.#isStopped) void this.#read()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  async #read(): Promise<void> {
    this.#isReading = true
    clearTimeout(this.#timer)
    try {
      while (this.#isBehind && !this.#isStopped) {
        this.#isBehind = false
        for await (const record of this.#from.log.readFrom(this.#acct, this.#last + 1)) {
          if (this.#isStopped) return
          this.#tell(record)
        }
      }
    } catch (error) {
      if (this.#isStopped) return
      this.#follower.onFailure(error)
      this.#timer = setTimeout(() => this.catchUp(), this.#from.limits.retryMs)
    } finally {
      this.#isReading = false
    }
  }

  #tell(record: Written): void {
    assert(record.seq > this.#last, 'records in their order')
    this.#last = record.seq
    this.#follower.onRecord(record)
  }
}
