import { believed } from '../shared/freshness.ts'
import type { Polled } from '../shared/poll.ts'
import { moneyOf } from '../shared/wire.ts'
import type { Standing } from './standings.ts'
import { type AccountFigures, profitOf } from './totals.ts'
import type { AccountFeed } from './watch.ts'

/** How a block is read: whatever came last, or only what may still be believed. */
type Take = <T>(block: Polled<T>) => T | undefined

export const whatCame: Take = ({ data }) => data
export const whatHolds =
  (nowMs: number): Take =>
  (block) =>
    believed(block, nowMs)

/**
 * The figures of an account. Nothing but money tells whether the trading client has reported what there is; where it was told
 * with the result of the day, that goes first: a total of another moment contradicts the result beside it, and so does what
 * the holdings have earned.
 */
export function figuresOf(
  feed: AccountFeed,
  take: Take,
  told?: Pick<Standing, 'money' | 'holdings'>,
): AccountFigures {
  const status = take(feed.status)
  const state = take(feed.state)
  const money = told?.money ?? moneyOf(status)
  const metrics = money && ((told?.money && told.holdings) ?? take(feed.positions)?.metrics)
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
