import { computed, watch } from 'vue'
import type { Bar } from './parts/bars.ts'
import { usePolled } from './poll.ts'

const EVERY_MS = 60_000

/**
 * The candles of what is chosen, a period of a stock say. Until they have come there are none: those that were read before
 * are of another choice, and say so nowhere. Ends with the component that it was called in.
 */
export function useBars(chosen: () => string, load: () => Promise<readonly Bar[]>) {
  const polled = usePolled<{ readonly of: string; readonly bars: readonly Bar[] }>({
    everyMs: EVERY_MS,
    load: async () => {
      const of = chosen()
      return { of, bars: await load() }
    },
  })
  watch(chosen, () => void polled.refresh())
  const bars = computed(() => (polled.data?.of === chosen() ? polled.data.bars : undefined))
  return { polled, bars }
}
