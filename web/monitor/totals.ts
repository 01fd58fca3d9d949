import type { Tri } from '../shared/freshness.ts'
import { type Addend, accountSum } from '../shared/sums.ts'
import type { AccountMoney, PositionMetrics } from '../shared/wire.ts'

/** What is shown of an account; undefined = not known. */
export interface AccountFigures {
  readonly money: AccountMoney | undefined
  readonly profit: number | undefined
  /** Ratio. */
  readonly profitRatio: number | undefined
  /** Holdings without a price, and without a cost. */
  readonly unpriced: number
  readonly uncosted: number
  readonly pending: number | undefined
  /** Whether the money is simulated. */
  readonly isSimulation: Tri
  readonly isConnected: Tri
  /** The money is from before the trading client was lost. */
  readonly isOld: boolean
}

/** What has no cost the service has left out of its profit; what has no price leaves none. */
export function profitOf(metrics: PositionMetrics | undefined) {
  const { unpriced_positions: unpriced = 0, uncosted_positions: uncosted = 0 } = metrics ?? {}
  const isKnown = unpriced === 0 && (uncosted === 0 || uncosted < (metrics?.total_positions ?? 0))
  // There it counts with its worth: as a share of that the profit would be too small.
  // And nothing is no part of nothing.
  const isRated = isKnown && uncosted === 0 && metrics?.total_cost !== 0
  return {
    profit: isKnown ? metrics?.total_profit : undefined,
    profitRatio: isRated ? (metrics?.total_profit_ratio ?? metrics?.profit_ratio) : undefined,
    unpriced,
    uncosted,
  }
}

/** Whether none of its holdings has a cost: in a sum it is left out, as one such holding is. */
const isAllUncosted = ({ profit, unpriced, uncosted }: AccountFigures): boolean =>
  profit === undefined && unpriced === 0 && uncosted > 0

/** Accounts together, each figure for itself. */
export function totalsOf(accounts: readonly AccountFigures[]) {
  const sum = (value: (of: AccountFigures) => number | undefined) =>
    accountSum(accounts.map((of): Addend => ({ ...of, value: value(of) })))
  const of = (is: Tri): number => accounts.filter((one) => one.isConnected === is).length
  const isSimulation = accounts.every((one) => one.isSimulation === true)
  const counted = accounts.filter((one) => isSimulation || one.isSimulation !== true)
  const isNoneCosted = counted.every(isAllUncosted)
  return {
    money: sum(({ money }) => money?.total),
    profit: sum((one) => (!isNoneCosted && isAllUncosted(one) ? 0 : one.profit)),
    /** Holdings that are not in it; accounts that are not are told of beside. */
    uncosted: counted.reduce((all, one) => all + one.uncosted, 0),
    /** Orders are orders, simulated or not. */
    pending: accountSum(
      accounts.map(({ pending }) => ({ value: pending, isSimulation: false, isOld: false })),
    ),
    up: of(true),
    unconnected: of(null),
  }
}
