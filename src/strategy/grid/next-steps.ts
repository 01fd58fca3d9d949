import type { Price } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import type { GridSession } from './session.ts'
import { callbackPrice, LEVEL_UNITS, levelsOf, type Tracker, trackerAt } from './tracker.ts'

/** What a grid waits for on one side. Prices are on the tick size of the stock. */
export interface NextStep {
  readonly side: Side
  /** `level`: it has to be crossed first. `callback`: it was, and the price has to turn back. `other`: the other side's turn comes first. */
  readonly phase: 'level' | 'callback' | 'other'
  /** In units of the session's levels. */
  readonly level: number
  /** The first price that crosses the level, or from which on the order is sent. */
  readonly price: Price
  /** The first price at which the order is sent, if the price turns where it is now; before the crossing if it turns there. */
  readonly sendsAt: Price
  /** Peak or valley that the turn is measured from; of a level that is not crossed, the price that crosses it. */
  readonly from: Price
}

/** Both sides of an active session, by the tracker that trades. */
export const nextSteps = (
  session: Pick<GridSession, 'tracker' | 'currentCenter' | 'intervalPpm' | 'callbackPpm'>,
  tickSize: number,
): Readonly<Record<Side, NextStep>> => ({
  buy: stepOf(session, 'buy', tickSize),
  sell: stepOf(session, 'sell', tickSize),
})

function stepOf(
  { tracker, currentCenter, intervalPpm, callbackPpm }: Parameters<typeof nextSteps>[0],
  side: Side,
  tickSize: number,
): NextStep {
  const direction = side === 'buy' ? 'falling' : 'rising'
  const sends = (at: Tracker) => onTick(callbackPrice(at, callbackPpm), side, tickSize)
  if (tracker.isWaiting && tracker.direction === direction) {
    const price = sends(tracker)
    const from = side === 'buy' ? tracker.valleyPrice : tracker.peakPrice
    return {
      side,
      phase: 'callback',
      level: tracker.crossedLevel ?? 0,
      price,
      sendsAt: price,
      from,
    }
  }
  const { lower, upper } = levelsOf(currentCenter, intervalPpm)
  const level = side === 'buy' ? lower : upper
  const price = beyond(level, side, tickSize)
  const sendsAt = sends({ ...trackerAt(price), direction })
  return { side, phase: tracker.isWaiting ? 'other' : 'level', level, price, sendsAt, from: price }
}

/** A purchase is sent at a price or above it, a sale at it or below. */
const onTick = (price: number, side: Side, tickSize: number): Price =>
  ((side === 'buy' ? Math.ceil(price / tickSize) : Math.floor(price / tickSize)) *
    tickSize) as Price

/** The first price beyond a level, not at it. */
function beyond(level: number, side: Side, tickSize: number): Price {
  const step = tickSize * LEVEL_UNITS
  const ticks = side === 'buy' ? Math.ceil(level / step) - 1 : Math.floor(level / step) + 1
  return (ticks * tickSize) as Price
}
