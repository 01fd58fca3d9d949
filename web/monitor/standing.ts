import { computed } from 'vue'
import { believed, oldest, type Tri } from '../shared/freshness.ts'
import { clock } from '../shared/poll.ts'
import { decidersOf } from '../shared/standing.ts'
import type { AccountFeed } from './watch.ts'

/** What a monitor knows of how an account stands, for as long as it may be believed. */
export function useStanding(feed: AccountFeed) {
  const status = computed(() => believed(feed.status, clock.nowMs))
  const state = computed(() => believed(feed.state, clock.nowMs))
  const kill = computed(() => believed(feed.kill, clock.nowMs))
  /** Whether it works with simulated money; null = not known. */
  const isSimulation = computed<Tri>(
    () => status.value?.settings.simulationMode ?? state.value?.simulation_mode ?? null,
  )
  const deciders = computed(() =>
    decidersOf({
      isConnected: status.value?.connection?.connected ?? state.value?.connected,
      switches: { ...status.value?.settings, simulationMode: isSimulation.value },
      kill: kill.value,
      rows: believed(feed.positions, clock.nowMs)?.rows,
      grids: believed(feed.grids, clock.nowMs),
    }),
  )
  const updatedAt = computed(() => oldest([feed.status, feed.kill, feed.positions, feed.grids]))
  return { status, state, kill, isSimulation, deciders, updatedAt }
}
