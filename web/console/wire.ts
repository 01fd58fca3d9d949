/** Answers that only the console reads. */

export interface StreamEvent {
  readonly timestamp: string
  readonly account_info?: {
    readonly available: number
    readonly market_value: number
    readonly total_asset: number
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
}

export type KillLevel = 'off' | 'entries' | 'all' | 'cancel_all'

export interface Trigger {
  readonly name: string
  readonly raises: KillLevel
  readonly clears_itself: boolean
  readonly unit: string
  readonly limit: number
  readonly actual: number | null
}

export interface KillSwitchAnswer {
  readonly level: KillLevel
  readonly since: string | null
  readonly reason: string
  readonly source: string
  readonly level_in_force: KillLevel
  readonly reason_in_force: string
  readonly open_orders: number
  readonly triggers: readonly Trigger[]
}

export interface ReconcileAnswer {
  readonly result: string
  readonly is_running: boolean
  readonly last_run: {
    readonly time: string
    readonly duration_ms: number
    readonly cause: string
    readonly result: string
    readonly differences: number
    readonly failed_reports: readonly string[]
  } | null
  readonly interval_seconds: number
  readonly differences: readonly Record<string, unknown>[]
  readonly orders_in_doubt: readonly Record<string, unknown>[]
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
