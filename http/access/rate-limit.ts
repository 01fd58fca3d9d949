/** Bounds of {@link RateLimit}. */
export interface RateLimitLimits {
  /** Requests a minute and address; also the size of a burst. 0 = no limit. */
  readonly perMinute: number
  /** Addresses remembered; the one unseen longest is forgotten first. */
  readonly addressesMax: number
}

interface Bucket {
  tokens: number
  atMs: number
}

/** A token bucket per address, in a map that cannot grow without bound. */
export class RateLimit {
  readonly #limits: RateLimitLimits
  readonly #buckets = new Map<string, Bucket>()

  constructor(limits: RateLimitLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#buckets.size
  }

  /** 0 when the request may pass, else whole seconds until one may. `nowMs` is monotonic. */
  take(address: string, nowMs: number): number {
    const { perMinute } = this.#limits
    if (perMinute <= 0) return 0
    const bucket = this.#touch(address, nowMs)
    const refill = ((nowMs - bucket.atMs) * perMinute) / 60_000
    bucket.tokens = Math.min(perMinute, bucket.tokens + refill)
    bucket.atMs = nowMs
    if (bucket.tokens < 1) return Math.max(1, Math.ceil(((1 - bucket.tokens) * 60) / perMinute))
    bucket.tokens -= 1
    return 0
  }

  #touch(address: string, nowMs: number): Bucket {
    const known = this.#buckets.get(address)
    if (known !== undefined) this.#buckets.delete(address)
    const bucket = known ?? { tokens: this.#limits.perMinute, atMs: nowMs }
    this.#buckets.set(address, bucket)
    if (this.#buckets.size > this.#limits.addressesMax) {
      const oldest = this.#buckets.keys().next().value
      if (oldest !== undefined) this.#buckets.delete(oldest)
    }
    return bucket
  }
}
