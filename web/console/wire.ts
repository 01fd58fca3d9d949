import type { Schemas } from '../shared/api.ts'
import type { GridNext, GridPnl, GridSessionRow, KillSwitchAnswer } from '../shared/wire.ts'

/** Answers that only the console reads. */

export interface StreamEvent {
  readonly timestamp: string
  readonly account_info?: {
    readonly available: number
    readonly market_value: number
    readonly total_asset: number
    readonly frozen_cash: number
    readonly is_known: boolean
    readonly is_total_known: boolean
  }
  readonly monitoring?: {
    readonly isMonitoring: boolean
    readonly autoTradingEnabled: boolean
    readonly gridTradingEnabled: boolean
    readonly allowBuy: boolean
    readonly allowSell: boolean
    readonly simulationMode: boolean
  }
  readonly positions_update?: { readonly version: number; readonly changed: boolean }
  /** Why the account cannot be asked; nothing else stands beside it. */
  readonly error?: string
}

export type KillLevel = KillSwitchAnswer['level']

export type ReconcileAnswer = Schemas['Reconcile']

export type RestoreReport = NonNullable<ReconcileAnswer['restore']>
export type DoubtfulOrder = ReconcileAnswer['orders_in_doubt'][number]

export interface HealthAnswer {
  readonly overall: { readonly score: number; readonly status: string }
  readonly sources: Readonly<
    Record<
      string,
      {
        readonly score: number
        readonly success_count: number
        readonly failure_count: number
        readonly last_success_at: string | null
      }
    >
  >
}

export interface Parameters {
  readonly data: Readonly<Record<string, number | boolean | string | null>>
  readonly ranges: Readonly<Record<string, { readonly min: number; readonly max: number }>>
}

export interface DebugAnswer {
  readonly multi_account_diagnostics?: {
    readonly qmt_trader_class?: string
    readonly qmt_connected?: boolean
    readonly config_QMT_PATH?: string
    readonly config_account_id?: string
  }
  readonly actor?: Readonly<Record<string, unknown>>
}

/** How often and how long, milliseconds. */
export type LatencyRow = Omit<Schemas['LatencyPath'], 'path'>
export interface LatencyAnswer {
  readonly uptime_seconds: number
  readonly paths: readonly Schemas['LatencyPath'][]
  readonly routes: readonly Schemas['LatencyRoute'][]
}

export type PreviewAnswer = Schemas['OrderPreview']

export type Instrument = Schemas['Instrument']

/** Stocks that a text may mean, best first. */
export interface FoundStocks {
  readonly instruments: readonly Instrument[]
  /** Shipped: the market has told no list. */
  readonly source: 'market' | 'shipped'
  /** Exchange day of the list. */
  readonly day: string | null
}

export interface PlacedAnswer {
  readonly state?: 'unknown'
  readonly message: string
  readonly success_count: number
}

/** A quote with five levels, best first. */
export type Tick = Schemas['Tick']

export type Decision = Schemas['Decision']
export type RefusedAgain = Schemas['RefusedAgain']

export interface DecisionsAnswer {
  readonly decisions: readonly Decision[]
  /** Absent where a service is older. */
  readonly refused?: readonly RefusedAgain[]
}

export type Advice = Schemas['MacdAdvice']

export type AuditEntry = Schemas['AuditEntry']
export type AuditPage = Schemas['AuditPage']

export type Job = Schemas['Job'] & { readonly result?: unknown }

export type ReplayAnswer = Schemas['Replay']

/** What the process was started with. */
export interface SettingsAnswer {
  readonly settings: readonly { readonly path: string; readonly value: unknown }[]
}

export interface GridRates {
  readonly price_interval: number
  readonly position_ratio: number
  readonly callback_ratio: number
  readonly max_deviation: number
  readonly target_profit: number
  readonly stop_loss: number
}

export interface GridDetail extends GridRates {
  readonly id: number
  readonly stock_code: string
  readonly status: string
  readonly enabled: boolean
  readonly center_price: number
  readonly current_center_price: number
  readonly trade_mode: 'amount' | 'shares'
  readonly fixed_volume: number
  readonly max_investment: number
  readonly current_investment: number
  readonly pnl_snapshot: GridPnl
  readonly deviation_ratio: number
  readonly start_time: string | null
  readonly end_time: string | null
  readonly grid_levels: { readonly lower: number; readonly center: number; readonly upper: number }
  readonly tracker_state: {
    readonly waiting_callback: boolean
    readonly crossed_level: number | null
  } | null
  /** Absent where a service is older. */
  readonly why_zh?: string
  readonly why_en?: string
  readonly why?: GridSessionRow['why']
  readonly next_buy?: GridNext | null
  readonly next_sell?: GridNext | null
}

export interface GridByStock {
  readonly has_session: boolean
  readonly config?: Partial<GridRates> & {
    readonly max_investment?: number
    readonly duration_days?: number
    readonly center_price?: number
  }
  readonly stats?: {
    readonly center_deviation_ratio: number
    readonly market_deviation_ratio: number
    readonly effective_deviation_ratio: number
    readonly market_price: number
  }
}

export interface GridLedger {
  readonly current_price: number
  readonly lots: readonly {
    readonly id: number
    readonly buy_price: number
    readonly original_volume: number
    readonly remaining_volume: number
    readonly opened_at: string
    readonly status: string
  }[]
  readonly matches: readonly {
    readonly id: number
    readonly match_type: string
    readonly volume: number
    readonly buy_price: number | null
    readonly sell_price: number
    readonly realized_pnl: number
    readonly matched_at: string
  }[]
  readonly trades: readonly Schemas['GridTrade'][]
  readonly total_count: number
  readonly summary: { readonly match_count: number }
}

export interface GridStep {
  readonly step: number
  readonly price: number
  readonly volume: number
  readonly amount: number
  readonly cash: number
  readonly refused?: string
}

export interface GridPreview {
  readonly market_price: number
  readonly levels: { readonly lower: number; readonly center: number; readonly upper: number }
  readonly buys: readonly GridStep[]
  readonly sells: readonly GridStep[]
  readonly worst_case: { readonly price: number; readonly loss: number }
  readonly round_trip: { readonly volume: number; readonly net: number; readonly fee_ratio: number }
  readonly warnings: readonly string[]
}

export interface RiskTemplate extends GridRates {
  readonly template_name: string
  readonly duration_days: number
  readonly max_investment_ratio: number
  readonly description: string
}

/** What a backtest came to. Amounts in yuan, ratios as ratios. */
export interface BacktestResult {
  readonly points: number
  readonly period: string
  readonly trade_count: number
  readonly buy_count: number
  readonly sell_count: number
  readonly fees: number
  readonly net_profit: number
  readonly net_ratio: number
  readonly max_drawdown: number
  readonly max_drawdown_ratio: number
  readonly stop_reason: string | null
  /** In plain words: what the result cannot know. */
  readonly warnings: readonly string[]
  readonly curve: readonly { readonly time: string; readonly net: number }[]
}
