import type { ErrorCode } from '../../domain/errors.ts'
import { exchangeTime } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { type Price, type Quantity, toYuan } from '../../domain/money.ts'
import type { Side, SignalType } from '../../domain/order.ts'
import type { HealthVerdict } from '../../strategy/health/health-score.ts'
import type { Gates } from '../../strategy/stop-profit/gates.ts'
import { sentenceOf, type Verdict } from '../../strategy/stop-profit/verdicts.ts'
import type { Cause } from './cause.ts'

/** What a judgment rested on. */
export interface DecisionInputs {
  readonly price: Price
  /** Time of the quote, epoch ms. */
  readonly quoteMs: number
  readonly costPrice: Price
  readonly quantity: Quantity
  readonly sellable: Quantity
  readonly highestPrice: Price
  readonly profitTriggered: boolean
  readonly breakoutTriggered: boolean
  readonly breakoutHighestPrice: Price
}

/** One evaluation of one stock. */
export interface Decision {
  /** Market clock, epoch ms. */
  readonly timeMs: number
  readonly code: StockCode
  readonly cause: Cause
  readonly inputs: DecisionInputs
  readonly gates: Gates
  readonly health: HealthVerdict
  readonly isBreakerOpen: boolean
  /** One per step, in order; the last one decided. */
  readonly verdicts: readonly Verdict[]
  /** Since when the gate that decided is closed, epoch ms, where that is known. */
  readonly closedSinceMs?: number
  readonly order?: DecidedOrder
  readonly refusal?: { readonly code: ErrorCode; readonly message: string }
}

/** What became of the wish. */
interface DecidedOrder {
  readonly clientOrderId: string
  readonly signalType: SignalType
  readonly side: Side
  readonly quantity: Quantity
}

/** The evaluation in one sentence, Chinese first. */
export function sentence({ verdicts, closedSinceMs, refusal }: Decision): string {
  const last = verdicts.at(-1)
  const text = last === undefined ? '' : sentenceOf(last, closedSinceMs)
  return refusal === undefined ? text : `${text}：${refusal.message}`
}

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

/** An evaluation as `GET /api/decisions` shows it, money in yuan. */
export function decisionRow(decision: Decision) {
  const { inputs, gates, verdicts, order, refusal } = decision
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
      message: sentenceOf(each),
    })),
    inputs: {
      price: toYuan(inputs.price),
      quote_time: exchangeTime(inputs.quoteMs),
      cost_price: toYuan(inputs.costPrice),
      volume: inputs.quantity,
      available: inputs.sellable,
      highest_price: toYuan(inputs.highestPrice),
      profit_triggered: inputs.profitTriggered,
      profit_breakout_triggered: inputs.breakoutTriggered,
      breakout_highest_price: toYuan(inputs.breakoutHighestPrice),
    },
    gates: {
      ...Object.fromEntries(
        Object.entries(GATE_NAMES).map(([gate, name]) => [name, gates[gate as keyof Gates]]),
      ),
      market_health_verdict: decision.health,
      circuit_breaker_open: decision.isBreakerOpen,
    },
    order:
      order === undefined
        ? null
        : {
            client_order_id: order.clientOrderId,
            signal_type: order.signalType,
            side: order.side,
            volume: order.quantity,
          },
    refusal: refusal ?? null,
  }
}
