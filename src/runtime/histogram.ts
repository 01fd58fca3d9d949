/** Each power of two is divided into so many buckets: a value is known to an eighth of itself. */
const STEPS_LOG2 = 3
const STEPS = 2 ** STEPS_LOG2
const MICROSECONDS_MAX = 2 ** 31 - 1
const BUCKETS = (31 - STEPS_LOG2) * STEPS + STEPS
const SUM_BYTES = Float64Array.BYTES_PER_ELEMENT

/** Memory of one histogram, a multiple of eight. */
export const HISTOGRAM_BYTES = SUM_BYTES + BUCKETS * Int32Array.BYTES_PER_ELEMENT

/** Durations at a glance, in milliseconds, to the width of a bucket; all 0 when there is none. */
export interface Spread {
  readonly count: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

/**
 * Durations from a microsecond to half an hour in memory that may be shared. One thread writes, any
 * thread reads. Observing costs a few nanoseconds and allocates nothing.
 */
export class Histogram {
  readonly #sum: Float64Array
  readonly #counts: Int32Array

  constructor(memory: ArrayBuffer | SharedArrayBuffer = new ArrayBuffer(HISTOGRAM_BYTES), at = 0) {
    this.#sum = new Float64Array(memory, at, 1)
    this.#counts = new Int32Array(memory, at + SUM_BYTES, BUCKETS)
  }

  observe(ms: number): void {
    const microseconds = Math.min(MICROSECONDS_MAX, Math.max(0, Math.round(ms * 1_000)))
    const bucket = bucketOf(microseconds)
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum[0] = (this.#sum[0] ?? 0) + microseconds
  }

  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** Milliseconds. */
  get sumMs(): number {
    return (this.#sum[0] ?? 0) / 1_000
  }

  /** How many took at most so long, to the width of a bucket. */
  countUntil(ms: number): number {
    const microseconds = ms * 1_000
    let count = 0
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      if (endOf(bucket) > microseconds + 1) break
      count += this.#counts[bucket] ?? 0
    }
    return count
  }

  /** The duration, in milliseconds, that this share of all has not exceeded; 0 when there is none. */
  quantile(share: number): number {
    const wanted = Math.ceil(this.count * share)
    let count = 0
    for (let bucket = 0; bucket < BUCKETS && wanted > 0; bucket++) {
      count += this.#counts[bucket] ?? 0
      if (count >= wanted) return (endOf(bucket) - 1) / 1_000
    }
    return 0
  }

  get spread(): Spread {
    return {
      count: this.count,
      p50: this.quantile(0.5),
      p90: this.quantile(0.9),
      p99: this.quantile(0.99),
      max: this.quantile(1),
    }
  }
}

function bucketOf(microseconds: number): number {
  if (microseconds < STEPS) return microseconds
  const power = 31 - Math.clz32(microseconds)
  const step = (microseconds >> (power - STEPS_LOG2)) & (STEPS - 1)
  return (power - STEPS_LOG2 + 1) * STEPS + step
}

/** Exclusive, in microseconds. */
function endOf(bucket: number): number {
  if (bucket < STEPS) return bucket + 1
  const shift = Math.floor(bucket / STEPS) - 1
  return (STEPS + (bucket % STEPS) + 1) * 2 ** shift
}
