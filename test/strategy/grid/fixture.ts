import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../../src/domain/money.ts'
import type { Side } from '../../../src/domain/order.ts'
import {
  bookTrade,
  EMPTY_LEDGER,
  type Ledger,
  type LedgerTrade,
} from '../../../src/strategy/grid/ledger.ts'
import type { PlanInput } from '../../../src/strategy/grid/plan.ts'
import type { GridPolicy } from '../../../src/strategy/grid/policy.ts'
import {
  type GridParameters,
  type GridSession,
  newSession,
  withTrade,
} from '../../../src/strategy/grid/session.ts'

export const price = (yuan: number) => Math.round(yuan * 10_000) as Price
export const money = (yuan: number) => Math.round(yuan * 10_000) as Money
export const shares = (quantity: number) => quantity as Quantity
/** The books that a list of trades, oldest first, leads to. */
export const rebuildLedger = (trades: readonly LedgerTrade[]): Ledger =>
  trades.reduce((ledger, trade) => bookTrade(ledger, trade).ledger, EMPTY_LEDGER)
/** 2026-08-11 10:00:00 at the exchange. */
export const MORNING_MS = Date.parse('2026-08-11T02:00:00Z')
export const MAIN_BOARD = { lotMin: 100, quantityMax: 1_000_000 }

export const policy: GridPolicy = {
  strategyName: 'grid',
  levelCooldownMs: 60_000,
  buyCooldownMs: 300_000,
  sellCooldownMs: 300_000,
  sellCooldownRisePpm: 20_000,
  signalMaxAgeMs: 60_000,
  signalMaxDriftPpm: 10_000,
  isCounterpartyPrice: true,
  buyBufferPpm: 20_000,
  isLimitGuarded: true,
  limitMargin: 10 as Price,
  isAutoCancel: true,
  pendingTimeoutMs: 90_000,
  isAutoReorder: true,
  reordersMax: 1,
}

export const parameters: GridParameters = {
  code: '000001.SZ' as StockCode,
  centerPrice: price(10),
  intervalPpm: 50_000,
  positionPpm: 250_000,
  callbackPpm: 5_000,
  tradeMode: 'amount',
  fixedQuantity: shares(0),
  maxInvestment: money(10_000),
  maxDeviationPpm: 150_000,
  targetProfitPpm: 100_000,
  stopLossPpm: -100_000,
  durationDays: 7,
  riskLevel: 'moderate',
  templateName: null,
}

export const session = (fields: Partial<GridSession> = {}): GridSession => ({
  ...newSession(parameters, { id: 1, nowMs: MORNING_MS, price: price(10) }),
  ...fields,
})

let count = 0
export const trade = (side: Side, quantity: number, yuan: number): LedgerTrade => {
  count += 1
  return {
    side,
    quantity: shares(quantity),
    amount: (quantity * price(yuan)) as Money,
    tradeId: `t${count}`,
    orderId: `t${count}`,
    timeMs: MORNING_MS + count,
  }
}

/** A session after these fills. */
export const after = (start: GridSession, ...trades: readonly LedgerTrade[]): GridSession =>
  trades.reduce((before, next) => withTrade(before, next).session, start)

export const planInput = (fields: Partial<PlanInput> = {}): PlanInput => ({
  nowMs: MORNING_MS,
  triggerPrice: price(9.45),
  latestPrice: price(9.46),
  highLimit: price(0),
  rule: MAIN_BOARD,
  reserved: money(0),
  sellable: shares(1_000),
  isReorder: false,
  ...fields,
})
