import { grid } from './grid/manifest.ts'
import type { StrategyManifest } from './manifest.ts'
import { stopProfit } from './stop-profit/manifest.ts'

/** Every strategy of an account, in the order in which they are asked: protective sales come first. */
export const STRATEGIES: readonly StrategyManifest[] = [stopProfit, grid]

/** The strategy of a decision in the journal. One without a name is of the time when only one strategy gave reasons. */
export const reasonedBy = (name: string | undefined): StrategyManifest | undefined =>
  name === undefined ? stopProfit : STRATEGIES.find((strategy) => strategy.name === name)
