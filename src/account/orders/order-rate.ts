import type { SignalType } from '../../domain/order.ts'
import { isProtectiveWish } from '../../domain/protective.ts'
import type { RiskInput, RiskOrder } from '../../domain/risk-input.ts'
import { ownerOf } from '../model/order-book.ts'
import type { HeldBack, Instant } from '../model/order-queue.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/** What `risk.max_orders_per_second` counts over. */
const SECOND_MS = 1_000
/**
 * How long people's orders leave the next place to a strategy that found none. It comes again within a
 * second; one that does not want its order any more keeps nobody back for longer.
 */
const YIELD_MS = 2 * SECOND_MS

/** Who wants an order: a person, or a strategy with a signal or without. */
export interface Rated extends Pick<RiskOrder, 'code' | 'side'> {
  readonly strategy?: string | undefined
  readonly signalType?: SignalType | undefined
}

/** Orders a second; 0 = any number. A simulation has no broker to be spared. */
export const rateOf = ({ risk, simulation }: AccountState): number =>
  simulation === undefined ? risk.maxOrdersPerSecond : 0

/** Remembers that an order leaves now. */
export function markSent({ state, inputs }: Turn): void {
  const { nowMs, wallMs } = inputs
  state.sent.push({ nowMs, wallMs })
  while (state.sent.length > state.risk.maxOrdersPerSecond) state.sent.shift()
}

/**
 * Orders of the last second, the oldest first. On a live market real time counts, whatever the market clock does.
 * On another, where market time stands still (a replay that is paused) real time moves on, and where it flies
 * real time stands still: an order counts while it is young on both clocks. In a replay that repeats itself
 * exactly nothing that a strategy does hangs on real time.
 */
function sentLastSecond({ state, inputs }: Turn, isOwn: boolean): readonly Instant[] {
  const { tempo } = state.policy
  const isYoung = (thenMs: number, nowMs: number) => nowMs - thenMs < SECOND_MS
  if (tempo === 'real') return state.sent.filter(({ wallMs }) => isYoung(wallMs, inputs.wallMs))
  return state.sent.filter(
    ({ nowMs, wallMs }) =>
      nowMs <= inputs.nowMs &&
      isYoung(nowMs, inputs.nowMs) &&
      ((isOwn && tempo === 'exact') || isYoung(wallMs, inputs.wallMs)),
  )
}

/** By which clock a moment is past: that of the market only where it goes as real time does, or repeats itself. */
const elapsedMs = ({ state, inputs }: Turn, then: Instant): number =>
  state.policy.tempo === 'exact' ? inputs.nowMs - then.nowMs : inputs.wallMs - then.wallMs

/**
 * Places of the second that an order leaves to others. A protective sale leaves none. While the strategies may
 * sell, all others keep one for such a sale; and they all leave the next one to a sale that found none, as orders
 * of people do to any order of a strategy.
 */
function reservedFor(
  turn: Turn,
  order: Pick<Rated, 'side' | 'signalType'>,
  isOwn: boolean,
): number {
  if (isProtectiveWish(order)) return 0
  const { state } = turn
  for (const held of state.heldBack.values()) {
    if ((held.isProtective || !isOwn) && isFresh(turn, held)) return rateOf(state)
  }
  return keptForSales(state)
}

/** A limit of one leaves nothing to keep. */
const keptForSales = (state: AccountState): number =>
  state.settings.ENABLE_AUTO_OPERATION && rateOf(state) > 1 ? 1 : 0

const isFresh = (turn: Turn, { at }: HeldBack): boolean => {
  const ms = elapsedMs(turn, at)
  return ms >= 0 && ms < YIELD_MS
}

/** What the rule about orders a second looks at. */
export const rateInput = (
  turn: Turn,
  order: Rated,
  isOwn: boolean,
): Pick<RiskInput, 'ordersLastSecond' | 'ordersReserved'> => ({
  ordersLastSecond: sentLastSecond(turn, isOwn).length,
  ordersReserved: reservedFor(turn, order, isOwn),
})

/** Whether an order that a strategy wants has a place within this second. */
export function hasPlace(turn: Turn, order: Rated): boolean {
  const all = rateOf(turn.state)
  const { ordersLastSecond, ordersReserved = 0 } = rateInput(turn, order, true)
  return all === 0 || ordersLastSecond + ordersReserved < all
}

/** Places that orders of people have now; any number without a limit. */
export function freePlaces(turn: Turn): number {
  const all = rateOf(turn.state)
  if (all === 0) return Number.POSITIVE_INFINITY
  const taken = sentLastSecond(turn, false).length + reservedFor(turn, { side: 'buy' }, false)
  return Math.max(0, all - taken)
}

/**
 * How long it is at least until the order of a person leaves that has so many before it, milliseconds. A strategy that
 * takes a place makes it longer.
 */
export function waitMsOf(turn: Turn, ahead: number): number {
  const { state, inputs } = turn
  const all = rateOf(state)
  if (all === 0) return 0
  const sent = sentLastSecond(turn, false).map(({ wallMs }) => wallMs)
  const unused = Array<number>(Math.max(0, all - sent.length)).fill(inputs.wallMs - SECOND_MS)
  // Each time the second comes round, the same places are free again.
  const places = [...unused, ...sent].slice(keptForSales(state))
  const placeMs = places[ahead % places.length] ?? inputs.wallMs
  const rounds = 1 + Math.floor(ahead / places.length)
  return Math.max(placeMs + rounds * SECOND_MS - inputs.wallMs, yieldMs(turn))
}

/** For how long people's orders leave the next place to a strategy. */
function yieldMs(turn: Turn): number {
  const left = [...turn.state.heldBack.values()]
    .filter((held) => isFresh(turn, held))
    .map(({ at }) => YIELD_MS - elapsedMs(turn, at))
  return Math.max(0, ...left)
}

const ownerKey = ({ signalType, strategy = '' }: Rated): string =>
  ownerOf({ strategy, ...(signalType !== undefined && { signalType }) })

const placeKey = (order: Rated): string => `${ownerKey(order)}|${order.code}|${order.side}`

/** A strategy found no place: it has the next one. When that is, by the market clock, epoch ms. */
export function holdPlace(turn: Turn, order: Rated): number {
  const { state, inputs } = turn
  const { nowMs, wallMs } = inputs
  const isProtective = isProtectiveWish(order)
  const sent = sentLastSecond(turn, true)
  const reserved = Math.min(reservedFor(turn, order, true), rateOf(state) - 1)
  const place = sent[sent.length + reserved - rateOf(state)] ?? sent[0]
  const isReal = state.policy.tempo === 'real'
  const then = place ?? { nowMs, wallMs }
  const againMs = nowMs + SECOND_MS - (isReal ? wallMs - then.wallMs : nowMs - then.nowMs)
  const owner = ownerKey(order)
  state.heldBack.set(placeKey(order), {
    owner,
    code: order.code,
    at: { nowMs, wallMs },
    againMs,
    isProtective,
  })
  return againMs
}

/** It has been sent, or is not wanted. */
export function leavePlace({ heldBack }: AccountState, order: Rated): void {
  heldBack.delete(placeKey(order))
}

/** When the next order that waits may leave, milliseconds from now; Infinity when none waits. */
export function nextPlaceMs(turn: Turn): number {
  const { state, inputs } = turn
  let next = state.queue.length > 0 ? waitMsOf(turn, 0) : Number.POSITIVE_INFINITY
  for (const [key, held] of state.heldBack) {
    if (!isFresh(turn, held)) state.heldBack.delete(key)
    else if (state.policy.tempo !== 'exact' && held.againMs > inputs.nowMs) {
      next = Math.min(next, held.againMs - inputs.nowMs)
    }
  }
  return next
}
