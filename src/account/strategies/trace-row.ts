import type { ExDay } from '../../domain/ex-day.ts'
import { exchangeDay, exchangeTime } from '../../domain/exchange-time.ts'
import { type Price, type Quantity, round, toYuan } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import { type Position, thresholdCost } from '../../domain/position.ts'
import type { Cause } from '../model/trace.ts'

/** An evaluation as `GET /api/decisions` shows it, money in yuan. */
export interface TraceRow {
  readonly time: string
  readonly stock_code: string
  readonly cause: Cause
  /** Stable code of what decided; null when nothing did. */
  readonly verdict: string | null
  /** The evaluation in one sentence, Chinese first. */
  readonly message: string
  readonly steps: readonly TraceStep[]
  readonly inputs: ReturnType<typeof inputsRow>
  /** Under the names of the settings where there are any. */
  readonly gates: Readonly<Record<string, boolean | string>>
  readonly order: ReturnType<typeof sentRow> | null
  readonly refusal: { readonly code: string; readonly message: string } | null
  /** The order of a signal that keeps the others of its stock back; absent when none does. */
  readonly held_by?: {
    readonly client_order_id: string
    readonly order_id: string | null
    readonly strategy: string
    readonly until: string | null
    readonly stop_loss_waits: boolean
  }
}

interface TraceStep {
  readonly code: string
  readonly price: number
  readonly threshold: number
  readonly message: string
}

/** The price that was judged. */
export interface Seen {
  readonly price: Price
  /** Time of the quote, epoch ms. */
  readonly quoteMs: number
}

/** Of a holding, what an evaluation may rest on. */
export type HeldFields = Pick<
  Position,
  | 'costPrice'
  | 'quantity'
  | 'sellable'
  | 'highestPrice'
  | 'profitTriggered'
  | 'breakoutTriggered'
  | 'breakoutHighestPrice'
  | 'effectiveCost'
  | 'exDay'
>

/** What an evaluation rested on. */
export const inputsRow = ({ price, quoteMs }: Seen, held: HeldFields | undefined) => ({
  price: toYuan(price),
  quote_time: exchangeTime(quoteMs),
  cost_price: toYuan(held?.costPrice ?? (0 as Price)),
  effective_cost_price: toYuan(held === undefined ? (0 as Price) : thresholdCost(held)),
  volume: held?.quantity ?? 0,
  available: held?.sellable ?? 0,
  highest_price: toYuan(held?.highestPrice ?? (0 as Price)),
  profit_triggered: held?.profitTriggered ?? false,
  profit_breakout_triggered: held?.breakoutTriggered ?? false,
  breakout_highest_price: toYuan(held?.breakoutHighestPrice ?? (0 as Price)),
  ex_day: exDayRow(held?.exDay, quoteMs),
})

const FACTOR_DIGITS = 6

/** The ex-day of the day that is judged; null on any other. */
function exDayRow(exDay: ExDay | undefined, quoteMs: number) {
  if (exDay === undefined || exDay.day !== exchangeDay(quoteMs)) return null
  const { source, factor, before } = exDay
  return {
    source,
    factor: factor === null ? null : round(factor.to / factor.of, FACTOR_DIGITS),
    highest_price_before: toYuan(before.highestPrice),
    cost_price_before: toYuan(before.thresholdCost),
  }
}

/** The order that an evaluation led to. */
export interface Sent {
  readonly clientOrderId: string
  readonly side: Side
  readonly quantity: Quantity
}

export const sentRow = ({ clientOrderId, side, quantity }: Sent, signalType: string) => ({
  client_order_id: clientOrderId,
  signal_type: signalType,
  side,
  volume: quantity,
})
