import { ServiceError } from '../../../domain/errors.ts'
import type { StockCode } from '../../../domain/instrument.ts'
import type { Money } from '../../../domain/money.ts'
import { isCaughtUp, type OrderRecord } from '../../../domain/order.ts'
import { isOpen } from '../../../domain/order-state.ts'
import type { GridSession } from '../../../strategy/grid/session.ts'
import type { GridOrder } from '../../model/grid-book.ts'
import type { AccountState } from '../../model/state.ts'

/** Master switch and grid switch. The third tier is the session's own. */
export const areGridsOn = ({ settings }: AccountState): boolean =>
  settings.ENABLE_AUTO_OPERATION && settings.ENABLE_GRID_TRADING

/** Whether a session acts in the mode that the account is in; the others sleep until theirs comes back. */
export const isAwake = (
  { simulation }: AccountState,
  { isSimulated }: Pick<GridSession, 'isSimulated'>,
): boolean => isSimulated === (simulation !== undefined)

/** The one session of a stock that has not ended, of the mode that the account is in. */
export function liveSession(state: AccountState, code: StockCode): GridSession | undefined {
  for (const id of state.grid.live) {
    const session = state.grid.sessions.get(id)
    if (session?.code === code && isAwake(state, session)) return session
  }
  return undefined
}

export const liveSessions = ({ grid }: AccountState): readonly GridSession[] =>
  grid.live.size === 0 ? NONE : [...grid.live].flatMap((id) => grid.sessions.get(id) ?? [])
const NONE: readonly GridSession[] = []

/** Orders of a session that are not closed. */
export const openOrders = ({ grid }: AccountState, sessionId: number): readonly GridOrder[] =>
  [...grid.open].flatMap((id) => {
    const order = grid.orders.get(id)
    return order?.sessionId === sessionId ? order : []
  })

/** Money that purchases under way may still take from the quota, or have taken without being booked. */
export function reservedOf(state: AccountState, sessionId: number): Money {
  let reserved = 0
  for (const grid of openOrders(state, sessionId)) {
    if (grid.side !== 'buy') continue
    const order = state.orders.get(grid.clientOrderId)
    const unbooked = (order?.filledAmount ?? 0) - grid.bookedAmount
    reserved += restOf(grid, order) * grid.reservedPrice + unbooked
  }
  return reserved as Money
}

/** Shares that it may still buy. One that has ended takes nothing from the order that is sent in its place. */
function restOf({ requested }: GridOrder, order: OrderRecord | undefined): number {
  if (order === undefined) return requested
  const isOver = !isOpen(order.status) && isCaughtUp(order)
  return isOver ? 0 : requested - order.filledQuantity
}

/** Number of the next session. */
export const nextSessionId = ({ grid }: AccountState): number =>
  Math.max(0, ...grid.sessions.keys()) + 1

/** A session that is kept, ended or not. Errors  `UNKNOWN_GRID_SESSION`. */
export function getSession({ grid }: AccountState, id: number): GridSession {
  const session = grid.sessions.get(id)
  if (session !== undefined) return session
  throw new ServiceError('UNKNOWN_GRID_SESSION', `网格会话不存在: ${id} (no such session)`)
}
