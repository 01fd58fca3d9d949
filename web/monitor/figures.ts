import { believed, type Tri } from '../shared/freshness.ts'
import type { Polled } from '../shared/poll.ts'
import { type Addend, accountSum } from '../shared/sums.ts'
import { type AccountMoney, moneyOf, type PositionMetrics } from '../shared/wire.ts'
import type { AccountFeed } from './watch.ts'

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

/** How a block is read: whatever came last, or only what may still be believed. */
type Take = <T>(block: Polled<T>) => T | undefined

export const whatCame: Take = ({ data }) => data
export const whatHolds =
  (nowMs: number): Take =>
  (block) =>
    believed(block, nowMs)

/** What has no cost the service has left out of its profit; what has no price leaves none. */
function profitOf(metrics: PositionMetrics | undefined) {
  const { unpriced_positions: unpriced = 0, uncosted_positions: uncosted = 0 } = metrics ?? {}
  const isKnown = unpriced === 0 && (uncosted === 0 || uncosted < (metrics?.total_positions ?? 0))
  // There it counts with its worth: as a share of that the profit would be too small.
  const isRated = isKnown && uncosted === 0
  return {
    profit: isKnown ? metrics?.total_profit : undefined,
    profitRatio: isRated ? (metrics?.total_profit_ratio ?? metrics?.profit_ratio) : undefined,
    unpriced,
    uncosted,
  }
}

/** The figures of an account. Nothing but money tells whether the trading client has reported what there is. */
export function figuresOf(feed: AccountFeed, take: Take): AccountFigures {
  const status = take(feed.status)
  const state = take(feed.state)
  const money = moneyOf(status)
  const metrics = money && take(feed.positions)?.metrics
  const isSimulation = status?.settings.simulationMode ?? state?.simulation_mode ?? null
  const isConnected = status?.connection?.connected ?? state?.connected ?? null
  return {
    money,
    ...profitOf(metrics),
    pending: money && take(feed.orders)?.filter((order) => order.is_pending).length,
    isSimulation,
    isConnected,
    isOld: isConnected === false && isSimulation === false,
  }
}

/** Accounts together, each figure for itself. */
export function totalsOf(accounts: readonly AccountFigures[]) {
  const sum = (value: (of: AccountFigures) => number | undefined) =>
    accountSum(accounts.map((of): Addend => ({ ...of, value: value(of) })))
  const of = (is: Tri): number => accounts.filter((one) => one.isConnected === is).length
  return {
    money: sum(({ money }) => money?.total),
    profit: sum(({ profit }) => profit),
    /** Holdings that are not in it. */
    uncosted: accounts.reduce((all, one) => all + one.uncosted, 0),
    /** Orders are orders, simulated or not. */
    pending: accountSum(
      accounts.map(({ pending }) => ({ value: pending, isSimulation: false, isOld: false })),
    ),
    up: of(true),
    unconnected: of(null),
  }
}
