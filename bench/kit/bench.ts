import { parseArgs } from 'node:util'
import type { Row } from './figures.ts'
import { table } from './report.ts'

export const ROUNDS_DEFAULT = 5
const SECONDS_DEFAULT = 20

export interface BenchOptions {
  /** Measured rounds, after one to warm up. */
  readonly rounds: number
  /** How long a bench lasts that is about lasting. */
  readonly seconds: number
}

/** Why nothing can be measured here. */
export interface Skipped {
  readonly skipped: string
}

export const isSkipped = (outcome: readonly Row[] | Skipped): outcome is Skipped =>
  'skipped' in outcome

/**
 * The frame of a bench file: measures, then hands the rows to `bench/run.ts`, or prints them when
 * the file was started by hand.
 */
export async function bench(
  measureRows: (options: BenchOptions) => Promise<readonly Row[] | Skipped>,
): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: 'string' }, seconds: { type: 'string' } },
  })
  const rows = await measureRows({
    rounds: Number(values.rounds ?? ROUNDS_DEFAULT),
    seconds: Number(values.seconds ?? SECONDS_DEFAULT),
  })
  if (process.send === undefined) {
    process.stdout.write(`${isSkipped(rows) ? `skipped: ${rows.skipped}` : table(rows)}\n`)
  }
  process.send?.(rows)
  process.disconnect?.()
}
