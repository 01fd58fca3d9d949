import { exchangeDay } from '../../domain/exchange-time.ts'
import type { InBoth } from '../../domain/in-both.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { KILL_WORDS, type KillLevel } from '../../domain/kill-level.ts'
import { type Price, shares } from '../../domain/money.ts'
import type { SignalType } from '../../domain/order.ts'
import type { OrderStatus } from '../../domain/order-state.ts'
import { type Reason, type ReasonCode, reason, type StandingCode } from '../../domain/standing.ts'
import { type HealthVerdict, mayFeedSignals } from '../../strategy/health/health-score.ts'
import { dayInForce } from '../model/days.ts'
import { isUnconfirmed } from '../model/restore.ts'
import type { AccountState } from '../model/state.ts'
import type { Sight, TurnInputs } from '../turn/turn.ts'
import { isClientKnown, isInSession } from './market-gates.ts'

/*
 * What a strategy waits for with a stock, or what keeps it back: one line for people, made from what it trades by.
 * Prices in it are the lines at which something happens, never the price of the moment, so that no tick changes it.
 */

/** What keeps all strategies from deciding anything, which only the shell knows. */
export type Resting = Extract<ReasonCode, 'suspended' | 'disk_space' | 'disk_late'>

interface Rest extends Pick<TurnInputs, 'isSuspended' | 'isDiskLow'> {
  /** What is decided is not written down, so that nothing of it leaves. */
  readonly isDiskLate?: boolean
}

/** What of it holds: before a disk that may answer again by itself what a person has to mend. */
export function restingOf({ isSuspended, isDiskLow, isDiskLate }: Rest): Resting | undefined {
  if (isSuspended === true) return 'suspended'
  if (isDiskLow === true) return 'disk_space'
  return isDiskLate === true ? 'disk_late' : undefined
}

/** While one of these holds nobody looks at orders whose time is up. */
export const UNWATCHED: readonly ReasonCode[] = ['suspended', 'restore']

/** From where a standing is told. */
export interface Outlook extends Sight {
  readonly resting?: Resting | undefined
}

/** From where that of holdings is told. */
export interface HoldingsOutlook extends Outlook {
  /** Shares that were sold on the exchange day in force, by whomever. */
  readonly soldToday: ReadonlyMap<StockCode, number>
}

export function soldToday(state: AccountState, nowMs: number): ReadonlyMap<StockCode, number> {
  const sold = new Map<StockCode, number>()
  if (state.simulation !== undefined) return sold
  const today = dayInForce(state, nowMs)
  for (const { deal } of state.deals.values()) {
    // By its own time: what was sold before midnight may have been told after it.
    if (deal.side !== 'sell' || exchangeDay(deal.timeMs) < today) continue
    sold.set(deal.code, (sold.get(deal.code) ?? 0) + deal.quantity)
  }
  return sold
}

/** What keeps back every sale of every strategy. */
export function common(state: AccountState, { nowMs, resting }: Outlook): readonly Reason[] {
  const { level } = state.killSwitch
  return [
    ...(resting === undefined ? [] : [reason(resting)]),
    ...(isUnconfirmed(state.restore) ? [reason('restore')] : []),
    ...(level === 'all' || level === 'cancel_all' ? [killed(level)] : []),
    ...(isClientKnown(state) ? [] : [reason('not_ready')]),
    ...(state.settings.ENABLE_AUTO_OPERATION ? [] : [reason('master_off')]),
    ...(isInSession(state, nowMs) ? [] : [reason('outside_session')]),
  ]
}

/** What a quote with a price lacks to be judged by. */
export const unproven = (health: HealthVerdict): readonly Reason[] =>
  mayFeedSignals(health)
    ? []
    : [reason(health === 'too_few_events' ? 'too_few_looks' : 'quote_refused')]

export const killed = (level: KillLevel): Reason =>
  reason('kill_switch', { zh: `（${KILL_WORDS[level]}）`, en: ` is at ${level}` })

/** An order that works, as a standing tells of it. */
export interface StandingOrder {
  readonly clientOrderId: string
  readonly orderId: string
  readonly strategy: string
  readonly signalType: SignalType
  readonly quantity: number
  /** 0 = none of its own: the last price. */
  readonly price: Price
  readonly sinceMs: number
  /** When its time is up, and it is canceled or looked at; absent where nobody ends it. */
  readonly untilMs?: number
  /** It was not canceled when its time was up, because that would have helped nothing. */
  readonly isKept: boolean
  readonly status: OrderStatus
  /** It is in doubt, and only a person can decide it. */
  readonly isQuarantined: boolean
  /** Shares that are sent after its end; absent where none are, and until its fills are told. */
  readonly rest?: number | undefined
}

/** What is told of an order that does not rest: it is not there yet, about to end, or has ended. */
export function passageText(
  name: InBoth,
  { status, rest }: Pick<StandingOrder, 'status' | 'rest'>,
  is: InBoth,
): InBoth | undefined {
  switch (status) {
    case 'submitted':
      return {
        zh: `${name.zh}委托已发出，尚未回报：${is.zh}`,
        en: `${name.en} sent and not answered yet: ${is.en}`,
      }
    case 'pendingCancel':
      return { zh: `${name.zh}委托撤单中：${is.zh}`, en: `${name.en} being canceled: ${is.en}` }
    case 'accepted':
    case 'partiallyFilled':
    case 'inDoubt':
      return undefined
    default:
      return rest === undefined
        ? {
            zh: `${name.zh}委托已结束，等待成交回报`,
            en: `${name.en} has ended, its fills are still to be told`,
          }
        : {
            zh: `${name.zh}委托已结束，剩余 ${shares(rest)} 股待委托`,
            en: `${name.en} has ended, its rest of ${shares(rest)} shares is still to be sent`,
          }
  }
}

/** What is told of an order of which nobody knows whether the trading client has it. */
export const doubtText = (
  name: InBoth,
  { isQuarantined }: { readonly isQuarantined?: boolean | undefined },
  is: InBoth,
): InBoth =>
  isQuarantined === true
    ? {
        zh: `${name.zh}委托结果未知，无法自动核实，请按该委托的说明处理：${is.zh}`,
        en: `the ${name.en} is in doubt and cannot be cleared up, do as the order says: ${is.en}`,
      }
    : {
        zh: `${name.zh}委托结果未知，正在核实：${is.zh}`,
        en: `the ${name.en} is in doubt and looked for: ${is.en}`,
      }

/** How a strategy stands with a stock. */
export interface Standing extends InBoth {
  readonly code: StandingCode
  /** 0 = none, or not known. */
  readonly firstProfit: Price
  readonly sellsAt: Price
  readonly stop: Price
  readonly high: Price
  /** Where more is bought, if that is on. */
  readonly addsAt: Price
  /** Shares sold today. */
  readonly soldToday: number
  readonly order?: StandingOrder
  /** The most binding first. */
  readonly reasons: readonly Reason[]
}
