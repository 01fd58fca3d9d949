import { useAlarm } from '../shared/alarm.ts'
import { believed, freshnessOf } from '../shared/freshness.ts'
import { clock } from '../shared/poll.ts'
import { decidersOf, isWorking } from '../shared/standing.ts'
import type { useDesk } from './desk.ts'

/** Tells of the account what a person wants to hear who does not look at the page. Call once. */
export function useDeskAlarm(desk: ReturnType<typeof useDesk>): void {
  useAlarm(() => {
    const { accountId, live } = desk
    const heardAt = Math.max(desk.switchesAt ?? 0, live?.status.updatedAt ?? 0)
    if (accountId === '' || live === undefined || heardAt === 0) return []
    const now = clock.nowMs
    const kill = believed(live.kill, now)
    const { isConnected, hasQuotes } = decidersOf({
      isConnected: desk.status?.connection?.connected,
      switches: desk.switches,
      kill,
      rows: believed(live.positions, now)?.data,
      grids: undefined,
    })
    const found = believed(live.books, now)?.differences
    return [
      {
        accountId,
        isAnswering: freshnessOf(heardAt, now) !== 'lost',
        isWorking: isWorking(kill),
        isMasterOn: desk.switches.isMonitoring ?? null,
        isSimulation: desk.switches.simulationMode ?? null,
        isConnected,
        hasQuotes,
        killLevel: kill?.level_in_force,
        orders: believed(live.orders, now),
        // They are numbered: the last number tells how many there were.
        differences: found && Math.max(0, ...found.map(({ id }) => id)),
      },
    ]
  })
}
