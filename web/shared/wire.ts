/** What the service answers, as far as the pages read it. Prices and amounts in yuan, volumes in shares. */

/** A full row of `/api/positions-all`. */
export interface PositionRow {
  readonly stock_code: string
  readonly stock_name: string
  readonly volume: number
  readonly available: number
  readonly cost_price: number
  readonly base_cost_price: number
  readonly current_price: number
  readonly market_value: number
  readonly profit_amount?: number
  /** Percent number. */
  readonly profit_ratio: number
  /** Percent number. */
  readonly change_percentage: number
  readonly open_date: string
  readonly last_update?: string
  readonly profit_triggered: boolean
  readonly highest_price: number
  readonly stop_loss_price: number
  readonly stop_profit_enabled: boolean
  readonly grid_session_active: boolean
}

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

export interface PositionMetrics {
  readonly total_positions?: number
  readonly total_market_value?: number
  readonly total_profit?: number
  /** Ratio. */
  readonly profit_ratio?: number
  /** Ratio. */
  readonly total_profit_ratio?: number
}

export interface OrderRow {
  readonly order_id: string
  readonly client_order_id?: string
  readonly stock_code: string
  readonly stock_name: string
  readonly trade_type: 'BUY' | 'SELL'
  readonly price: number
  readonly volume: number
  readonly traded_volume: number
  readonly status: number
  readonly status_desc: string
  readonly is_pending: boolean
  readonly order_time: string | null
  readonly strategy?: string
  readonly strategy_label?: string
}

export interface TradeRow {
  readonly id: number | string
  readonly stock_code: string
  readonly stock_name: string
  readonly trade_time: string
  readonly trade_type: 'BUY' | 'SELL'
  readonly price: number
  readonly volume: number
  readonly amount: number
  readonly trade_id: string
  readonly commission: number
  readonly strategy: string
  readonly strategy_label?: string
}

export interface Switches {
  readonly isMonitoring?: boolean | null
  readonly enableAutoTrading?: boolean | null
  readonly enableGridTrading?: boolean | null
  readonly positionMonitorRunning?: boolean | null
  readonly allowBuy?: boolean | null
  readonly allowSell?: boolean | null
  readonly simulationMode?: boolean | null
}

export interface StatusAnswer {
  readonly isMonitoring?: boolean | null
  readonly account: {
    readonly id: string
    readonly availableBalance: number
    /** Market value; the name is historical. */
    readonly maxHoldingValue: number
    readonly totalAssets: number
    readonly timestamp: string
  }
  readonly settings: Switches
  readonly timestamp: string
}

export interface ListAnswer<T> {
  readonly data: readonly T[]
  readonly timestamp?: string
}

export interface ConnectionAnswer {
  readonly connected: boolean
}

/** `/api/v1/accounts/{id}/status`. Times are epoch seconds. */
export interface AccountState {
  readonly account_id: string
  readonly connected: boolean
  readonly reconnecting: boolean
  readonly reconnect_attempts: number
  readonly last_ping_ok_time: number
  readonly connected_at: number
  readonly data_feed_available: boolean
  readonly trading_available: boolean
}

/** What `/api/v1/metrics` says of one account. */
export interface Snapshot {
  readonly avg_latency_ms: number
  readonly p95_latency_ms: number
  readonly ops?: Readonly<
    Record<string, { readonly total: number; readonly error: number; readonly timeout: number }>
  >
}

/** The envelope of `/api/v1`. */
export interface V1<T> {
  readonly success: boolean
  readonly data: T
}

export interface GridPnl {
  readonly realized_pnl: number
  readonly unrealized_pnl: number
  readonly total_pnl: number
  /** Ratio. */
  readonly profit_ratio: number
  readonly is_degraded: boolean
  readonly mark_price?: number
  readonly method?: string
  readonly method_detail?: string
  readonly open_volume?: number
}

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
}

export interface GridSessionsAnswer {
  readonly success: boolean
  readonly sessions: readonly GridSessionRow[]
  readonly total: number
  readonly message?: string
}
