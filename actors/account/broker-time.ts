import type { DriverEvent } from '../../src/protocol/driver.ts'
import type { AccountActorDeps } from './deps.ts'

type Told = Pick<AccountActorDeps, 'clock' | 'isReal' | 'market'>

/** While nobody is sure of the time: a real broker's rows say on which day it lives. */
export function tellBrokerTime(event: DriverEvent, { clock, isReal, market }: Told): void {
  if (!isReal || clock.doubt?.() === undefined) return
  const timeMs = newestMs(event)
  if (timeMs > 0) market({ kind: 'brokerTime', timeMs }).catch(() => undefined)
}

/** Time of the newest order or deal that the broker shows, epoch ms; 0 when it shows none. */
function newestMs(event: DriverEvent): number {
  if (event.kind === 'orderPushed') return event.order.timeMs
  if (event.kind === 'dealPushed') return event.deal.timeMs
  if (event.kind !== 'queryAnswered' || !event.result.ok) return 0
  const { what, rows } = event.result.value
  if (what !== 'orders' && what !== 'deals') return 0
  return rows.reduce((newest, row) => Math.max(newest, row.timeMs), 0)
}
