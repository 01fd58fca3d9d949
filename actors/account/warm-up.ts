import { setImmediate as othersFirst } from 'node:timers/promises'
import type { Rehearsal } from './rehearsal.ts'

export interface WarmUpLimits {
  /** Made-up sales that are played before an account counts as ready; 0 = none. */
  readonly warmUpSales: number
  /** After which it counts as ready without the rest. */
  readonly warmUpMs: number
}

export interface WarmUpOptions {
  readonly limits: WarmUpLimits
  /** Makes the account that does not exist, with so many stocks to sell. */
  readonly rehearse: (sales: number) => Pick<Rehearsal, 'play'>
  /** Monotonic. */
  readonly nowMs: () => number
  /** What waits for the account in its event loop is done first; in a test something else. */
  readonly othersFirst?: () => Promise<unknown>
  readonly log: { warn(fields: object, message: string): void }
}

/**
 * Code that runs for the first time is compiled and learned first, and costs several times what it costs later.
 * So a thread sells something that does not exist before it counts as ready: the first stop of a day is
 * not the first sale of its thread. Whatever the account is asked or told meanwhile comes first, and
 * a rehearsal that fails, or takes too long, keeps no account from its work.
 */
export async function warmUp({
  limits,
  rehearse,
  nowMs,
  othersFirst: yields = othersFirst,
  log,
}: WarmUpOptions): Promise<void> {
  const { warmUpSales, warmUpMs } = limits
  if (warmUpSales === 0) return
  const endMs = nowMs() + warmUpMs
  try {
    for (const _ of rehearse(warmUpSales).play()) {
      await yields()
      if (nowMs() > endMs) return
    }
  } catch (error) {
    log.warn({ err: error }, 'the rehearsal of a sale failed; the account starts without it')
  }
}
