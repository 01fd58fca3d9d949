import type { Tri } from '../shared/freshness.ts'
import type { CommonKey } from '../shared/texts/index.ts'
import type { Switches } from '../shared/wire.ts'

/** The switches that a monitor shows, absent ones as unknown. */
export function switchList(
  settings: Switches | undefined,
): readonly { key: CommonKey; value: Tri }[] {
  const tri = (value: boolean | null | undefined): Tri => value ?? null
  return [
    { key: 'gate.master', value: tri(settings?.isMonitoring) },
    { key: 'gate.stopProfit', value: tri(settings?.enableAutoTrading) },
    { key: 'gate.grid', value: tri(settings?.enableGridTrading) },
    { key: 'gate.allowBuy', value: tri(settings?.allowBuy) },
    { key: 'gate.allowSell', value: tri(settings?.allowSell) },
  ]
}
