import { isOpen } from '../../domain/order-state.ts'
import type { JournaledEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/** So many numbered orders that no list has shown are asked about at once, and not with the next poll. */
const UNSEEN_ASKED = 32

/**
 * After every input: holdings and cash are asked for when something has happened that moves them, for what is
 * pushed cannot raise what may be sold or spent, and some clients push nothing. One question at a time.
 */
export function askForBooks(turn: Turn): void {
  const { state } = turn
  if (!state.isReady || state.simulation !== undefined) return
  state.isBooksWanted ||= turn.events.some((journaled) => movesBooks(state, journaled))
  if (!state.isBooksWanted || turn.isAsked('books')) return
  state.isBooksWanted = false
  turn.query('positions', 'books')
  turn.query('asset', 'books')
}

function movesBooks(state: AccountState, { event }: JournaledEvent): boolean {
  switch (event.kind) {
    case 'dealBooked':
    case 'dayOpened':
    case 'orderAdopted':
    case 'doubtDecided':
      return true
    case 'orderMoved':
    case 'orderReported': {
      const { clientOrderId, before } = event
      const order = state.orders.get(clientOrderId)
      const hasEnded = order !== undefined && !isOpen(order.status)
      return hasEnded ? before === undefined || isOpen(before) : state.unseen.size >= UNSEEN_ASKED
    }
    default:
      return false
  }
}

/** After every input: while a client pushes no news of orders, a timer looks after those that are open. */
export function watchOpen(turn: Turn): void {
  const { state } = turn
  if (state.isWatchingOpen || !isToWatch(state)) return
  state.isWatchingOpen = true
  turn.timer('open', state.policy.limits.openOrdersQueryMs)
}

/** Their rows and deals, one look at a time. The timer is set again after this input. */
export function pollOpen(turn: Turn): void {
  const { state } = turn
  state.isWatchingOpen = false
  if (!isToWatch(state) || turn.isAsked('open')) return
  turn.query('orders', 'open')
  turn.query('deals', 'open')
}

const isToWatch = ({ isReady, isPushing, orders }: AccountState): boolean =>
  isReady && !isPushing && orders.openCount > 0
