/**
 * What threads tell each other without a message: one row of words per actor, in shared memory.
 *
 * Slot 0 belongs to the paper client, 1 … n to accounts. The layout is this file's business alone.
 */
const WORD = {
  /** Counts turns of the actor's event loop; standing still means stuck. */
  heartbeat: 0,
  /** Raised by the supervisor at each start. */
  incarnation: 1,
  /** Index into ACTOR_STATUS. */
  status: 2,
  /** Raised by the actor whenever a read model may have changed. */
  version: 3,
  /** Messages sent to the actor and not yet worked off; see `begin`. */
  inFlight: 4,
  /** 1 while the trading client is connected. */
  connected: 5,
} as const
const SIGNAL = 0
const TOTAL = 1
const QUIET_WAIT_MS_MAX = 50
const WORDS = 16 // a cache line: actors do not slow each other down

export const ACTOR_STATUS = [
  'stopped',
  'starting',
  'recovering',
  'ready',
  'degraded',
  'restarting',
  'suspended',
] as const
export type ActorStatus = (typeof ACTOR_STATUS)[number]

export interface ActorBoardMemory {
  readonly words: SharedArrayBuffer
  /** A signal to wait on, and the number of messages in flight to all actors together. */
  readonly quiet: SharedArrayBuffer
}

export const createActorBoard = (slots: number): ActorBoardMemory => ({
  words: new SharedArrayBuffer(slots * WORDS * 4),
  quiet: new SharedArrayBuffer(8),
})

/** Read and write access to the board; cheap to make, one per thread. */
export class ActorBoard {
  readonly memory: ActorBoardMemory
  readonly slots: number
  readonly #words: Int32Array
  readonly #quiet: Int32Array

  constructor(memory: ActorBoardMemory) {
    this.memory = memory
    this.#words = new Int32Array(memory.words)
    this.#quiet = new Int32Array(memory.quiet)
    this.slots = this.#words.length / WORDS
  }

  #read(slot: number, word: number): number {
    return Atomics.load(this.#words, slot * WORDS + word)
  }
  #write(slot: number, word: number, value: number): void {
    Atomics.store(this.#words, slot * WORDS + word, value)
  }

  beat(slot: number): void {
    Atomics.add(this.#words, slot * WORDS + WORD.heartbeat, 1)
  }
  heartbeat(slot: number): number {
    return this.#read(slot, WORD.heartbeat)
  }
  incarnation(slot: number): number {
    return this.#read(slot, WORD.incarnation)
  }
  /** Returns the new incarnation number, 1 for the first start. */
  nextIncarnation(slot: number): number {
    return Atomics.add(this.#words, slot * WORDS + WORD.incarnation, 1) + 1
  }
  status(slot: number): ActorStatus {
    return ACTOR_STATUS[this.#read(slot, WORD.status)] ?? 'stopped'
  }
  setStatus(slot: number, status: ActorStatus): void {
    this.#write(slot, WORD.status, ACTOR_STATUS.indexOf(status))
  }
  version(slot: number): number {
    return this.#read(slot, WORD.version)
  }
  bumpVersion(slot: number): number {
    return Atomics.add(this.#words, slot * WORDS + WORD.version, 1) + 1
  }
  connected(slot: number): boolean {
    return this.#read(slot, WORD.connected) === 1
  }
  setConnected(slot: number, connected: boolean): void {
    this.#write(slot, WORD.connected, connected ? 1 : 0)
  }

  /** The sender calls this before a message that the exact replay must wait for. */
  begin(slot: number): void {
    Atomics.add(this.#words, slot * WORDS + WORD.inFlight, 1)
    Atomics.add(this.#quiet, TOTAL, 1)
  }
  /** The receiver calls this when all that follows from the message has been sent on. */
  end(slot: number): void {
    Atomics.sub(this.#words, slot * WORDS + WORD.inFlight, 1)
    this.#subtract(1)
  }
  /**
   * Forgets what was in flight to an actor whose ports died with it, and leaves `count`: one while
   * it starts, which it ends when it is ready, so that an exact replay waits; none when it stays away.
   */
  resetInFlight(slot: number, count: 0 | 1): void {
    const before = Atomics.exchange(this.#words, slot * WORDS + WORD.inFlight, count)
    this.#subtract(before - count)
  }
  /** One total instead of a scan: a message that moves between two rows cannot hide from it. */
  isQuiet(): boolean {
    return Atomics.load(this.#quiet, TOTAL) <= 0
  }
  /** Resolves when nothing is in flight anywhere; bounded waits, so a lost notification costs 50 ms. */
  async untilQuiet(): Promise<void> {
    for (;;) {
      const seen = Atomics.load(this.#quiet, SIGNAL)
      if (this.isQuiet()) return
      const wait = Atomics.waitAsync(this.#quiet, SIGNAL, seen, QUIET_WAIT_MS_MAX)
      if (wait.async) await wait.value
    }
  }
  #subtract(count: number): void {
    if (Atomics.sub(this.#quiet, TOTAL, count) > count) return
    Atomics.add(this.#quiet, SIGNAL, 1)
    Atomics.notify(this.#quiet, SIGNAL)
  }
}
