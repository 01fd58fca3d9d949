import { exchangeTime } from '../../../../domain/exchange-time.ts'
import { type GridRates, ratioOf } from '../../../../strategy/grid/ratios.ts'
import {
  type GridTemplate,
  RISK_LEVELS,
  RISK_TEMPLATES,
  type RiskLevel,
} from '../../../../strategy/grid/templates.ts'
import type { AccountState } from '../../../model/state.ts'

export const ratesRow = (rates: GridRates) => ({
  price_interval: ratioOf(rates.intervalPpm),
  position_ratio: ratioOf(rates.positionPpm),
  callback_ratio: ratioOf(rates.callbackPpm),
  max_deviation: ratioOf(rates.maxDeviationPpm),
  target_profit: ratioOf(rates.targetProfitPpm),
  stop_loss: ratioOf(rates.stopLossPpm),
  duration_days: rates.durationDays,
})

export const templateRow = (template: GridTemplate) => ({
  id: template.id,
  template_name: template.name,
  ...ratesRow(template),
  max_investment_ratio: ratioOf(template.maxInvestmentPpm),
  description: template.description,
  is_default: template.isDefault ? 1 : 0,
  usage_count: template.usageCount,
  last_used_at: template.lastUsedMs > 0 ? exchangeTime(template.lastUsedMs) : null,
  created_at: exchangeTime(template.createdMs),
  updated_at: exchangeTime(template.updatedMs),
})

/** The default first, then the newest. */
export const templatesOf = ({ grid }: AccountState): readonly GridTemplate[] =>
  [...grid.templates.values()].toSorted(
    (a, b) => Number(b.isDefault) - Number(a.isDefault) || b.createdMs - a.createdMs || b.id - a.id,
  )

/** The stored template of a risk level; a person may have changed or deleted it. */
export const riskTemplate = ({ grid }: AccountState, level: RiskLevel): GridTemplate | undefined =>
  grid.templates.get(RISK_TEMPLATES[level].name)

export function riskTemplatesRow(state: AccountState) {
  const rows = RISK_LEVELS.map((level) => {
    const template = riskTemplate(state, level)
    if (template === undefined) return [level, null] as const
    const { template_name, max_investment_ratio, description } = templateRow(template)
    const rates = ratesRow(template)
    return [level, { template_name, ...rates, max_investment_ratio, description }] as const
  })
  return Object.fromEntries(rows)
}
