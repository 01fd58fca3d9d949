import type { Schemas } from './api.ts'

/** What the service answers, as far as the pages read it. Prices and amounts in yuan, volumes in shares. */

/** A full row of `/api/positions-all`. */
export type PositionRow = Schemas['Position']

export interface PositionsAll {
  readonly data: readonly PositionRow[]
  readonly data_version: number
  readonly no_change: boolean
}

/** `/api/positions`: rows and sums. */
export interface PositionsAnswer {
  readonly data: {
    readonly positions_all?: readonly PositionRow[]
    readonly metrics?: PositionMetrics
  }
  readonly data_version: number
  readonly no_change: boolean
}

export type PositionMetrics = Partial<Schemas['PositionMetrics']>

export type OrderRow = Schemas['Order']

export type TradeRow = Schemas['TradeRecord']

/** A page of `/api/fills`. */
export type FillsPage = Schemas['FillsPage']

/** Each may be unknown, or absent where a service is older. */
export type Switches = Partial<Schemas['Switches']>

/** How the attempts to connect to the trading client go. Times are epoch seconds. */
export type ClientLink = Pick<
  Schemas['ClientLink'],
  | 'connected'
  | 'disconnected_since'
  | 'failures'
  | 'last_failure'
  | 'next_attempt_at'
  | 'waiting_for_terminal'
>

export interface StatusAnswer {
  readonly isMonitoring?: boolean | null
  readonly account: Schemas['AccountBlock']
  /** Absent where a service is older. */
  readonly connection?: ClientLink
  readonly settings: Switches
  /** From when on the holidays are not known, where that is soon; absent where a service is older. */
  readonly calendar_notice?: Schemas['AccountOverview']['calendar_notice']
  /** Why the account cannot be asked, when it cannot. */
  readonly problem?: string
  readonly timestamp: string
}

/** Cash and holdings of an account, yuan; what nobody knows is undefined, never 0. */
export interface AccountMoney {
  readonly cash: number
  /** Kept by the broker for open purchases; undefined where a service is older. */
  readonly frozen: number | undefined
  readonly market: number | undefined
  readonly total: number | undefined
}

/** Money as the status says it; undefined before the trading client has: until then the numbers are zeros. */
export function moneyOf(
  answer: Pick<StatusAnswer, 'account'> | undefined,
): AccountMoney | undefined {
  const account: Partial<StatusAnswer['account']> = answer?.account ?? {}
  const isKnown = account.isKnown ?? (account.timestamp ?? '') !== ''
  if (!isKnown) return undefined
  const isTotal = account.isTotalKnown !== false
  return {
    cash: account.availableBalance ?? Number.NaN,
    frozen: account.frozenCash,
    market: isTotal ? account.maxHoldingValue : undefined,
    total: isTotal ? account.totalAssets : undefined,
  }
}

export interface ListAnswer<T> {
  readonly data: readonly T[]
  readonly timestamp?: string
}

export interface ConnectionAnswer {
  /** Missing of an older service. */
  readonly account_id?: string
  readonly connected: boolean
}

/** `/api/v1/accounts/{id}/status`. Times are epoch seconds. */
export type AccountState = Schemas['AccountStatus']

/** What `/api/v1/metrics` says of one account. */
export type Snapshot = Schemas['CallFigures']

/** The envelope of `/api/v1`. */
export interface V1<T> {
  readonly success: boolean
  readonly data: T
}

export type KillSwitchAnswer = Schemas['KillSwitch']

export type GridPnl = Schemas['GridPnlSnapshot']

export interface GridSessionRow {
  readonly session_id: number
  readonly stock_code: string
  readonly status: string
  readonly enabled: boolean
  readonly center_price: number
  readonly current_center_price: number
  readonly trade_count: number
  readonly buy_count: number
  readonly sell_count: number
  /** Ratio. */
  readonly profit_ratio: number
  readonly grid_profit: number
  readonly pnl_snapshot: GridPnl | null
  readonly current_investment: number
  readonly max_investment: number
  readonly deviation_ratio: number
  readonly start_time: string | null
  readonly end_time: string | null
  readonly stop_time: string | null
  readonly stop_reason: string | null
  /** Absent where a service is older. */
  readonly why_zh?: string
  readonly why_en?: string
  readonly why?: Schemas['GridWhy']
  readonly next_buy?: GridNext | null
  readonly next_sell?: GridNext | null
}

export type GridNext = Schemas['GridNextOrder']

export interface GridSessionsAnswer {
  readonly success: boolean
  readonly sessions: readonly GridSessionRow[]
  readonly total: number
  readonly message?: string
}
