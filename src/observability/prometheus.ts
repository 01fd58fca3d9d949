import { collectDefaultMetrics, Registry } from 'prom-client'

export interface Sample {
  /** Behind the name of the family: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** One name of the exposition with all its samples. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

const family =
  (type: Family['type']) =>
  (name: string, help: string, samples: readonly Sample[]): Family => ({
    name,
    help,
    type,
    samples,
  })
export const counter = family('counter')
export const gauge = family('gauge')
export const histogram = family('histogram')

/** Of a histogram, as much as the exposition shows. */
interface Counted {
  readonly count: number
  readonly sumMs: number
  countUntil(ms: number): number
}

const BOUNDS_MS = [
  0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
]

/** In seconds, as Prometheus wants durations. */
export function histogramSamples(
  histogram: Counted,
  labels: Readonly<Record<string, string>>,
): Sample[] {
  const { count } = histogram
  const buckets = BOUNDS_MS.map((bound) => ({
    suffix: '_bucket',
    labels: { ...labels, le: String(bound / 1_000) },
    value: histogram.countUntil(bound),
  }))
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: histogram.sumMs / 1_000 },
    { suffix: '_count', labels, value: count },
  ]
}

/** The text format. Families without a sample are left out. */
export const exposition = (families: readonly Family[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map(lineOf(name))].join('\n'),
    )
    .map((text) => `${text}\n`)
    .join('')

const lineOf =
  (name: string) =>
  ({ suffix = '', labels, value }: Sample): string => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
    const shown = pairs.length === 0 ? '' : `{${pairs.join(',')}}`
    return `${name}${suffix}${shown} ${value}`
  }

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** What is known of the process itself: event loop, heap, garbage collection, processor time. */
export class ProcessMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  readonly #registry = new Registry()

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  close(): void {
    this.#registry.clear()
  }
}
