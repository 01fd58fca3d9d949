import type { GridFields, GridTemplateFields } from '../../domain/grid-fields.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { LOT } from '../../domain/lot.ts'
import {
  type Money,
  type Price,
  type Quantity,
  toYuan,
  UNITS_PER_YUAN,
} from '../../domain/money.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { levelBudget } from './plan.ts'
import { type GridRates, ppmOf, ratioOf } from './ratios.ts'
import type { GridParameters, TradeMode } from './session.ts'
import { RISK_LEVELS, type RiskLevel, type TemplateFields } from './templates.ts'

/** Field → texts. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>

/** What stands in for a field that is not given. */
export interface StartDefaults extends GridRates {
  readonly tradeMode: TradeMode
  /** Of the holding; used when no center is given. 0 = none. */
  readonly highestPrice: Price
  /** Shares in `shares` mode, when none are given; reckoned from the holding. */
  readonly fixedQuantity: (positionPpm: number) => Quantity
  /** Fewest shares of a trade on the board of the stock. */
  readonly leastQuantity: number
}

/**
 * 0, null and the empty text count as not given; `config` goes before the top level.
 *
 * Source  docs/domain.md 6.3.
 */
export function mergedFields(top: GridFields, config: GridFields): GridFields {
  const given = (fields: GridFields) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => Boolean(value)))
  return { ...given(top), ...given(config) }
}

/** The same errors, with what was given inside `config` named so, as it is where its kind is wrong. */
export const namedAsSent = (errors: FieldErrors, config: GridFields): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors).map(([field, texts]) =>
      config[field as keyof GridFields]
        ? [`config.${field}`, texts.map((text) => `config.${text}`)]
        : [field, texts],
    ),
  )

export const isRiskLevel = (text: string): text is RiskLevel =>
  RISK_LEVELS.some((level) => level === text)

class Problems {
  readonly fields: Record<string, string[]> = {}

  add(field: string, text: string): void {
    const texts = this.fields[field] ?? []
    texts.push(`${field}: ${text}`)
    this.fields[field] = texts
  }

  within(field: string, value: number, { min, max }: Range): void {
    if (Number.isFinite(value) && value >= min && value <= max) return
    this.add(field, `须在 ${min} 与 ${max} 之间 (must be ${min} to ${max})`)
  }

  get isEmpty(): boolean {
    return Object.keys(this.fields).length === 0
  }
}

interface Range {
  readonly min: number
  readonly max: number
}

/** Ranges by wire name. Source  docs/domain.md 6.3. */
const RATE_RANGES = {
  price_interval: { min: 0.01, max: 0.2 },
  position_ratio: { min: 0.01, max: 1 },
  callback_ratio: { min: 0.001, max: 0.1 },
  max_deviation: { min: 0.05, max: 0.5 },
  target_profit: { min: 0.01, max: 1 },
  stop_loss: { min: -0.5, max: -0.001 },
} as const satisfies Record<string, Range>

const DAYS: Range = { min: 1, max: 365 }
const LEAST_MONEY = 0.01
const LEAST_BUDGET = (100 * UNITS_PER_YUAN) as Money
const MONEY_MAX = 1e11
const PRICE_MAX = 1e5

function ratesOf(fields: GridFields, defaults: GridRates, problems: Problems): GridRates {
  const decimals = {
    price_interval: fields.price_interval ?? ratioOf(defaults.intervalPpm),
    position_ratio: fields.position_ratio ?? ratioOf(defaults.positionPpm),
    callback_ratio: fields.callback_ratio ?? ratioOf(defaults.callbackPpm),
    max_deviation: fields.max_deviation ?? ratioOf(defaults.maxDeviationPpm),
    target_profit: fields.target_profit ?? ratioOf(defaults.targetProfitPpm),
    stop_loss: fields.stop_loss ?? ratioOf(defaults.stopLossPpm),
  }
  for (const [name, range] of Object.entries(RATE_RANGES)) {
    problems.within(name, decimals[name as keyof typeof decimals], range)
  }
  const durationDays = fields.duration_days ?? defaults.durationDays
  problems.within('duration_days', durationDays, DAYS)
  if (!Number.isInteger(durationDays)) problems.add('duration_days', '须为整数 (must be whole)')
  return {
    intervalPpm: ppmOf(decimals.price_interval),
    positionPpm: ppmOf(decimals.position_ratio),
    callbackPpm: ppmOf(decimals.callback_ratio),
    maxDeviationPpm: ppmOf(decimals.max_deviation),
    targetProfitPpm: ppmOf(decimals.target_profit),
    stopLossPpm: ppmOf(decimals.stop_loss),
    durationDays,
  }
}

/**
 * The parameters of a session, or everything that is wrong with them.
 *
 * Source  docs/domain.md 6.3, 6.4.
 */
export function startParameters(
  code: StockCode,
  fields: GridFields,
  defaults: StartDefaults,
): Result<GridParameters, FieldErrors> {
  const problems = new Problems()
  const rates = ratesOf(fields, defaults, problems)
  const centerPrice = centerOf(fields, defaults, problems)
  const tradeMode = tradeModeOf(fields, defaults, problems)
  const { leastQuantity: least } = defaults
  const fixed = fixedVolume(fields, { mode: tradeMode, least }, problems)
  const maxInvestment = investmentOf(fields, problems)
  const riskLevel = riskLevelOf(fields, problems)
  if (problems.isEmpty) crossChecks({ ...rates, tradeMode, maxInvestment }, problems)
  if (!problems.isEmpty) return err(problems.fields)
  const derived = () => defaults.fixedQuantity(rates.positionPpm)
  return ok({
    code,
    centerPrice,
    ...rates,
    tradeMode,
    maxInvestment,
    riskLevel,
    fixedQuantity: tradeMode === 'shares' && fixed === 0 ? derived() : fixed,
    templateName: fields.template_name ?? null,
  })
}

function centerOf(fields: GridFields, defaults: StartDefaults, problems: Problems): Price {
  const given = fields.center_price ?? undefined
  if (given === undefined) return defaults.highestPrice
  problems.within('center_price', given, { min: LEAST_MONEY, max: PRICE_MAX })
  return Math.round(given * UNITS_PER_YUAN) as Price
}

function tradeModeOf(fields: GridFields, defaults: StartDefaults, problems: Problems): TradeMode {
  const mode = fields.trade_mode ?? defaults.tradeMode
  if (mode === 'amount' || mode === 'shares') return mode
  problems.add('trade_mode', '须为 amount 或 shares (must be amount or shares)')
  return defaults.tradeMode
}

interface Lots {
  readonly mode: TradeMode
  readonly least: number
}

function fixedVolume(fields: GridFields, { mode, least }: Lots, problems: Problems): Quantity {
  const volume = fields.fixed_volume ?? 0
  if (!Number.isSafeInteger(volume) || volume < 0) {
    problems.add('fixed_volume', '须为不小于 0 的整数 (must be a whole number from 0)')
  } else if (mode === 'shares' && volume % LOT !== 0) {
    problems.add('fixed_volume', '须为 100 的整数倍 (must be a multiple of 100)')
  } else if (mode === 'shares' && volume > 0 && volume < least) {
    problems.add(
      'fixed_volume',
      `该股每笔至少 ${least} 股 (at least ${least} shares of this stock)`,
    )
  }
  return volume as Quantity
}

function investmentOf(fields: GridFields, problems: Problems): Money {
  const yuan = fields.max_investment
  if (yuan === undefined || yuan === null) {
    problems.add('max_investment', '必填，最大投入金额 (give the quota in yuan)')
    return 0 as Money
  }
  problems.within('max_investment', yuan, { min: LEAST_MONEY, max: MONEY_MAX })
  return Math.round(yuan * UNITS_PER_YUAN) as Money
}

function riskLevelOf(fields: GridFields, problems: Problems): RiskLevel {
  const level = fields.risk_level ?? 'moderate'
  if (isRiskLevel(level)) return level
  problems.add('risk_level', `须为 ${RISK_LEVELS.join('、')} 之一 (must be one of them)`)
  return 'moderate'
}

type Crossed = GridRates & Pick<GridParameters, 'tradeMode' | 'maxInvestment'>

function crossChecks(values: Crossed, problems: Problems): void {
  if (values.callbackPpm >= values.intervalPpm) {
    problems.add('callback_ratio', '须小于 price_interval (must be below price_interval)')
  }
  const { targetProfitPpm, stopLossPpm } = values
  // The one pair that is let pass although the profit is below the loss: existing clients send it.
  const isExempt = targetProfitPpm === 10_000 && stopLossPpm === -500_000
  if (targetProfitPpm < -stopLossPpm && !isExempt) {
    problems.add('target_profit', '不得小于止损幅度 (must not be below the loss of stop_loss)')
  }
  if (values.tradeMode === 'amount' && levelBudget(values) < LEAST_BUDGET) {
    const least = toYuan(LEAST_BUDGET)
    const text = `max_investment × position_ratio 须不小于 ${least} 元 (must come to ${least} yuan)`
    problems.add('max_investment', text)
  }
}

const NAME_MAX = 50
const DESCRIPTION_MAX = 200
const CONTROL_CHARACTER = /\p{Cc}/u

/** A template as it is saved, or everything that is wrong with it. No rule compares its fields. */
export function templateFields(
  wire: GridTemplateFields,
  defaults: GridRates & { readonly maxInvestmentPpm: number },
): Result<TemplateFields, FieldErrors> {
  const problems = new Problems()
  const name = (wire.template_name ?? '').trim()
  if (name === '' || [...name].length > NAME_MAX) {
    problems.add('template_name', `须为 1 至 ${NAME_MAX} 个字符 (1 to ${NAME_MAX} characters)`)
  }
  // Templates are kept under their names, and no key of a table has these.
  if (CONTROL_CHARACTER.test(name) || !name.isWellFormed()) {
    problems.add(
      'template_name',
      '不能含控制字符或残缺的字符 (no control characters, no half ones)',
    )
  }
  const description = wire.description ?? ''
  if ([...description].length > DESCRIPTION_MAX) {
    problems.add('description', `最多 ${DESCRIPTION_MAX} 个字符 (at most ${DESCRIPTION_MAX})`)
  }
  const rates = ratesOf(wire, defaults, problems)
  const investment = wire.max_investment_ratio ?? ratioOf(defaults.maxInvestmentPpm)
  problems.within('max_investment_ratio', investment, { min: 0.1, max: 1 })
  if (!problems.isEmpty) return err(problems.fields)
  const isDefault = wire.is_default ?? false
  return ok({ ...rates, name, description, isDefault, maxInvestmentPpm: ppmOf(investment) })
}
