import { exchangeTime } from '../../../domain/exchange-time.ts'
import { toYuan } from '../../../domain/money.ts'
import type { Side, SignalType } from '../../../domain/order.ts'
import { strategyLabel } from '../../../domain/trade-record.ts'
import type { HealthVerdict } from '../../../strategy/health/health-score.ts'
import type { Gates } from '../../../strategy/stop-profit/gates.ts'
import { kindOf, sentenceOf, type Verdict } from '../../../strategy/stop-profit/verdicts.ts'
import type { AccountState } from '../../model/state.ts'
import type { TraceEntry } from '../../model/trace.ts'
import {
  type HeldFields,
  inputsRow,
  type Seen,
  type Sent,
  sentRow,
  type TraceRow,
} from '../trace-row.ts'
import type { HeldBy } from './held-stop.ts'

/** The name of the strategy in the trace. */
export const NAME = 'stop-profit'

/** One evaluation of one stock. */
export interface Decision extends TraceEntry {
  /** What the judgment rested on. */
  readonly inputs: Seen & HeldFields
  readonly gates: Gates
  readonly health: HealthVerdict
  readonly isBreakerOpen: boolean
  /** One per step, in order; the last one decided. */
  readonly verdicts: readonly Verdict[]
  /** Since when the gate that decided is closed, epoch ms, where that is known. */
  readonly closedSinceMs?: number
  /** From when on the quotes of the stock may be judged, epoch ms, while there were too few looks at them. */
  readonly judgedFromMs?: number
  /** The order that keeps signals of the stock back. */
  readonly heldBy?: HeldBy
  /** The order that followed. */
  readonly order?: Sent & { readonly signalType: SignalType }
  /** Of a rule, or of the door in small letters. */
  readonly refusal?: { readonly code: string; readonly message: string }
  /** Of the order that was refused. */
  readonly refusedSide?: Side
}

/** The evaluation in one sentence, Chinese first. */
function sentence(decision: Decision): string {
  const { verdicts, closedSinceMs, heldBy, judgedFromMs, refusal } = decision
  if (judgedFromMs !== undefined) return tooSoon(exchangeTime(judgedFromMs))
  const last = verdicts.at(-1)
  const words = last === undefined ? '' : sentenceOf(last, decision.code, closedSinceMs)
  const text = heldBy === undefined ? words : `${words}${heldText(heldBy)}`
  return refusal === undefined ? text : `${text}：${refusal.message}`
}

const tooSoon = (from: string): string =>
  `时段刚开始或刚重启，行情观察次数不够，暂不止盈止损，自 ${from} 起判断 (too few looks at the quote since the session began: not protected yet, judged from ${from} on)`
/** The label of a first take-profit also means a floating profit: in a sentence it is told plainly. */
const signalWords = (strategy: string): string =>
  strategy === 'auto_partial' ? '首次止盈' : strategyLabel(strategy)

/** Which order, until when at the latest, and whether a stop-loss waits for it. */
function heldText({ strategy, orderId, clientOrderId, untilMs, ...held }: HeldBy): string {
  const which = `：委托 ${orderId || clientOrderId} ${signalWords(strategy)}`
  const until =
    untilMs === undefined
      ? ''
      : `，最迟 ${exchangeTime(untilMs)} 到时 (its time is up at ${exchangeTime(untilMs)} at the latest)`
  const last = held.isLast
    ? '，重报次数已用完，不再撤单 (sent again as often as allowed: it works on)'
    : ''
  const waits = held.isStopHeld ? '，止损等待其了结 (a stop-loss waits for its end)' : ''
  return `${which}${until}${last}${waits}`
}

const heldRow = ({ clientOrderId, orderId, strategy, untilMs, isStopHeld }: HeldBy) => ({
  client_order_id: clientOrderId,
  order_id: orderId === '' ? null : orderId,
  strategy,
  until: untilMs === undefined ? null : exchangeTime(untilMs),
  stop_loss_waits: isStopHeld,
})

const GATE_NAMES = {
  isInSession: 'session',
  isQuoteTrusted: 'market_health',
  isReady: 'trading_client',
  isMasterOn: 'ENABLE_AUTO_OPERATION',
  isModuleOn: 'ENABLE_DYNAMIC_STOP_PROFIT',
  isTradingOn: 'ENABLE_AUTO_TRADING',
  isStockOn: 'stop_profit_enabled',
  isFreeOfOrders: 'no_open_order',
} as const satisfies Readonly<Record<keyof Gates, string>>

/** Keeps an evaluation for those who ask why: every crossed band, and whatever led to something. */
export function note({ trace }: AccountState, decision: Decision, isTold = false): void {
  const last = decision.verdicts.at(-1)
  const kind = last === undefined ? 'nothing' : kindOf(last.code)
  const isNews = isTold || kind === 'order' || kind === 'blocked' || kind === 'failed'
  if (decision.cause !== 'change' || isNews) trace.note(NAME, decision, decision.refusal)
}

export function decisionRow(decision: Decision): TraceRow {
  const { inputs, gates, verdicts, order, refusal, heldBy } = decision
  const last = verdicts.at(-1)
  return {
    time: exchangeTime(decision.timeMs),
    stock_code: decision.code,
    cause: decision.cause,
    verdict: last?.code ?? null,
    message: sentence(decision),
    steps: verdicts.map((each) => ({
      code: each.code,
      price: toYuan(each.price),
      threshold: toYuan(each.threshold),
      message: sentenceOf(each, decision.code),
    })),
    inputs: inputsRow(inputs, inputs),
    gates: {
      ...Object.fromEntries(
        Object.entries(GATE_NAMES).map(([gate, name]) => [name, gates[gate as keyof Gates]]),
      ),
      market_health_verdict: decision.health,
      circuit_breaker_open: decision.isBreakerOpen,
    },
    order: order === undefined ? null : sentRow(order, order.signalType),
    refusal: refusal ?? null,
    ...(heldBy && { held_by: heldRow(heldBy) }),
  }
}
