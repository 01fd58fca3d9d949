import { computed } from 'vue'
import { believed, oldest } from '../shared/freshness.ts'
import { clock } from '../shared/poll.ts'
import { decidersOf } from '../shared/standing.ts'
import { figuresOf, whatHolds } from './figures.ts'
import type { AccountFeed } from './watch.ts'

/** What a monitor knows of how an account stands, for as long as it may be believed. */
export function useStanding(feed: AccountFeed) {
  const status = computed(() => believed(feed.status, clock.nowMs))
  const kill = computed(() => believed(feed.kill, clock.nowMs))
  const sure = computed(() => figuresOf(feed, whatHolds(clock.nowMs)))
  const deciders = computed(() =>
    decidersOf({
      isConnected: sure.value.isConnected ?? undefined,
      switches: { ...status.value?.settings, simulationMode: sure.value.isSimulation },
      kill: kill.value,
      rows: believed(feed.positions, clock.nowMs)?.rows,
      grids: believed(feed.grids, clock.nowMs),
    }),
  )
  const updatedAt = computed(() => oldest([feed.status, feed.kill, feed.positions, feed.grids]))
  return { status, kill, sure, deciders, updatedAt }
}
