import { randomBytes } from 'node:crypto'
import { JobDesk } from '../../../actors/jobs/job-desk.ts'
import type { BarsMade, BarsWanted } from '../../../actors/pool/bars.worker.ts'
import type { MacdWanted } from '../../../actors/pool/macd.worker.ts'
import { Pool } from '../../../actors/pool/pool.ts'
import type { SoundsWanted } from '../../../actors/pool/sounds.worker.ts'
import type { Calculations } from '../../../http/port/service.ts'
import type { Config } from '../../config/schema.ts'
import type { Result } from '../../domain/result.ts'
import type { Logger } from '../../observability/logger.ts'
import type { JobRunner } from '../../protocol/job.ts'
import type { MacdAdvice } from '../../strategy/macd.ts'
import type { DiskWatch } from '../process/disk-watch.ts'
import { randomKey } from '../process/random-key.ts'
import { backtestLimits, jobLimits, poolLimits } from '../settings/limits.ts'
import type { Scope } from '../settings/scope.ts'
import type { ActorSystem } from './actor-system.ts'
import { type JobKindDeps, jobKinds } from './job-kinds.ts'

interface JobOptions {
  readonly config: Config
  readonly scope: Scope
  readonly system: ActorSystem
  readonly log: Logger
  readonly market: JobKindDeps['market']
  readonly disk: DiskWatch
}

/** The pool and the desk of jobs of one process. */
export function createJobs({ config, scope, system, log, market, disk }: JobOptions) {
  const pool = new Pool(poolLimits(config.limits))
  const runner: JobRunner = { pid: process.pid, key: randomBytes(8).toString('hex') }
  const desk = new JobDesk({
    kinds: jobKinds({
      market,
      nowMs: () => system.clock.nowMs(),
      replayFile: config.market.source === 'replay' ? config.market.file : undefined,
      backtest: backtestLimits(config.limits),
    }),
    pool,
    limits: jobLimits(config.limits),
    records: (request) => system.records(request),
    runner,
    isAlive: (other) => other.key === runner.key || isAlive(other.pid),
    isOurs: (job) => isServed(scope, job),
    nowMs: () => Date.now(),
    newId: randomKey,
    mustHaveRoom: () => disk.mustHaveRoom(),
    log,
  })
  const calculations = calculationsIn(pool, config.limits.jobs.calculation_ms_max)
  return { pool, desk, calculations }
}

/** Of two processes that could do a job only one serves its backend, so only one takes it up. */
function isServed(scope: Scope, job: { place: string; accountId: string }): boolean {
  if (scope.kind === 'up') return true
  if (scope.kind === 'gateway') return job.place === 'gateway'
  return job.place === 'direct' && job.accountId === scope.accountId
}

/** A process of another life may have had the number of this one, but not both at once. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const BARS = 'actors/pool/bars.worker.ts'
const MACD = 'actors/pool/macd.worker.ts'
const SOUNDS = 'actors/pool/sounds.worker.ts'

/** Calculations that a caller waits for. */
const calculationsIn = (pool: Pool, timeoutMs: number): Calculations => ({
  bars: (wanted) => pool.run<BarsMade>(BARS, wanted satisfies BarsWanted, { timeoutMs }),
  macd: (wanted) =>
    pool.run<Result<MacdAdvice, string>>(MACD, wanted satisfies MacdWanted, { timeoutMs }),
  sounds: (names) =>
    pool.run<readonly string[]>(SOUNDS, names satisfies SoundsWanted, { timeoutMs }),
})
