import type { ActorBoard } from '../../runtime/actor-board.ts'
import type { LatencyBoard } from '../../runtime/latency-board.ts'
import type { TallyBoard } from '../../runtime/tally-board.ts'

interface Boards {
  readonly board: ActorBoard
  readonly latency: LatencyBoard
  readonly tallies: TallyBoard
}

/** Which rows of the boards accounts have. One that is left goes to another account, without what stands in it. */
export class AccountRows {
  readonly #boards: Boards
  readonly #max: number
  readonly #free: number[]
  /** Starts of whoever had a row before. */
  readonly #startsBefore: number[] = []

  constructor(max: number, boards: Boards) {
    this.#boards = boards
    this.#max = max
    this.#free = Array.from({ length: max }, (_, i) => max - i)
  }

  get taken(): number {
    return this.#max - this.#free.length
  }

  /** Undefined when `limits.accounts_max` are taken. */
  take(): number | undefined {
    const slot = this.#free.pop()
    if (slot === undefined) return undefined
    this.#startsBefore[slot] = this.#boards.board.incarnation(slot)
    this.#boards.latency.forget(slot)
    this.#boards.tallies.forget(slot)
    return slot
  }

  giveBack(slot: number): void {
    this.#free.push(slot)
  }

  /** How often the account of a row was started here. Of an earlier account of the row nothing counts. */
  startsOf(slot: number): number {
    return this.#boards.board.incarnation(slot) - (this.#startsBefore[slot] ?? 0)
  }
}
