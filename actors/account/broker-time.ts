import type { BrokerDeal } from '../../src/domain/order.ts'
import type { DriverEvent } from '../../src/protocol/driver.ts'
import type { AccountActorDeps } from './deps.ts'

type Told = Pick<AccountActorDeps, 'clock' | 'isReal' | 'market'>

/** While nobody is sure of the time: a real broker's rows say on which day it lives. */
export function tellBrokerTime(event: DriverEvent, { clock, isReal, market }: Told): void {
  if (!isReal || clock.doubt?.() === undefined) return
  const timeMs = newestMs(event)
  if (timeMs > 0) market({ kind: 'brokerTime', timeMs }).catch(() => undefined)
}

/** Time of the newest order or deal that the broker shows, epoch ms; 0 when it shows none, or tells no time. */
function newestMs(event: DriverEvent): number {
  if (event.kind === 'orderPushed') return toldMs(event.order)
  if (event.kind === 'dealPushed') return toldMs(event.deal)
  if (event.kind !== 'queryAnswered' || !event.result.ok) return 0
  const { what, rows } = event.result.value
  if (what !== 'orders' && what !== 'deals') return 0
  return rows.reduce((newest, row) => Math.max(newest, toldMs(row)), 0)
}

/** What stands in for a time is of the clock that is in doubt. */
const toldMs = ({ timeMs, isUndated }: Pick<BrokerDeal, 'timeMs' | 'isUndated'>): number =>
  isUndated ? 0 : timeMs
