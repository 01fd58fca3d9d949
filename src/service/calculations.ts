import type { BarsMade, BarsWanted } from '../../actors/pool/bars.worker.ts'
import type { Pool } from '../../actors/pool/pool.ts'
import type { Calculations } from '../../http/service.ts'

const BARS = 'actors/pool/bars.worker.ts'

/** Bars of a page, on a thread of the pool. */
export const makeBars = (pool: Pick<Pool, 'run'>, wanted: BarsWanted, timeoutMs: number) =>
  pool.run<BarsMade>(BARS, wanted, { timeoutMs })

/** Calculations that a caller waits for. */
export const calculationsIn = (pool: Pool, timeoutMs: number): Calculations => ({
  bars: (wanted) => makeBars(pool, wanted, timeoutMs),
})
