import type { Price } from '../../domain/money.ts'
import { pnlOf } from './pnl.ts'
import { PPM, ratioOf } from './ratios.ts'
import type { GridSession } from './session.ts'

/** Why a session ends by itself. */
export type ExitReason =
  | 'deviation'
  | 'target_profit'
  | 'stop_loss'
  | 'expired'
  | 'position_cleared'

export interface ExitInput {
  readonly price: Price
  readonly nowMs: number
  /** The holding has been gone for two looks in a row. */
  readonly isCleared: boolean
}

/** Ratios of money that agree to so much are equal: the exact threshold counts. */
const EQUAL = 1e-9

/**
 * The first reason to end an active session at this price.
 *
 * Source  docs/domain.md 6.12.
 */
export function exitOf(session: GridSession, input: ExitInput): ExitReason | undefined {
  if (isTooFar(session, input.price)) return 'deviation'
  const profit = profitAt(session, input.price)
  const { buyCount, sellCount } = session
  if (buyCount > 0 && sellCount > 0 && profit >= ratioOf(session.targetProfitPpm) - EQUAL) {
    return 'target_profit'
  }
  if (buyCount > 0 && profit <= ratioOf(session.stopLossPpm) + EQUAL) return 'stop_loss'
  if (isExpired(session, input.nowMs)) return 'expired'
  return input.isCleared ? 'position_cleared' : undefined
}

/** Also a paused session ends when its time is over. */
export const isExpired = ({ endMs }: GridSession, nowMs: number): boolean => nowMs > endMs

export const profitAt = (session: GridSession, price: Price): number =>
  pnlOf({ session, ledger: session.ledger, price, held: undefined }).profitRatio

/** Whether a session is over at this price for its distance from the centers: beyond the limit itself, not at it. */
export const isTooFar = (session: GridSession, price: Price): boolean =>
  isCenterTooFar(session) || isBeyond(session, price, session.currentCenter)

/** Whether the last trade has moved the center so far that the next look ends the session, whatever the price. */
export const isCenterTooFar = (session: GridSession): boolean =>
  isBeyond(session, session.currentCenter, session.centerPrice)

const isBeyond = (
  { maxDeviationPpm }: Pick<GridSession, 'maxDeviationPpm'>,
  value: number,
  from: number,
): boolean => from > 0 && Math.abs(value - from) * PPM > maxDeviationPpm * from
