import { exchangeDay, exchangeTime } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { isOpen } from '../../domain/order-state.ts'
import { isFullExit } from '../../domain/protective.ts'
import { dayInForce } from '../model/days.ts'
import { type OwnSide, ownerOf } from '../model/order-book.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'
import { unheardOf, unseenPurchases } from './unheard-orders.ts'

/** Why an automatic order has to wait, and until when by the market clock, epoch ms. */
export interface Wait {
  readonly code: 'never_sent' | 'just_refused' | 'ended_unfilled' | 'part_untold'
  readonly message: string
  readonly untilMs: number
}

/**
 * What keeps an automatic order back because others like it have just ended for nothing. After a refusal of
 * the broker no newer report of the holdings can have come, so that it would refuse this one too. And orders
 * for the same stock, side and signal that end unfilled again and again on one day, refused or canceled by
 * whomever, without one among them that was filled, are sent at a growing interval: fewer and fewer, but never none.
 */
export function waitOf(turn: Turn, intent: OwnSide): Wait | undefined {
  const { state, inputs } = turn
  const { nowMs } = inputs
  const leftMs = oldQuoteLeftMs(turn, intent.code)
  if (leftMs > 0) {
    const message =
      '上一笔未能及时发出，等待新行情 (the last one could not be sent in time: a newer quote is waited for)'
    return { code: 'never_sent', message, untilMs: nowMs + leftMs }
  }
  const untold = untoldOf(turn, intent)
  if (untold !== undefined) {
    const untilMs = nowMs + state.policy.limits.doubtQueryIntervalMs
    return { code: 'part_untold', message: untold, untilMs }
  }
  const refusedMs = state.orders.refusedMs(intent) ?? Number.NEGATIVE_INFINITY
  const freshUntilMs = refusedMs + state.policy.limits.positionQueryIntervalMs
  const { count, untilMs } = growingWait(state, intent, nowMs)
  if (nowMs >= freshUntilMs && nowMs >= untilMs) return undefined
  if (untilMs > freshUntilMs) {
    const message = `今日同类委托已连续 ${count} 笔未成交而终结，${exchangeTime(untilMs)} 再试 (${count} orders like it in a row ended unfilled today; tried again at ${exchangeTime(untilMs)})`
    return { code: 'ended_unfilled', message, untilMs }
  }
  const message = '交易客户端刚拒绝过 (the counter refused the last one a moment ago)'
  return { code: 'just_refused', message, untilMs: freshUntilMs }
}

/** What nobody has said yet of one like it. */
function untoldOf(turn: Turn, intent: OwnSide): string | undefined {
  if (isPartUntold(turn.state, intent)) {
    return '上一笔已部分成交，成交数量未明 (a part of the last one was filled, and nobody has said how much)'
  }
  if (isEndUnheard(turn, intent)) {
    return '上一笔的委托日已过而未知成交，等待今日持仓列表 (the day of the last one ended before anybody said what it has filled: a list of the holdings is waited for)'
  }
  return undefined
}

/** What sells all of a stock sells no more than there is, and does not wait. */
const isPartUntold = (state: AccountState, { code, signalType }: OwnSide): boolean =>
  signalType !== undefined &&
  !isFullExit(signalType) &&
  [...state.partEnds.keys()].some((id) => {
    const order = state.orders.get(id)
    return order?.code === code && order.signalType === signalType
  })

/**
 * Whether the calendar alone has ended one like it, on a connection that has gone on, as behind a sleep: the first list of the
 * holdings after that says what it has filled, and a first take-profit or a level of a grid is not to be had twice. Nor is a
 * purchase that the broker has only counted: what it has brought is in no holding yet.
 */
function isEndUnheard({ state, inputs }: Turn, intent: OwnSide): boolean {
  const { code, side, signalType } = intent
  const held = state.positions.get(code)
  // Seldom one has expired: the walk through all orders is not for every order of a strategy.
  if (!state.orders.hasExpired(code) || held === undefined) return false
  if (state.simulation !== undefined || isFullExit(signalType)) return false
  // Lists bear the time of the computer: by a clock that is a day behind none would ever be of a later day.
  const day = exchangeDay(inputs.wallMs)
  const ended = side === 'buy' ? unseenPurchases : unheardOf
  return ended({ state, inputs }, held).some(
    (order) =>
      !isOpen(order.status) &&
      order.day < day &&
      order.side === side &&
      order.signalType === signalType &&
      ownerOf(order) === ownerOf(intent),
  )
}

/**
 * An order that could not be sent in time is not decided anew on the quote that it was decided on: where the computer slept
 * that is still the newest, and the market clock may stand where it stood. A newer one, or some time without, ends that.
 */
export function awaitNewerQuote(
  { state, inputs }: Turn,
  code: StockCode,
  decidedOnMs: number | undefined,
): void {
  const quoteMs = decidedOnMs ?? inputs.quote(code)?.timeMs
  if (quoteMs === undefined) return
  const untilWallMs = inputs.wallMs + state.policy.limits.positionQueryIntervalMs
  state.neverSent.set(code, { quoteMs, untilWallMs })
}

/** For how long nothing is decided on the quote of a stock, milliseconds; 0: it may be acted upon. */
export function oldQuoteLeftMs({ state, inputs }: Turn, code: StockCode): number {
  const last = state.neverSent.get(code)
  if (last === undefined) return 0
  const leftMs = last.untilWallMs - inputs.wallMs
  if (leftMs > 0 && inputs.quote(code)?.timeMs === last.quoteMs) return leftMs
  state.neverSent.delete(code)
  return 0
}

/** Of orders of signals only: a resubmission more than allowed, that ended unfilled, and each further one doubles it. */
function growingWait(
  state: AccountState,
  { code, side, signalType }: OwnSide,
  nowMs: number,
): { readonly count: number; readonly untilMs: number } {
  const { pending, limits } = state.policy
  const unmet = signalType === undefined ? [] : unmetToday(state, { code, side, signalType }, nowMs)
  const count = unmet.length
  const beyond = count - pending.reordersMax
  if (beyond <= 0) return { count, untilMs: Number.NEGATIVE_INFINITY }
  const waitMs = Math.min(limits.signalRetryMaxMs, limits.positionQueryIntervalMs * 2 ** beyond)
  return { count, untilMs: Math.max(...unmet.map(({ updatedMs }) => updatedMs)) + waitMs }
}

const unmetToday = (
  state: AccountState,
  wish: Parameters<AccountState['orders']['unmetInRow']>[0],
  nowMs: number,
) => state.orders.unmetInRow(wish, dayInForce(state, nowMs))
