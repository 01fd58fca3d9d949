import { isSameFactor, type PriceFactor, SAME, scaled } from '../../domain/ex-day.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Price } from '../../domain/money.ts'
import { afterExDay, type Ledger } from './ledger.ts'
import type { GridExDay, GridPrices, GridSession } from './session.ts'
import { type Tracker, trackerAt } from './tracker.ts'

/** What is told of an ex-day. `off`: where the market says it; else it follows from the center. */
interface Told extends Pick<GridExDay, 'day' | 'factor' | 'off'> {
  /** A trade of that day has been booked before. */
  readonly hasTraded?: boolean
}

/**
 * The centers, the tracker and the ledger of a session on the scale of an ex-day. What a trade or a price of the day has set
 * is of the new scale already, and stays.
 */
export function rescaledSession(
  session: GridSession,
  { day, factor, off: told, hasTraded = false }: Told,
): GridPrices & { readonly exDay: GridExDay; readonly ledger?: Ledger } {
  const { centerPrice, currentCenter, tracker } = session
  const known = session.exDay?.day === day ? session.exDay : undefined
  const before = known?.before ?? { centerPrice, currentCenter, tracker }
  const earlier = known?.factor ?? SAME
  const moved = (was: Price, now: Price): Price =>
    now === scaled(was, earlier) ? scaled(was, factor) : now
  const off = told ?? before.currentCenter - scaled(before.currentCenter, factor)
  const ledger = afterExDay(session.ledger, { day, off: off - (known?.off ?? 0) })
  const isTracked =
    isSameFactor(earlier, factor) || !isSameTracker(tracker, scaledTracker(before.tracker, earlier))
  // Prices of the day that came before anybody told of it have crossed levels of the old scale.
  const isCrossed = known === undefined && exchangeDay(session.actedTickMs) >= day
  const moving = isCrossed ? trackerAt(tracker.lastPrice) : scaledTracker(before.tracker, factor)
  return {
    centerPrice: moved(before.centerPrice, centerPrice),
    currentCenter:
      known === undefined && hasTraded ? currentCenter : moved(before.currentCenter, currentCenter),
    tracker: isTracked ? tracker : moving,
    exDay: { day, factor, off, before },
    ...(ledger !== session.ledger && { ledger }),
  }
}

const scaledTracker = (tracker: Tracker, factor: PriceFactor): Tracker => ({
  ...tracker,
  lastPrice: scaled(tracker.lastPrice, factor),
  peakPrice: scaled(tracker.peakPrice, factor),
  valleyPrice: scaled(tracker.valleyPrice, factor),
  crossedLevel:
    tracker.crossedLevel === null
      ? null
      : Math.round((tracker.crossedLevel * factor.to) / factor.of),
})

const isSameTracker = (one: Tracker, other: Tracker): boolean =>
  one.peakPrice === other.peakPrice &&
  one.valleyPrice === other.valleyPrice &&
  one.isWaiting === other.isWaiting &&
  one.direction === other.direction
