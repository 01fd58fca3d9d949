import { exchangeDayStartMs } from '../../domain/exchange-time.ts'
import type { Turn } from './turn.ts'

const DAY_MS = 86_400_000

/**
 * From when on ended orders are kept as a day opens, and with them the keys under which they came:
 * `ordersKeepDays` whole days before it, and never less than 24 hours before now, whatever day the
 * exchange calls it. Written into the journal, so that folding it needs no configuration.
 *
 * Units   epoch ms of the market clock.
 */
export function keepFromMs({ state, inputs }: Turn, day: string): number {
  const { ordersKeepDays } = state.policy.limits
  return Math.min(exchangeDayStartMs(day) - ordersKeepDays * DAY_MS, inputs.nowMs - DAY_MS)
}
