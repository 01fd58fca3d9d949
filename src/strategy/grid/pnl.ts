import type { Money, Price, Quantity } from '../../domain/money.ts'
import { type LedgerSummary, summaryOf } from './ledger.ts'
import type { GridSession } from './session.ts'

export type PnlMethod =
  | 'ledger_true_pnl'
  | 'memory_true_pnl'
  | 'fallback_market_value_ratio'
  | 'cash_flow_legacy'

/** Profit and loss of a grid at a mark price. Ratios are decimals; fees are no part of it. */
export interface PnlSnapshot {
  readonly method: PnlMethod
  /** One plain sentence, Chinese first. */
  readonly methodDetail: string
  readonly mark: Price
  readonly profitRatio: number
  readonly total: Money
  readonly realized: Money
  readonly unrealized: Money
  readonly cashFlow: Money
  readonly cashFlowRatio: number
  readonly openQuantity: Quantity
  readonly matchedQuantity: Quantity
  readonly unmatchedQuantity: Quantity
  readonly hasLedger: boolean
  /** The books could not be used, and something simpler stands in for them. */
  readonly isDegraded: boolean
  readonly denominator: Money
  readonly denominatorType: 'max_investment' | 'position_market_value'
}

/** What a snapshot is made from: counters that a session keeps, and its books when they can be read. */
export interface PnlInput {
  readonly session: Pick<
    GridSession,
    | 'buyAmount'
    | 'sellAmount'
    | 'buyQuantity'
    | 'sellQuantity'
    | 'maxInvestment'
    | 'currentCenter'
    | 'centerPrice'
  >
  readonly ledger: GridSession['ledger'] | undefined
  /** 0 = not known. */
  readonly price: Price
  /** Shares held; undefined when that is not known. */
  readonly held: Quantity | undefined
}

const DETAIL: Readonly<Record<PnlMethod, string>> = {
  ledger_true_pnl: '按真实账本（后进先出）计算 (from the ledger)',
  memory_true_pnl: '按累计买卖额与净持有量计算 (from amounts and volumes)',
  fallback_market_value_ratio: '账本不可用，按现金流与持仓市值估算 (cash flow over market value)',
  cash_flow_legacy: '账本不可用，按现金流与投入上限估算 (cash flow over the quota)',
}

/**
 * The one number that statistics, snapshot and exits use. The first method whose figures are there.
 *
 * Source  docs/domain.md 6.13.
 */
export function pnlOf(input: PnlInput): PnlSnapshot {
  const { session } = input
  const mark = [input.price, session.currentCenter, session.centerPrice].find((p) => p > 0)
  const at = { ...input, mark: mark ?? (0 as Price) }
  const summary = input.ledger && summaryOf(input.ledger, at.mark)
  if (summary?.hasLedger) return fromLedger(at, summary)
  return hasVolumes(session) && at.mark > 0 ? fromTotals(at) : fromCashFlow(at)
}

type Marked = PnlInput & { readonly mark: Price }

/** Amounts without volumes are of a session that kept none. */
const hasVolumes = (session: PnlInput['session']): boolean =>
  (session.buyQuantity > 0 || session.buyAmount === 0) &&
  (session.sellQuantity > 0 || session.sellAmount === 0)

const over = (amount: number, denominator: number): number =>
  denominator > 0 ? amount / denominator : 0

function base({ session, mark }: Marked, method: PnlMethod) {
  const cashFlow = (session.sellAmount - session.buyAmount) as Money
  return {
    method,
    methodDetail: DETAIL[method],
    mark,
    cashFlow,
    cashFlowRatio: over(cashFlow, session.maxInvestment),
    openQuantity: Math.max(0, session.buyQuantity - session.sellQuantity) as Quantity,
    matchedQuantity: Math.min(session.buyQuantity, session.sellQuantity) as Quantity,
    unmatchedQuantity: Math.max(0, session.sellQuantity - session.buyQuantity) as Quantity,
    hasLedger: false,
    isDegraded: false,
    denominator: session.maxInvestment,
    denominatorType: 'max_investment' as const,
  }
}

function fromLedger(input: Marked, summary: LedgerSummary): PnlSnapshot {
  return {
    ...base(input, 'ledger_true_pnl'),
    profitRatio: over(summary.truePnl, input.session.maxInvestment),
    total: summary.truePnl,
    realized: summary.realized,
    unrealized: summary.unrealized,
    openQuantity: summary.openQuantity,
    matchedQuantity: summary.matchedQuantity,
    unmatchedQuantity: summary.unmatchedQuantity,
    hasLedger: true,
  }
}

function fromTotals(input: Marked): PnlSnapshot {
  const { session, mark } = input
  const shown = base(input, 'memory_true_pnl')
  const unrealized = (session.buyQuantity - session.sellQuantity) * mark
  const total = (shown.cashFlow + unrealized) as Money
  const profitRatio = over(total, session.maxInvestment)
  return { ...shown, profitRatio, total, realized: shown.cashFlow, unrealized: unrealized as Money }
}

function fromCashFlow(input: Marked): PnlSnapshot {
  const { session, mark, held } = input
  const isValued = held !== undefined && held > 0 && mark > 0
  const denominator = (isValued ? held * mark : session.maxInvestment) as Money
  const shown = base(input, isValued ? 'fallback_market_value_ratio' : 'cash_flow_legacy')
  return {
    ...shown,
    profitRatio: over(shown.cashFlow, denominator),
    total: shown.cashFlow,
    realized: shown.cashFlow,
    unrealized: 0 as Money,
    isDegraded: true,
    denominator,
    denominatorType: isValued ? 'position_market_value' : 'max_investment',
  }
}

/** Distances from the centers, as decimals; one that lacks a price is 0. */
export function deviationsOf(
  { centerPrice, currentCenter }: Pick<GridSession, 'centerPrice' | 'currentCenter'>,
  price: Price,
) {
  const center =
    centerPrice > 0 && currentCenter > 0 ? over(currentCenter - centerPrice, centerPrice) : 0
  const market = price > 0 ? Math.abs(over(price - currentCenter, currentCenter)) : 0
  return {
    deviation: Math.abs(center),
    center,
    market,
    effective: Math.max(Math.abs(center), market),
  }
}
