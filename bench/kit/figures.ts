/** Figures of one round, by name: `perSecond`, `p50Us` … */
export type Figures = Readonly<Record<string, number>>
export type Side = () => Promise<Figures> | Figures

/** What is printed and kept of one measurement. */
export interface Row {
  readonly bench: string
  readonly unit: string
  /** Median of the rounds. */
  readonly ours: number
  /** Median of the baseline in the same rounds; null when nothing bare does this job. */
  readonly baseline: number | null
  /** Median of ours ÷ baseline, round by round; null without a baseline. */
  readonly ratio: number | null
  /** (largest − smallest) ÷ median of ours. */
  readonly spread: number
  /** What the reader should know to read it. */
  readonly note: string
}

export interface RowSpec {
  readonly bench: string
  readonly unit: string
  readonly figure: string
  /** Figure of the baseline when it has another name. */
  readonly baselineFigure?: string
  readonly note?: string
}

export interface Samples {
  readonly ours: readonly Figures[]
  readonly baseline: readonly Figures[]
}

/** Throws on an empty list. */
export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((left, right) => left - right),
    0.5,
  )
}

/** Of ascending values, the smallest that at least this part of them does not exceed; the median lies between two. */
export function quantile(ascending: ArrayLike<number>, part: number): number {
  const { length } = ascending
  if (length === 0) throw new RangeError('no values')
  if (part === 0.5 && length % 2 === 0) {
    return ((ascending[length / 2 - 1] ?? 0) + (ascending[length / 2] ?? 0)) / 2
  }
  return ascending[Math.min(length - 1, Math.max(0, Math.ceil(part * length) - 1))] ?? 0
}

/** (largest − smallest) ÷ median; 0 when all are 0. */
export function spreadOf(values: readonly number[]): number {
  const range = Math.max(...values) - Math.min(...values)
  return range === 0 ? 0 : range / Math.abs(median(values))
}

/**
 * Runs both sides once to warm up, then turn by turn, so that a slow moment of the machine meets
 * both of them. The side that goes first changes with every round.
 */
export async function measure(rounds: number, ours: Side, baseline?: Side): Promise<Samples> {
  const samples = { ours: [] as Figures[], baseline: [] as Figures[] }
  await ours()
  await baseline?.()
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 1 && baseline !== undefined) samples.baseline.push(await baseline())
    samples.ours.push(await ours())
    if (round % 2 === 0 && baseline !== undefined) samples.baseline.push(await baseline())
  }
  return samples
}

/** One figure of all rounds as a row. Throws when a round lacks it. */
export function rowOf(spec: RowSpec, samples: Samples): Row {
  const { bench, unit, figure, baselineFigure = figure, note = '' } = spec
  const ours = samples.ours.map((figures) => pick(figures, figure))
  const baseline = samples.baseline.map((figures) => pick(figures, baselineFigure))
  const ratios = ours.map((value, round) => value / (baseline[round] ?? Number.NaN))
  const hasRatio = baseline.length > 0 && ratios.every((ratio) => Number.isFinite(ratio))
  return {
    bench,
    unit,
    ours: median(ours),
    baseline: baseline.length === 0 ? null : median(baseline),
    ratio: hasRatio ? median(ratios) : null,
    spread: spreadOf(ours),
    note,
  }
}

/** The times of one round, microseconds, in any order. */
export type Times = readonly number[]

/** Times of both sides, round by round. */
export interface TimeSamples {
  readonly ours: readonly Times[]
  readonly baseline: readonly Times[]
}

export interface TimesSpec {
  readonly bench: string
  readonly unit: 'µs' | 'ms'
  /** 0.5 for the median, 0.99 … */
  readonly part: number
  readonly note?: string
}

/**
 * A percentile over the times of all rounds together: of rounds with a hundred times or fewer, the median of
 * their own 99 of 100 would leave out the worst moments. The ratio is that of the two percentiles.
 */
export function pooledRow(spec: TimesSpec, { ours, baseline }: TimeSamples): Row {
  const { bench, unit, part, note = '' } = spec
  const of = (times: Times): number =>
    quantile(
      [...times].sort((left, right) => left - right),
      part,
    ) / (unit === 'ms' ? 1_000 : 1)
  const [own, bare] = [of(ours.flat()), baseline.length === 0 ? null : of(baseline.flat())]
  return {
    bench,
    unit,
    ours: own,
    baseline: bare,
    ratio: bare === null || bare === 0 ? null : own / bare,
    spread: spreadOf(ours.map(of)),
    note,
  }
}

function pick(figures: Figures, name: string): number {
  const value = figures[name]
  if (value === undefined) throw new Error(`a round has no figure "${name}"`)
  return value
}

/** By how much the values grow from one to the next: least squares. 0 for fewer than two. */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let [along, square] = [0, 0]
  for (const [at, value] of values.entries()) {
    along += (at - middle) * (value - mean)
    square += (at - middle) ** 2
  }
  return square === 0 ? 0 : along / square
}

/** Runs `work` so often, one after the other, and answers the time of each in microseconds, ascending. */
export async function timesUs(count: number, work: () => Promise<unknown>): Promise<Float64Array> {
  const times = new Float64Array(count)
  for (let at = 0; at < count; at++) {
    const startMs = performance.now()
    await work()
    times[at] = (performance.now() - startMs) * 1_000
  }
  return times.sort()
}

/** Of ascending times. */
export const percentilesUs = (times: Float64Array) => ({
  p50Us: quantile(times, 0.5),
  p99Us: quantile(times, 0.99),
})

/** How many a second when `lanes` loops do it side by side, `count` in all. */
export async function perSecond(
  count: number,
  lanes: number,
  work: (lane: number) => Promise<unknown>,
): Promise<number> {
  let left = count
  const startMs = performance.now()
  const loop = async (lane: number): Promise<void> => {
    while (left-- > 0) await work(lane)
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => loop(lane)))
  return count / ((performance.now() - startMs) / 1_000)
}
