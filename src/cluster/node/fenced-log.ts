import { randomUUID } from 'node:crypto'
import {
  type AppendEffect,
  type AppendInput,
  type AppendLimits,
  type AppendState,
  isOver,
  startAppend,
  stepAppend,
} from '../protocol/append.ts'
import type { Owned } from '../protocol/claim-state.ts'
import type { Closing, Commit } from '../protocol/commits.ts'
import type { Now } from '../protocol/effects.ts'
import type { Timing } from '../protocol/timing.ts'
import type { Engine } from './engine.ts'
import { StepRunner } from './step-runner.ts'

/** Where something stands in a journal. */
export interface Place {
  readonly seq: number
  readonly hash: string
}

/**
 * Why something is not appended.
 *
 * `refused`  it was not taken, and will never stand there: too much waits, or this pen is laid down
 * `too_long` no commit may be that long; neither this one nor the same again
 * `fenced`   the account is not ours any more; it may or may not stand there, and must not be carried out
 */
export class NotAppended extends Error {
  readonly why: 'refused' | 'too_long' | 'fenced'

  constructor(why: 'refused' | 'too_long' | 'fenced') {
    super(TEXTS[why])
    this.name = 'NotAppended'
    this.why = why
  }
}

const TEXTS = {
  refused:
    '账户日志繁忙，本次未记录，请稍后再试 (the journal of the account is busy; this was not written: try again later)',
  too_long:
    '该决定过长，无法写入账户日志 (what was decided is too long for the journal of the account and was not written)',
  fenced:
    '账户已由其他节点接管，结果以其日志为准 (another node has taken the account over; its journal says what became of it)',
} as const

export interface FencedLogOptions {
  readonly engine: Engine
  readonly owned: Owned
  readonly self: { readonly node: string; readonly inc: string }
  readonly timing: Timing
  readonly limits: AppendLimits
  readonly now: () => Now
  /** The account must not be acted for any more. */
  onFenced(why: 'overtaken' | 'closed' | 'regressed'): void
  /** No new orders from now on, or again. */
  onStalled(isStalled: boolean): void
}

interface Waiting {
  readonly resolve: (place: Place) => void
  readonly reject: (error: NotAppended) => void
}

/** The journal of an account, as its owner writes it. What is acknowledged stands there; nobody else writes behind it. */
export class FencedLog {
  readonly #options: FencedLogOptions
  readonly #runner: StepRunner<AppendState, AppendInput, AppendEffect>
  readonly #waiting = new Map<number, Waiting>()
  readonly #released = Promise.withResolvers<number>()
  readonly #timer: NodeJS.Timeout
  #tickets = 0

  constructor(options: FencedLogOptions) {
    const { engine, owned, self, timing, limits, now } = options
    this.#options = options
    this.#runner = new StepRunner<AppendState, AppendInput, AppendEffect>({
      state: startAppend(owned, self, timing, limits),
      step: (state, input, at) => stepAppend(state, input, { ...at, rid: randomUUID() }),
      engine,
      now,
      perform: (effect) => this.#perform(effect),
    })
    this.#released.promise.catch(() => undefined)
    this.#timer = setInterval(() => this.#runner.take({ is: 'tick' }), timing.tickMs)
  }

  /** Where the last record stands that is known to be ours. */
  get place(): Place {
    const { seq, hash } = this.#runner.state
    return { seq, hash }
  }

  /**
   * Resolves when a quorum has it. Errors  NotAppended; `limits.queueMax` bounds how many may wait. Behind one that is
   * not appended no other is, until the one of its number comes again.
   */
  append(commit: Omit<Commit, 'ticket'>): Promise<Place> {
    const ticket = ++this.#tickets
    return new Promise((resolve, reject) => {
      this.#waiting.set(ticket, { resolve, reject })
      this.#runner.take({ is: 'submit', commit: { ...commit, ticket } })
    })
  }

  /** Gives the account up behind all that waits, to anybody or to nobody. Errors  NotAppended. */
  release(closing: Closing = 'release'): Promise<number> {
    this.#runner.take({ is: 'release', closing })
    // The pen was laid down before, by a fence.
    if (isOver(this.#runner.state)) this.#released.reject(new NotAppended('fenced'))
    return this.#released.promise
  }

  /** This life of the node is over. What waits is not appended through us. */
  close(): void {
    this.#runner.take({ is: 'close' })
    this.#end()
  }

  #perform(effect: Exclude<AppendEffect, { timeoutMs: number }>): void {
    switch (effect.do) {
      case 'appended':
        for (const ticket of effect.tickets)
          this.#settle(ticket, { seq: effect.seq, hash: effect.hash })
        return
      case 'refused':
        return this.#settle(effect.ticket, new NotAppended(effect.why))
      case 'fenced':
        for (const ticket of effect.tickets) this.#settle(ticket, new NotAppended('fenced'))
        this.#end()
        this.#released.reject(new NotAppended('fenced'))
        return this.#options.onFenced(effect.why)
      case 'released':
        this.#end()
        return this.#released.resolve(effect.seq)
      case 'stalled':
      case 'flowing':
        return this.#options.onStalled(effect.do === 'stalled')
    }
  }

  #settle(ticket: number, outcome: Place | NotAppended): void {
    const waiting = this.#waiting.get(ticket)
    this.#waiting.delete(ticket)
    if (outcome instanceof NotAppended) waiting?.reject(outcome)
    else waiting?.resolve(outcome)
  }

  #end(): void {
    clearInterval(this.#timer)
  }
}

/** A record does not follow the one before it, or cannot be read: the journal is not the one that was written. */
export class BrokenChain extends Error {
  constructor(acct: string, seq: number) {
    super(
      `账户 ${acct} 的日志在第 ${seq} 条处与之前的记录不相连：停止交易，从备份核对 (the journal of account ${acct} is not chained to what was before at record ${seq}: trade no more, compare with the backup)`,
    )
    this.name = 'BrokenChain'
  }
}
