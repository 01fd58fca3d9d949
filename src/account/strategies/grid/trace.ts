import { exchangeTime } from '../../../domain/exchange-time.ts'
import { type Money, type Price, toYuan } from '../../../domain/money.ts'
import type { Position } from '../../../domain/position.ts'
import type { GridSession } from '../../../strategy/grid/session.ts'
import { LEVEL_UNITS, levelsOf } from '../../../strategy/grid/tracker.ts'
import type { JournaledEvent } from '../../model/events.ts'
import type { GridOrder } from '../../model/grid-book.ts'
import type { Cause, TraceEntry } from '../../model/trace.ts'
import { positionsOf } from '../../turn/holding.ts'
import type { Turn } from '../../turn/turn.ts'
import { inputsRow, type Seen, type Sent, sentRow, type TraceRow } from '../trace-row.ts'
import { endText } from './answers/journal-words.ts'

/** The name of the strategy in the trace. */
export const NAME = 'grid'

/** What an evaluation of a grid came to. */
export type GridVerdict =
  | 'grid_paused'
  | 'grid_off'
  | 'grid_not_now'
  | 'grid_holding_missing'
  | 'grid_between_levels'
  | 'grid_held_back'
  | 'grid_awaits_callback'
  | 'grid_order_open'
  | 'grid_total_unknown'
  | 'grid_rate_full'
  | 'grid_refused'
  | 'grid_order'
  | 'grid_exit'

export interface GridFinding {
  readonly verdict: GridVerdict
  /** Why a session ended, or why an order was not sent. */
  readonly reason?: string
  /** The same in words, where it was not sent. */
  readonly message?: string
}

/** One evaluation of the grid of a stock, kept in memory for those who ask why. */
interface GridEvaluation extends GridFinding, TraceEntry, Seen {
  readonly position: Position | undefined
  /** The level that was crossed, else the nearer one; in units of the session's levels. */
  readonly level: number
  readonly gates: Readonly<Record<'master' | 'grids' | 'session', boolean>>
  readonly order?: Sent
}

/** A change of something else is worth a line only when it leads to something. */
const NEWS: ReadonlySet<GridVerdict> = new Set(['grid_refused', 'grid_order', 'grid_exit'])

/** Keeps an evaluation, the newest of each stock. */
export function noteEvaluation(
  { state, inputs, events }: Turn,
  session: GridSession,
  { cause, verdict, reason, message }: GridFinding & { readonly cause: Cause },
): void {
  if (cause === 'change' && !NEWS.has(verdict)) return
  const { code } = session
  const quote = inputs.quote(code)
  const price = quote?.lastPrice ?? (0 as Price)
  const placed = verdict === 'grid_order' ? placedBy(events, session.id) : undefined
  const evaluation: GridEvaluation = {
    timeMs: inputs.nowMs,
    code,
    cause,
    verdict,
    price,
    quoteMs: quote?.timeMs ?? 0,
    ...(reason !== undefined && { reason }),
    position: positionsOf(state).get(code),
    level: levelFor(state.grid.sessions.get(session.id) ?? session, price),
    gates: {
      master: state.settings.ENABLE_AUTO_OPERATION,
      grids: state.settings.ENABLE_GRID_TRADING,
      session: session.isEnabled,
    },
    ...(placed !== undefined && {
      order: { clientOrderId: placed.clientOrderId, side: placed.side, quantity: placed.requested },
    }),
  }
  const isRefused = verdict === 'grid_refused' && reason !== undefined
  state.trace.note(
    NAME,
    evaluation,
    isRefused ? { code: reason, message: message ?? reason } : undefined,
  )
}

/** The newest order of a session in this turn. */
function placedBy(events: readonly JournaledEvent[], sessionId: number): GridOrder | undefined {
  for (const { event } of events.toReversed()) {
    if (event.kind === 'gridOrderPlaced' && event.order.sessionId === sessionId) return event.order
  }
  return undefined
}

function levelFor({ tracker, currentCenter, intervalPpm }: GridSession, price: Price): number {
  const { lower, upper } = levelsOf(currentCenter, intervalPpm)
  return tracker.crossedLevel ?? (price < currentCenter ? lower : upper)
}

const WORDS: Readonly<Record<GridVerdict, string>> = {
  grid_paused: '网格已暂停 (the grid is paused)',
  grid_off: '自动操作或自动网格关闭 (a switch is off)',
  grid_not_now: '非交易时间，或行情、交易客户端未就绪 (nothing may be judged now)',
  grid_holding_missing:
    '持仓已不在，再次确认前不下单 (the holding is missing: no order until a second look has told)',
  grid_between_levels: '价格在两档之间 (between the levels)',
  grid_held_back:
    '已过档位，但该档冷却中或投入上限已用完 (beyond a level that cools down, or the quota is used)',
  grid_awaits_callback: '已过档位，等待回调 (beyond a level, waiting for the callback)',
  grid_order_open: '同方向委托在途 (an order of this side is open)',
  grid_total_unknown: '总资产暂时未知，等待 (a purchase waits until all assets are known)',
  grid_rate_full:
    '本秒委托已达上限，稍后再试 (risk.max_orders_per_second is used up: tried again within a second)',
  grid_refused: '未下单 (no order)',
  grid_order: '发出网格委托 (order sent)',
  grid_exit: '网格结束 (the grid ends)',
}
/** An evaluation of a grid as `GET /api/decisions` shows it, beside those at exits: money in yuan. */
export function gridEvaluationRow(evaluation: GridEvaluation): TraceRow {
  const { verdict, reason, position, gates, order } = evaluation
  const because = reason === undefined ? '' : `：${endText(reason)}`
  const message = `${WORDS[verdict]}${because}`
  const [price, threshold] = [
    toYuan(evaluation.price),
    toYuan((evaluation.level / LEVEL_UNITS) as Money),
  ]
  return {
    time: exchangeTime(evaluation.timeMs),
    stock_code: evaluation.code,
    cause: evaluation.cause,
    verdict,
    message,
    steps: [{ code: verdict, price, threshold, message }],
    inputs: inputsRow(evaluation, position),
    gates: {
      ENABLE_AUTO_OPERATION: gates.master,
      ENABLE_GRID_TRADING: gates.grids,
      enabled: gates.session,
    },
    order: order === undefined ? null : sentRow(order, 'grid'),
    refusal: verdict === 'grid_refused' ? { code: reason ?? '', message } : null,
  }
}
