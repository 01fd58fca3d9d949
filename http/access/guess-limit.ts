/** Bounds of {@link GuessLimit}. */
export interface GuessLimits {
  /** Different wrong tokens of one address before it has to wait. */
  readonly guessesMax: number
  /** The wait doubles with each further one, up to this. */
  readonly waitSecondsMax: number
  /** An address without wrong tokens for so long starts afresh. */
  readonly forgetMs: number
  /** Addresses remembered; the one unseen longest is forgotten first. */
  readonly addressesMax: number
}

interface Guesser {
  /** Digests of wrong tokens, at most `guessesMax`. */
  readonly wrong: Set<string>
  /** Digests that were right: a program that knows its token does not wait for one that guesses. */
  readonly right: Set<string>
  waits: number
  blockedUntilMs: number
  lastWrongMs: number
}

const RIGHT_MAX = 16

/**
 * Slows down whoever tries out tokens. Only different wrong tokens count: a program with one wrong
 * token asks the same again and again and harms nobody, least of all its neighbors.
 */
export class GuessLimit {
  readonly #limits: GuessLimits
  readonly #guessers = new Map<string, Guesser>()

  constructor(limits: GuessLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#guessers.size
  }

  /** 0 when the token may be looked at, else whole seconds until it may. `nowMs` is monotonic. */
  waitSeconds(address: string, digest: string, nowMs: number): number {
    const guesser = this.#guessers.get(address)
    if (guesser === undefined || guesser.right.has(digest)) return 0
    return Math.max(0, Math.ceil((guesser.blockedUntilMs - nowMs) / 1_000))
  }

  failed(address: string, digest: string, nowMs: number): void {
    const guesser = this.#touch(address, nowMs)
    guesser.lastWrongMs = nowMs
    if (guesser.wrong.has(digest)) return
    if (guesser.wrong.size < this.#limits.guessesMax) {
      guesser.wrong.add(digest)
      return
    }
    const seconds = Math.min(2 ** guesser.waits, this.#limits.waitSecondsMax)
    guesser.waits = Math.min(guesser.waits + 1, 30)
    guesser.blockedUntilMs = nowMs + seconds * 1_000
  }

  succeeded(address: string, digest: string, nowMs: number): void {
    const { right } = this.#touch(address, nowMs)
    if (right.size < RIGHT_MAX) right.add(digest)
  }

  #touch(address: string, nowMs: number): Guesser {
    const known = this.#guessers.get(address)
    this.#guessers.delete(address)
    const guesser = known ?? {
      wrong: new Set(),
      right: new Set(),
      waits: 0,
      blockedUntilMs: 0,
      lastWrongMs: nowMs,
    }
    if (nowMs - guesser.lastWrongMs >= this.#limits.forgetMs) {
      guesser.wrong.clear()
      guesser.waits = 0
    }
    this.#guessers.set(address, guesser)
    const oldest = this.#guessers.keys().next().value
    if (this.#guessers.size > this.#limits.addressesMax && oldest !== undefined) {
      this.#guessers.delete(oldest)
    }
    return guesser
  }
}
