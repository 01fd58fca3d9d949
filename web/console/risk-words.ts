import { amount, exactPrice, MISSING, shares } from '../shared/format.ts'
import { spanText } from '../shared/said.ts'
import { tMaybe } from '../shared/texts.ts'
import { t } from './texts.ts'
import { standOf, type Trigger } from './triggers.ts'
import type { PreviewAnswer } from './wire.ts'

type Rule = PreviewAnswer['rules'][number]

const SETTINGS: Readonly<Record<string, string>> = {
  stale_market: 'risk.stale_quote_seconds',
  clock_jump: 'limits.account.clock_stop_ms',
}

/** Where a trigger stands, in its unit: `3 / 10 笔`, or that it is off and by which setting. */
export function triggerText(trigger: Trigger): string {
  const { name, unit, limit } = trigger
  if (limit <= 0) return t('risk.trigger.unset', { setting: SETTINGS[name] ?? `risk.${name}` })
  const show = (value: number | null): string => {
    if (value === null) return MISSING
    if (unit === 'seconds') return spanText(value * 1_000)
    return unit === 'yuan' ? amount(value) : shares(value)
  }
  const word = unit === 'seconds' ? '' : ` ${tMaybe(`risk.unit.${unit}`, unit)}`
  const { actual, at, gain } = standOf(trigger)
  const instead = gain > 0 ? t('risk.trigger.gain', { gain: amount(gain) }) : ''
  return `${show(actual)}${instead} / ${show(at)}${word}`
}

const PRICES: ReadonlySet<string> = new Set([
  'tick_size',
  'price_limit',
  'halt',
  'protection_price',
])
const MONEY: ReadonlySet<string> = new Set(['cash', 'max_order_value', 'max_total_position'])
const RATIOS: ReadonlySet<string> = new Set(['price_deviation'])

/** How a kind of price is called. */
export const priceTypeName = (type: number): string =>
  type === 11 ? t('ticket.limit') : tMaybe(`price.${type}`, String(type))

/** A value or limit of a rule as the tables write such a figure. */
export function ruleFigure(rule: Rule, value: Rule['actual'], code: string): string {
  const { name } = rule
  if (value === null) return MISSING
  if (name === 'kill_switch') return tMaybe(`kill.level.${value}`, String(value))
  if (name === 'price_type') return priceTypeName(Number(value))
  if (typeof value === 'string') return value
  if (PRICES.has(name)) return exactPrice(value, code)
  if (MONEY.has(name)) return amount(value)
  if (RATIOS.has(name)) return `${(value * 100).toFixed(2)}%`
  return name === 'stale_quote' ? spanText(value * 1_000) : shares(value)
}
