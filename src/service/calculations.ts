import type { BarsMade, BarsWanted } from '../../actors/pool/bars.worker.ts'
import type { MacdWanted } from '../../actors/pool/macd.worker.ts'
import type { Pool } from '../../actors/pool/pool.ts'
import type { Calculations } from '../../http/service.ts'
import type { Result } from '../domain/result.ts'
import type { MacdAdvice } from '../strategy/macd.ts'

const BARS = 'actors/pool/bars.worker.ts'
const MACD = 'actors/pool/macd.worker.ts'

/** Calculations that a caller waits for. */
export const calculationsIn = (pool: Pool, timeoutMs: number): Calculations => ({
  bars: (wanted) => pool.run<BarsMade>(BARS, wanted satisfies BarsWanted, { timeoutMs }),
  macd: (wanted) =>
    pool.run<Result<MacdAdvice, string>>(MACD, wanted satisfies MacdWanted, { timeoutMs }),
})
