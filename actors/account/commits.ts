import type { AccountState } from '../../src/account/model/state.ts'
import type { Effect, Turn } from '../../src/account/turn/turn.ts'
import type { AccountActorDeps } from './deps.ts'
import { type Afterwards, afterwards, type Origin, type Outgoing, type Saved } from './outgoing.ts'
import { CommitDraft } from './rows.ts'

export interface CommitsOptions {
  readonly state: AccountState
  /** Of the in-flight count: what an earlier incarnation began is not ended here. */
  readonly generation: number
  /** Shows the state to readers, before the effects of a commit. */
  readonly publish: () => void
  readonly perform: (effect: Effect, saved: Saved) => void
  /** Called once for all turns of a commit; ends them. */
  readonly followUp: (turns: readonly Afterwards[]) => void
}

/**
 * Save, then act: the events of turns that come together are one commit, and what they want done follows
 * it, in order. The next turns do not wait for the disk, up to a limit. A failed commit ends the thread.
 */
export class Commits {
  readonly #deps: AccountActorDeps
  readonly #options: CommitsOptions
  readonly #draft: CommitDraft
  /** Turns of the draft. */
  #gathered: Afterwards[] = []
  readonly #outgoing: Outgoing[] = []
  /** Turns whose effects have not been performed yet. */
  #turnsInFlight = 0
  #isDraining = false
  #resume: (() => void) | undefined

  constructor(deps: AccountActorDeps, options: CommitsOptions) {
    this.#deps = deps
    this.#options = options
    this.#draft = new CommitDraft(options.state)
  }

  /** Gathers a turn that has been decided. The next one waits for the promise, when there is one. */
  add(turn: Turn, origin: Origin): void | Promise<void> {
    this.#draft.add(turn)
    this.#gathered.push(afterwards(turn, origin))
    this.#turnsInFlight += 1
    const { stepsInFlightMax } = this.#deps.limits
    if (this.#turnsInFlight < stepsInFlightMax) return
    this.send()
    if (this.#turnsInFlight < stepsInFlightMax) return // there was nothing to wait for
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  /** One commit for all turns since the last one. */
  send(): void {
    const turns = this.#gathered
    if (turns.length === 0) return
    this.#gathered = []
    const isAhead = !turns.some(({ isAwaited }) => isAwaited)
    if (isAhead) this.#goAhead(turns)
    this.#outgoing.push(this.#committed(turns, isAhead))
    if (!this.#isDraining) void this.#drain()
  }

  /** When all that was sent is durable and has been performed. */
  async ended(): Promise<void> {
    while (this.#outgoing.length > 0) await this.#outgoing[0]?.durable
  }

  /** Nobody hears of these turns: the next tick of an exact replay need not wait for the disk. */
  #goAhead(turns: readonly Afterwards[]): void {
    this.#deps.board.beginSave(this.#deps.slot, this.#options.generation)
    this.#options.followUp(turns)
  }

  #committed(turns: readonly Afterwards[], isAhead: boolean): Outgoing {
    const commit = this.#draft.take()
    if (commit === undefined) return { durable: undefined, durableAtMs: 0, turns, isAhead }
    const { latency, store } = this.#deps
    const sinceMs = latency.nowMs()
    const durable = store.commit(commit)
    const outgoing: Outgoing = { durable, durableAtMs: 0, turns, isAhead }
    const observe = () => {
      outgoing.durableAtMs = latency.nowMs()
      latency.commit.observe(outgoing.durableAtMs - sinceMs)
    }
    durable.then(observe, () => undefined) // a failed one ends the thread elsewhere
    return outgoing
  }

  /** Performs what turns want done, after their commit, in the order of the turns. */
  async #drain(): Promise<void> {
    this.#isDraining = true
    for (;;) {
      const outgoing = this.#outgoing[0]
      if (outgoing === undefined) break
      if (outgoing.durable !== undefined) await outgoing.durable // a failed one ends the thread
      this.#finish(outgoing)
      this.#outgoing.shift()
      this.#turnsInFlight -= outgoing.turns.length
      this.#resume?.()
      this.#resume = undefined
    }
    this.#isDraining = false
  }

  #finish({ turns, durableAtMs, isAhead }: Outgoing): void {
    const { publish, perform, followUp, generation } = this.#options
    publish()
    for (const { effects, correlationId } of turns) {
      for (const effect of effects) perform(effect, { correlationId, durableAtMs })
    }
    if (isAhead) this.#deps.board.endSave(this.#deps.slot, generation)
    else followUp(turns)
  }
}
