import { computed } from 'vue'
import { believed, oldest } from '../shared/freshness.ts'
import { clock, usePolled } from '../shared/poll.ts'
import { decidersOf } from '../shared/standing.ts'
import type { GridSessionRow, GridSessionsAnswer } from '../shared/wire.ts'
import type { useDesk } from './desk.ts'

/** What decides whether strategies may trade, and when the oldest of it was read. For a component that shows it. */
export function useStanding(desk: ReturnType<typeof useDesk>) {
  const grids = usePolled<readonly GridSessionRow[]>({
    everyMs: 9_000,
    load: async () => (await desk.get<GridSessionsAnswer>('/api/grid/sessions')).sessions,
  })
  const deciders = computed(() => {
    const now = clock.nowMs
    return decidersOf({
      isConnected: desk.status?.connection?.connected,
      switches: desk.switches,
      kill: believed(desk.live?.kill, now),
      rows: believed(desk.live?.positions, now)?.data,
      grids: believed(grids, now),
    })
  })
  const updatedAt = computed(() =>
    oldest([
      { updatedAt: desk.switchesAt },
      desk.live?.status,
      desk.live?.kill,
      desk.live?.positions,
      grids,
    ]),
  )
  return { deciders, updatedAt }
}
