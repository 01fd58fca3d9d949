import { exchangeTime } from '../../../../domain/exchange-time.ts'
import { type Price, toYuan } from '../../../../domain/money.ts'
import { levelPrice, type NextOrder } from '../announce.ts'
import type { GridStanding } from '../standing.ts'

const yuan = (price: Price | undefined): number | null =>
  price === undefined || price <= 0 ? null : toYuan(price)

/** The next order on one side. */
const nextRow = (next: NextOrder) => ({
  phase: next.phase,
  level: yuan(levelPrice(next.level)),
  price: yuan(next.price),
  sends_at: yuan(next.sendsAt),
  turns_from: yuan(next.from),
  volume: next.quantity ?? null,
  order_price: yuan(next.orderPrice),
  blocked: next.blocked === undefined ? null : next.blocked.code,
  blocked_zh: next.blocked?.zh ?? null,
  blocked_en: next.blocked?.en ?? null,
})

/** How a session stands, and what it would do next, behind its other fields. */
export const standingRow = ({ code, reasons, pause, cure, next, zh, en }: GridStanding) => ({
  why_zh: zh,
  why_en: en,
  why: {
    state: code,
    reasons: reasons.map((each) => each.code),
    paused_since: pause?.since === undefined ? null : exchangeTime(pause.since.sinceMs),
    paused_by: pause?.by ?? null,
    pause_source: pause?.since?.source ?? null,
    goes_on_zh: cure?.zh ?? null,
    goes_on_en: cure?.en ?? null,
  },
  next_buy: next === undefined ? null : nextRow(next.buy),
  next_sell: next === undefined ? null : nextRow(next.sell),
})
