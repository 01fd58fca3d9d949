import {
  isRiskName,
  RISK_NAMES,
  type RiskName,
  type RiskValue,
  riskShown,
  riskValue,
} from '../../domain/settings/risk.ts'
import type { RiskPolicy } from './policy.ts'

/** A limit that somebody has changed while the account ran. It wins over the file until it is put back. */
export interface ChangedLimit {
  readonly value: RiskValue
  /** Market clock. */
  readonly sinceMs: number
  readonly source: string
}
export type ChangedLimits = { readonly [N in RiskName]?: ChangedLimit }

/** One limit of the event that tells of it. */
export interface LimitChange {
  readonly limit: RiskName
  readonly before: RiskValue
  readonly after: RiskValue
  /** It is put back: from now on the file decides again. */
  readonly isFiles: boolean
}

const FIELD: { readonly [N in RiskName]: keyof RiskPolicy } = {
  max_orders_per_second: 'maxOrdersPerSecond',
  max_orders_per_day: 'maxOrdersPerDay',
  max_protective_orders_per_day: 'maxProtectiveOrdersPerDay',
  max_order_value: 'maxOrderValue',
  price_deviation: 'priceDeviation',
  max_daily_loss: 'maxDailyLoss',
  max_rejects_in_row: 'maxRejectsInRow',
  stale_quote_seconds: 'staleQuoteMs',
  refuse_duplicates: 'refuseDuplicates',
}

/** The one field that counts in parts. */
const isInParts = (name: RiskName): boolean => FIELD[name] === 'staleQuoteMs'

/** The value of one limit in whole parts. */
export function limitIn(risk: RiskPolicy, name: RiskName): RiskValue {
  const value = risk[FIELD[name]]
  return isInParts(name) ? value : riskValue(name, value)
}

/** What holds: the file, with what was changed since laid over it. */
export function riskInForce(file: RiskPolicy, changed: ChangedLimits): RiskPolicy {
  const over = RISK_NAMES.flatMap((name) => {
    const value = changed[name]?.value
    if (value === undefined) return []
    return [[FIELD[name], isInParts(name) ? value : riskShown(name, value)]]
  })
  return { ...file, ...Object.fromEntries(over) }
}

/** The limits that were changed, with one more changed or put back. */
export function withLimit(
  changed: ChangedLimits,
  name: RiskName,
  limit: ChangedLimit | undefined,
): ChangedLimits {
  const others = Object.entries(changed).filter(([other]) => isRiskName(other) && other !== name)
  return Object.fromEntries(limit === undefined ? others : [...others, [name, limit]])
}
