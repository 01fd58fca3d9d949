import type { AccountState } from '../../src/account/model/state.ts'
import type { Effect, Turn } from '../../src/account/turn/turn.ts'
import type { AccountActorDeps } from './deps.ts'
import {
  type Afterwards,
  afterwards,
  type Origin,
  type Outgoing,
  type Saved,
  type Shown,
  shownByAll,
} from './outgoing.ts'
import { CommitDraft } from './rows.ts'
import { spreadMs } from './spread.ts'

export interface CommitsOptions {
  readonly state: AccountState
  /** Of the in-flight count: what an earlier incarnation began is not ended here. */
  readonly generation: number
  /** Shows the state to readers, before the effects of a commit; not whether what they see has changed. */
  readonly publish: (shown: Shown) => void
  readonly perform: (effect: Effect, saved: Saved) => void
  /** Called once for all turns of a commit; ends them. */
  readonly followUp: (turns: readonly Afterwards[]) => void
}

/**
 * Save, then act: the events of turns that come together are one commit, and what they want done follows
 * it, in order. The next turns do not wait for the disk, up to a limit. A failed commit ends the thread.
 *
 * Turns that nobody hears of and that would be found again (`mayWait`) are done at once and kept for a
 * while: the next commit that is sent for another reason takes their events along, in their order.
 */
export class Commits {
  readonly #deps: AccountActorDeps
  readonly #options: CommitsOptions
  /** How long they are kept; 0: not at all. */
  readonly #keepMs: number
  readonly #draft: CommitDraft
  /** Turns of the draft. */
  #gathered: Afterwards[] = []
  readonly #outgoing: Outgoing[] = []
  /** Turns whose effects have not been performed yet; all that is taken along with a commit counts as one. */
  #turnsInFlight = 0
  /** Turns that are done but for their saving, which is not under way. */
  #kept = 0
  #keptTimer: NodeJS.Timeout | undefined
  #isDraining = false
  #resume: (() => void) | undefined

  constructor(deps: AccountActorDeps, options: CommitsOptions) {
    this.#deps = deps
    this.#options = options
    // Two runs of an exact replay must be the same: also in what is written together.
    this.#keepMs = deps.policy.tempo === 'exact' ? 0 : spreadMs(deps.limits.lazySaveMs, deps.slot)
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

  /** One commit for all turns since the last one, unless all of them may wait for the next. */
  send(): void {
    const turns = this.#gathered
    if (turns.length === 0) return
    this.#gathered = []
    if (this.#keepMs > 0 && turns.every(({ mayWait }) => mayWait)) this.#keep(turns)
    else this.#commit(turns)
  }

  /** When all that was decided is durable and has been performed. */
  async ended(): Promise<void> {
    this.#sendKept()
    while (this.#outgoing.length > 0) await this.#outgoing[0]?.durable
  }

  /** For those who read what is on disk: when nothing that was decided before is missing there. At once when nothing is kept. */
  async written(): Promise<void> {
    this.#sendKept()
    await this.#outgoing.findLast(({ hasKept }) => hasKept)?.durable
  }

  /** They are over for everybody but the disk. */
  #keep(turns: readonly Afterwards[]): void {
    const { board, slot, limits } = this.#deps
    const { generation, publish, followUp } = this.#options
    this.#turnsInFlight -= turns.length
    if (this.#draft.isEmpty) {
      publish(shownByAll(turns))
      return followUp(turns)
    }
    if (this.#kept === 0) {
      board.beginSave(slot, generation)
      this.#keptTimer = setTimeout(() => this.#sendKept(), this.#keepMs)
    }
    this.#kept += turns.length
    publish(shownByAll(turns))
    followUp(turns)
    if (this.#kept >= limits.lazyTurnsMax) this.#sendKept()
  }

  #sendKept(): void {
    if (this.#kept > 0) this.#commit([])
  }

  #commit(turns: readonly Afterwards[]): void {
    const isAhead = !turns.some(({ isAwaited }) => isAwaited)
    if (isAhead && turns.length > 0) this.#goAhead(turns)
    const hasKept = this.#kept > 0
    if (hasKept) this.#turnsInFlight += 1
    this.#kept = 0
    clearTimeout(this.#keptTimer)
    this.#outgoing.push(this.#committed({ turns, isAhead, hasKept }))
    if (!this.#isDraining) void this.#drain()
  }

  /** Nobody hears of these turns: the next tick of an exact replay need not wait for the disk. */
  #goAhead(turns: readonly Afterwards[]): void {
    this.#deps.board.beginSave(this.#deps.slot, this.#options.generation)
    this.#options.followUp(turns)
  }

  #committed(sent: Pick<Outgoing, 'turns' | 'isAhead' | 'hasKept'>): Outgoing {
    const commit = this.#draft.take()
    if (commit === undefined) return { ...sent, durable: undefined, sentAtMs: 0, durableAtMs: 0 }
    const { latency, store } = this.#deps
    const sentAtMs = latency.nowMs()
    const durable = store.commit(commit)
    const outgoing: Outgoing = { ...sent, durable, sentAtMs, durableAtMs: 0 }
    const observe = () => {
      outgoing.durableAtMs = latency.nowMs()
      latency.commit.observe(outgoing.durableAtMs - sentAtMs)
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
      this.#turnsInFlight -= outgoing.turns.length + (outgoing.hasKept ? 1 : 0)
      this.#resume?.()
      this.#resume = undefined
    }
    this.#isDraining = false
  }

  #finish({ turns, sentAtMs, durableAtMs, isAhead, hasKept }: Outgoing): void {
    const { publish, perform, followUp, generation } = this.#options
    const { board, slot } = this.#deps
    if (hasKept) board.endSave(slot, generation)
    if (turns.length === 0) return
    publish(shownByAll(turns))
    for (const { effects, correlationId, decided } of turns) {
      const saved: Saved = { correlationId, decided, sentAtMs, durableAtMs }
      for (const effect of effects) perform(effect, saved)
    }
    if (isAhead) board.endSave(slot, generation)
    else followUp(turns)
  }
}
