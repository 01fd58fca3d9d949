import { bareCode } from '../shared/format.ts'
import type { Started } from './backtest.ts'
import type { GridRates } from './wire.ts'

/** The wizard's fields as a person reads them: rates are percent numbers, the stop-loss without its sign. */
export interface GridForm {
  stock_code: string
  risk_level: 'aggressive' | 'moderate' | 'conservative'
  trade_mode: 'amount' | 'shares'
  fixed_volume: number
  /** Empty: the service takes the highest price held. */
  center_price: number | ''
  price_interval: number
  position_ratio: number
  callback_ratio: number
  max_investment: number
  duration_days: number
  max_deviation: number
  target_profit: number
  stop_loss: number
}

/** Number fields in the order of the form: name, text, step. */
export const FIELDS = [
  ['center_price', 'wizard.center', 0.001],
  ['price_interval', 'wizard.interval', 0.1],
  ['position_ratio', 'wizard.ratio', 1],
  ['callback_ratio', 'wizard.callback', 0.1],
  ['max_investment', 'wizard.funds', 100],
  ['duration_days', 'wizard.days', 1],
  ['max_deviation', 'wizard.deviation', 1],
  ['target_profit', 'wizard.target', 1],
  ['stop_loss', 'wizard.stop', 1],
] as const

const RATES = [
  'price_interval',
  'position_ratio',
  'callback_ratio',
  'max_deviation',
  'target_profit',
  'stop_loss',
] as const

/** The form before the service has suggested anything. */
export const formOf = (code: string): GridForm => ({
  stock_code: bareCode(code),
  risk_level: 'moderate',
  trade_mode: 'amount',
  fixed_volume: 0,
  center_price: '',
  price_interval: 5,
  position_ratio: 25,
  callback_ratio: 0.5,
  max_investment: 10_000,
  duration_days: 7,
  max_deviation: 15,
  target_profit: 10,
  stop_loss: 10,
})

const PERCENT_DECIMALS = 1e6
const toPercent = (ratio: number): number =>
  Math.round(ratio * 100 * PERCENT_DECIMALS) / PERCENT_DECIMALS
const toRatio = (percent: number): number => Math.round((percent / 100) * 1e8) / 1e8

type Suggested = Partial<GridRates> & {
  readonly max_investment?: number
  readonly duration_days?: number
}

/** What the service suggests, in the units of the form. */
export function changedRates(suggested: Suggested): Partial<GridForm> {
  const fields: Partial<GridForm> = {}
  for (const name of RATES) {
    const value = suggested[name]
    if (value !== undefined) fields[name] = Math.abs(toPercent(value))
  }
  if (suggested.max_investment !== undefined) fields.max_investment = suggested.max_investment
  if (suggested.duration_days !== undefined) fields.duration_days = suggested.duration_days
  return fields
}

/**
 * What of a suggestion goes into the form: nothing that was typed since it was asked for, and nothing at all where that
 * was for another stock or level. `asked` is the form as it was filled in before.
 */
export function suggestedFor(form: GridForm, asked: GridForm, suggested: Suggested) {
  if (form.stock_code !== asked.stock_code || form.risk_level !== asked.risk_level) return {}
  const fields = Object.entries(changedRates(suggested)) as [keyof GridForm, unknown][]
  const untouched = fields.filter(([name]) => form[name] === asked[name])
  return Object.fromEntries(untouched) as Partial<GridForm>
}

/** The body of `POST /api/grid/start` and of the preview. */
export function startBody(form: GridForm): Started {
  const rates = Object.fromEntries(RATES.map((name) => [name, toRatio(form[name])]))
  const body = {
    stock_code: form.stock_code,
    ...(Number(form.center_price) > 0 && { center_price: Number(form.center_price) }),
    duration_days: form.duration_days,
    risk_level: form.risk_level,
    config: {
      ...rates,
      stop_loss: -toRatio(form.stop_loss),
      trade_mode: form.trade_mode,
      fixed_volume: form.trade_mode === 'shares' ? form.fixed_volume : 0,
      max_investment: form.max_investment,
    },
  }
  return body
}
