/**
 * What threads tell each other without a message: one row of words per actor, in shared memory.
 *
 * Slot 0 belongs to the paper client, 1 … n to accounts. The layout is this file's business alone.
 */
/** Row of the paper client. */
export const PAPER_SLOT = 0
const WORD = {
  /** Counts turns of the actor's event loop; standing still means stuck. */
  heartbeat: 0,
  /** Raised by the supervisor at each start. */
  incarnation: 1,
  /** Index into ACTOR_STATUS. */
  status: 2,
  /** Raised by the actor whenever a read model may have changed. */
  version: 3,
  /**
   * Messages sent to the actor and not yet worked off, see `begin`; above them the generation,
   * see `generation`: both in one word, because they must change together.
   */
  inFlight: 4,
  /** 1 while the broker is connected. */
  connected: 5,
  /** Work that is done but for the disk, which nobody waits for; generation above, as of `inFlight`. */
  saving: 6,
  /** Raised by the actor when it has come to doubt that an answer has arrived. */
  doubts: 7,
  /** 1 while its thread stands in a write of the disk. */
  atDisk: 8,
  /** 1 while nothing is sent before a person has confirmed what a restore has found. */
  unconfirmed: 9,
} as const
const SIGNAL = 0
const BEGUN = 1
const QUIET_WAIT_MS_MAX = 50
const COUNT_BITS = 20
const COUNT_MAX = 2 ** COUNT_BITS - 1
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
  /** A signal to wait on, and how many messages (and restarts) were ever begun. */
  readonly quiet: SharedArrayBuffer
  /** 1 while the disk is nearly full, and 1 while it does not answer. */
  readonly disk: SharedArrayBuffer
}

export const createActorBoard = (slots: number): ActorBoardMemory => ({
  words: new SharedArrayBuffer(slots * WORDS * 4),
  quiet: new SharedArrayBuffer(8),
  disk: new SharedArrayBuffer(8),
})

/** Read and write access to the board; cheap to make, one per thread. */
export class ActorBoard {
  readonly memory: ActorBoardMemory
  readonly slots: number
  readonly #words: Int32Array
  readonly #quiet: Int32Array
  readonly #disk: Int32Array
  /** How many messages were ever begun when nothing was in flight last. */
  #decidedAt = -1

  constructor(memory: ActorBoardMemory) {
    this.memory = memory
    this.#words = new Int32Array(memory.words)
    this.#quiet = new Int32Array(memory.quiet)
    this.#disk = new Int32Array(memory.disk)
    this.slots = this.#words.length / WORDS
  }

  #read(slot: number, word: number): number {
    return Atomics.load(this.#words, slot * WORDS + word)
  }
  #write(slot: number, word: number, value: number): void {
    Atomics.store(this.#words, slot * WORDS + word, value)
  }

  /** Free space is below its floor, for every actor of the process. */
  isDiskLow(): boolean {
    return Atomics.load(this.#disk, 0) === 1
  }
  setDiskLow(isLow: boolean): void {
    Atomics.store(this.#disk, 0, isLow ? 1 : 0)
  }

  /** Nothing that is decided is written down at the moment, for every actor of the process. */
  isDiskLate(): boolean {
    return Atomics.load(this.#disk, 1) === 1
  }
  setDiskLate(isLate: boolean): void {
    Atomics.store(this.#disk, 1, isLate ? 1 : 0)
  }

  beat(slot: number): void {
    Atomics.add(this.#words, slot * WORDS + WORD.heartbeat, 1)
  }
  heartbeat(slot: number): number {
    return this.#read(slot, WORD.heartbeat)
  }
  /** Its thread waits for the disk, inside the system: it cannot beat, and does not hang. */
  isAtDisk(slot: number): boolean {
    return this.#read(slot, WORD.atDisk) === 1
  }
  setAtDisk(slot: number, isAtDisk: boolean): void {
    this.#write(slot, WORD.atDisk, isAtDisk ? 1 : 0)
  }
  /** Does what its thread may stand in for as long as the disk likes. */
  atDisk<T>(slot: number, work: () => T): T {
    this.setAtDisk(slot, true)
    try {
      return work()
    } finally {
      this.setAtDisk(slot, false)
    }
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
  /** Changes with every incarnation too, because one that starts doubts whatever it finds. */
  doubtsOfAnswers(slot: number): number {
    return this.incarnation(slot) * 2 ** 32 + (this.#read(slot, WORD.doubts) >>> 0)
  }
  doubtAnswers(slot: number): void {
    Atomics.add(this.#words, slot * WORDS + WORD.doubts, 1)
  }
  connected(slot: number): boolean {
    return this.#read(slot, WORD.connected) === 1
  }
  setConnected(slot: number, connected: boolean): void {
    this.#write(slot, WORD.connected, connected ? 1 : 0)
  }

  isUnconfirmed(slot: number): boolean {
    return this.#read(slot, WORD.unconfirmed) === 1
  }
  setUnconfirmed(slot: number, isUnconfirmed: boolean): void {
    this.#write(slot, WORD.unconfirmed, isUnconfirmed ? 1 : 0)
  }

  /**
   * Rises with every {@link resetInFlight}. Whoever counts messages remembers the one of his line,
   * so that what he sends or finishes on a line that died is not counted on the next one.
   */
  generation(slot: number): number {
    return this.#read(slot, WORD.inFlight) >>> COUNT_BITS
  }
  /**
   * The sender calls this before a message that the exact replay must wait for. False, and nothing
   * counted, when `generation` is over: the message would reach nobody.
   *
   * A thread may be killed wherever it calls a function, so the count is one word, changed by one
   * instruction, and the last call before the caller posts.
   */
  begin(slot: number, generation?: number): boolean {
    const words = this.#words
    const quiet = this.#quiet
    const index = slot * WORDS + WORD.inFlight
    if (generation !== undefined && generation !== Atomics.load(words, index) >>> COUNT_BITS) {
      return false
    }
    const word = Atomics.add(words, index, 1)
    Atomics.add(quiet, BEGUN, 1)
    if (generation === undefined || generation === word >>> COUNT_BITS) return true
    this.end(slot, word >>> COUNT_BITS) // a reset came in between
    return false
  }
  /** The receiver calls this when all that follows from the message has been sent on. */
  end(slot: number, generation?: number): void {
    this.#lower(slot * WORDS + WORD.inFlight, generation)
  }
  /**
   * The receiver calls this before it ends a message whose outcome is decided and handed to the store,
   * and sends nothing that waits for the disk. From then on {@link isDecided} does not count it, while
   * {@link isQuiet} does until {@link endSave}.
   */
  beginSave(slot: number, generation: number): void {
    const index = slot * WORDS + WORD.saving
    for (;;) {
      const word = Atomics.load(this.#words, index)
      if (generation !== word >>> COUNT_BITS) return
      if (this.#replace(index, word, word + 1)) return
    }
  }
  /** It is on disk, and everybody has been told. */
  endSave(slot: number, generation: number): void {
    this.#lower(slot * WORDS + WORD.saving, generation)
  }
  /**
   * Forgets what was in flight to an actor whose ports died with it, and leaves `count`: one while
   * it starts, which it ends when it is ready, so that an exact replay waits; none when it stays away.
   */
  resetInFlight(slot: number, count: 0 | 1): void {
    this.#reset(slot * WORDS + WORD.inFlight, count)
    Atomics.add(this.#quiet, BEGUN, 1)
    this.#reset(slot * WORDS + WORD.saving, 0)
    this.#notify()
  }
  /** Messages to an actor that are not worked off. */
  inFlight(slot: number): number {
    return this.#read(slot, WORD.inFlight) & COUNT_MAX
  }
  /**
   * Nothing is in flight to anybody, and nothing on its way to the disk. A message that moves on
   * between two rows while they are read cannot hide: its receiver begins the next one before it ends
   * this one, and that is counted.
   */
  isQuiet(): boolean {
    return this.isDecided() && !this.#isSaving()
  }
  /** As {@link isQuiet}, but for what only waits for the disk: nobody will do anything before the next message. */
  isDecided(): boolean {
    const words = this.#words
    const begun = Atomics.load(this.#quiet, BEGUN)
    if (begun === this.#decidedAt) return true // nothing has begun since
    // Plain reads between two atomic operations: one of each word would be a call each.
    for (let at: number = WORD.inFlight; at < words.length; at += WORDS) {
      if (((words[at] as number) & COUNT_MAX) > 0) return false
    }
    // A write of nothing, because what was read before it cannot be read after it.
    if (Atomics.add(this.#quiet, BEGUN, 0) !== begun) return false
    this.#decidedAt = begun
    return true
  }
  /** Looked at after the messages: a save begins before its message ends. */
  #isSaving(): boolean {
    for (let slot = 0; slot < this.slots; slot++) {
      if ((this.#read(slot, WORD.saving) & COUNT_MAX) > 0) return true
    }
    return false
  }
  /**
   * Resolves with true when nothing is in flight anywhere, with false when that has taken longer
   * than `timeoutMs`. Bounded waits, so a lost notification costs 50 ms.
   */
  untilQuiet(timeoutMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.#until(() => this.isQuiet(), timeoutMs)
  }
  /** As {@link untilQuiet}, for {@link isDecided}. */
  untilDecided(timeoutMs: number): Promise<boolean> {
    return this.#until(() => this.isDecided(), timeoutMs)
  }
  /**
   * As {@link isDecided}, waiting for it at most so long without a turn of the event loop: half the way of a wake-up,
   * but whoever waits hears nobody meanwhile.
   * @param meanwhile some work for the time until then, a little at each call; false when none is left
   */
  isDecidedWithin(timeoutMs: number, meanwhile: () => boolean = () => false): boolean {
    if (this.isDecided()) return true
    const endMs = performance.now() + timeoutMs
    for (;;) {
      const seen = Atomics.load(this.#quiet, SIGNAL)
      if (this.isDecided()) return true
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) return false
      if (!meanwhile()) Atomics.wait(this.#quiet, SIGNAL, seen, leftMs)
    }
  }
  async #until(isReached: () => boolean, timeoutMs: number): Promise<boolean> {
    const endMs = performance.now() + timeoutMs
    for (;;) {
      const seen = Atomics.load(this.#quiet, SIGNAL)
      if (isReached()) return true
      if (performance.now() > endMs) return false
      const wait = Atomics.waitAsync(this.#quiet, SIGNAL, seen, QUIET_WAIT_MS_MAX)
      if (wait.async) await wait.value
    }
  }
  /**
   * Sets every count to zero. A thread that was terminated in the middle of a send may leave a
   * message counted that nobody received; what really is under way still finishes, uncounted.
   */
  forgiveInFlight(): void {
    for (let slot = 0; slot < this.slots; slot++) {
      for (const kind of [WORD.inFlight, WORD.saving]) {
        const index = slot * WORDS + kind
        let word = Atomics.load(this.#words, index)
        while (!this.#replace(index, word, word & ~COUNT_MAX))
          word = Atomics.load(this.#words, index)
      }
    }
    this.#notify()
  }
  /** One less in a counting word, unless its generation is over or it is zero. */
  #lower(index: number, generation: number | undefined): void {
    for (;;) {
      const word = Atomics.load(this.#words, index)
      if (generation !== undefined && generation !== word >>> COUNT_BITS) return
      const count = word & COUNT_MAX
      if (count === 0) return
      if (!this.#replace(index, word, word - 1)) continue
      if (count === 1) this.#notify()
      return
    }
  }
  /** The next generation of a counting word. */
  #reset(index: number, count: 0 | 1): void {
    for (;;) {
      const word = Atomics.load(this.#words, index)
      if (this.#replace(index, word, (((word >>> COUNT_BITS) + 1) << COUNT_BITS) | count)) return
    }
  }
  #replace(index: number, word: number, next: number): boolean {
    return Atomics.compareExchange(this.#words, index, word, next) === word
  }
  #notify(): void {
    Atomics.add(this.#quiet, SIGNAL, 1)
    Atomics.notify(this.#quiet, SIGNAL)
  }
}
