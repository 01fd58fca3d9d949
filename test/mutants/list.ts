import { ACCESS_MUTANTS } from './access.ts'
import { ACCOUNTS_MUTANTS } from './accounts.ts'
import { AMEND_MUTANTS } from './amend.ts'
import { CLOCK_MUTANTS } from './clock.ts'
import { CLUSTER_MUTANTS } from './cluster.ts'
import { CLUSTER_ENGINE_MUTANTS } from './cluster-engine.ts'
import { CLUSTER_JOURNAL_MUTANTS } from './cluster-journal.ts'
import { COPIES_MUTANTS } from './copies.ts'
import { DAYS_MUTANTS } from './days.ts'
import { DOUBT_MUTANTS } from './doubt.ts'
import { EX_DAY_MUTANTS } from './ex-day.ts'
import { FORWARDED_MUTANTS } from './forwarded.ts'
import { GATEWAY_MUTANTS } from './gateway.ts'
import { GRID_MUTANTS } from './grid.ts'
import { LISTS_MUTANTS } from './lists.ts'
import { MONEY_MUTANTS } from './money.ts'
import type { Mutant } from './mutant.ts'
import { NEWS_MUTANTS } from './news.ts'
import { NUMBERS_MUTANTS } from './numbers.ts'
import { PRICE_MUTANTS } from './prices.ts'
import { QUEUE_MUTANTS } from './queue.ts'
import { RUNTIME_MUTANTS } from './runtime.ts'
import { SAFETY_MUTANTS } from './safety.ts'
import { SERVERS_MUTANTS } from './servers.ts'
import { STOPS_MUTANTS } from './stops.ts'
import { STORAGE_MUTANTS } from './storage.ts'
import { STRATEGY_MUTANTS } from './strategy.ts'
import { STREAMS_MUTANTS } from './streams.ts'
import { TERMINAL_MUTANTS } from './terminal.ts'

/** Bugs that would lose somebody's money, each with the test that must notice it. */
export const MUTANTS: readonly Mutant[] = [
  ...DOUBT_MUTANTS,
  ...LISTS_MUTANTS,
  ...NUMBERS_MUTANTS,
  ...MONEY_MUTANTS,
  ...NEWS_MUTANTS,
  ...PRICE_MUTANTS,
  ...SAFETY_MUTANTS,
  ...STRATEGY_MUTANTS,
  ...GRID_MUTANTS,
  ...STOPS_MUTANTS,
  ...STORAGE_MUTANTS,
  ...COPIES_MUTANTS,
  ...CLOCK_MUTANTS,
  ...DAYS_MUTANTS,
  ...ACCESS_MUTANTS,
  ...ACCOUNTS_MUTANTS,
  ...EX_DAY_MUTANTS,
  ...QUEUE_MUTANTS,
  ...AMEND_MUTANTS,
  ...CLUSTER_MUTANTS,
  ...CLUSTER_JOURNAL_MUTANTS,
  ...CLUSTER_ENGINE_MUTANTS,
  ...FORWARDED_MUTANTS,
  ...RUNTIME_MUTANTS,
  ...SERVERS_MUTANTS,
  ...STREAMS_MUTANTS,
  ...TERMINAL_MUTANTS,
  ...GATEWAY_MUTANTS,
]
