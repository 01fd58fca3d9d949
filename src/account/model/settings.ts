import { round } from '../../domain/money.ts'

/** Settings that the API changes, by their run-time names, in run-time units (decimal ratios, yuan). */
export interface Settings {
  readonly ENABLE_AUTO_OPERATION: boolean
  readonly ENABLE_SIMULATION_MODE: boolean
  readonly ENABLE_AUTO_TRADING: boolean
  readonly ENABLE_GRID_TRADING: boolean
  readonly ENABLE_ALLOW_BUY: boolean
  readonly ENABLE_ALLOW_SELL: boolean
  readonly ENABLE_STOP_LOSS_BUY: boolean
  readonly ENABLE_PAUSE_GRID_AFTER_TAKE_PROFIT_FULL: boolean
  readonly POSITION_UNIT: number
  readonly INITIAL_TAKE_PROFIT_RATIO: number
  readonly INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE: number
  /** 1 − the drop at which a supplementary purchase is made: 0.93. */
  readonly BUY_GRID_LEVEL_1: number
  readonly STOP_LOSS_RATIO: number
  readonly MAX_POSITION_VALUE: number
  readonly MAX_TOTAL_POSITION_RATIO: number
}
export type SettingName = keyof Settings

/** Never written to disk: both are confirmed by hand after every start. */
export const RUNTIME_ONLY: ReadonlySet<SettingName> = new Set([
  'ENABLE_AUTO_OPERATION',
  'ENABLE_SIMULATION_MODE',
])

interface Field {
  readonly setting: SettingName
  /** Wire value → run-time value, and back for display. Absent for booleans. */
  readonly into?: (wire: number) => number
  readonly out?: (value: number) => number
}

const percent = {
  into: (wire: number) => round(wire / 100, 10),
  out: (value: number) => round(value * 100, 6),
}

/** Wire name of `/api/config` → setting (docs/domain.md 9.2). The one place where percent meets decimal. */
export const CONFIG_FIELDS: Readonly<Record<string, Field>> = {
  singleBuyAmount: { setting: 'POSITION_UNIT' },
  firstProfitSell: { setting: 'INITIAL_TAKE_PROFIT_RATIO', ...percent },
  stockGainSellPencent: { setting: 'INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE', ...percent },
  stopLossBuy: {
    setting: 'BUY_GRID_LEVEL_1',
    into: (wire) => round(1 - wire / 100, 10),
    out: (value) => round((1 - value) * 100, 6),
  },
  stopLossBuyEnabled: { setting: 'ENABLE_STOP_LOSS_BUY' },
  stockStopLoss: {
    setting: 'STOP_LOSS_RATIO',
    into: (wire) => round(-wire / 100, 10),
    out: (value) => round(-value * 100, 6),
  },
  singleStockMaxPosition: { setting: 'MAX_POSITION_VALUE' },
  totalMaxPosition: {
    setting: 'MAX_TOTAL_POSITION_RATIO',
    into: (wire) => round(wire / 1_000_000, 10),
    out: (value) => round(value * 1_000_000, 2),
  },
  allowBuy: { setting: 'ENABLE_ALLOW_BUY' },
  allowSell: { setting: 'ENABLE_ALLOW_SELL' },
  globalAllowGridTrading: { setting: 'ENABLE_GRID_TRADING' },
  pauseGridAfterTakeProfitFull: { setting: 'ENABLE_PAUSE_GRID_AFTER_TAKE_PROFIT_FULL' },
  globalAllowBuySell: { setting: 'ENABLE_AUTO_TRADING' },
  globalAutoOperation: { setting: 'ENABLE_AUTO_OPERATION' },
  simulationMode: { setting: 'ENABLE_SIMULATION_MODE' },
}

export interface SettingChange {
  readonly setting: SettingName
  readonly before: number | boolean
  readonly after: number | boolean
}

/** Validated wire fields as changes of settings; fields that are accepted and ignored fall away, equal values too. */
export function settingChanges(
  settings: Settings,
  wire: Readonly<Record<string, number | boolean>>,
): readonly SettingChange[] {
  const changes: SettingChange[] = []
  for (const [name, value] of Object.entries(wire)) {
    const field = CONFIG_FIELDS[name]
    if (field === undefined) continue
    const before = settings[field.setting]
    const after = typeof value === 'number' && field.into ? field.into(value) : value
    if (after !== before) changes.push({ setting: field.setting, before, after })
  }
  return changes
}

/** The setting of a wire field in wire units, rounded against float noise. */
export function wireValue(settings: Settings, name: string): number | boolean | undefined {
  const field = CONFIG_FIELDS[name]
  if (field === undefined) return undefined
  const value = settings[field.setting]
  return typeof value === 'number' && field.out ? field.out(value) : value
}
