import { useAlarm } from '../shared/alarm.ts'
import { believed, freshnessOf } from '../shared/freshness.ts'
import { clock } from '../shared/poll.ts'
import { decidersOf, isWorking } from '../shared/standing.ts'
import { figuresOf, whatHolds } from './figures.ts'
import { heardOf, isRun } from './standings.ts'
import type { useWatch } from './watch.ts'

/** Tells of all accounts what a person wants to hear who does not look at the page. Call once. */
export function useWatchAlarm(watch: ReturnType<typeof useWatch>): void {
  useAlarm(() => {
    const now = clock.nowMs
    if (watch.isMany) {
      const rows = believed(watch.overview, now)
      return (watch.overview?.data ?? []).map((row) => heardOf(row, rows !== undefined))
    }
    const told = believed(watch.overview, now)
    return watch.list.flatMap((feed) => {
      const heardAt = Math.max(feed.status.updatedAt ?? 0, feed.kill.updatedAt ?? 0)
      if (heardAt === 0) return []
      const kill = believed(feed.kill, now)
      const { isConnected, isSimulation } = figuresOf(feed, whatHolds(now))
      const deciders = decidersOf({
        isConnected: isConnected ?? undefined,
        switches: { simulationMode: isSimulation },
        kill,
        rows: believed(feed.positions, now)?.rows,
        grids: undefined,
      })
      return {
        accountId: feed.accountId,
        isAnswering: freshnessOf(heardAt, now) !== 'lost',
        isRun: isRun(told?.find((row) => row.account_id === feed.accountId)?.place),
        isWorking: isWorking(kill),
        isMasterOn: believed(feed.status, now)?.settings.isMonitoring ?? null,
        isSimulation,
        isConnected: deciders.isConnected,
        hasQuotes: deciders.hasQuotes,
        killLevel: kill?.level_in_force,
        orders: believed(feed.orders, now),
        differences: undefined,
      }
    })
  })
}
