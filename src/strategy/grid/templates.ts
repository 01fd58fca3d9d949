import type { GridRates } from './ratios.ts'

export const RISK_LEVELS = ['aggressive', 'moderate', 'conservative'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

/** A named set of rates. Times are epoch ms of the market clock, 0 = never. */
export interface GridTemplate extends GridRates {
  readonly id: number
  /** Unique. */
  readonly name: string
  /** Suggested quota as a part of the market value held, in millionths. */
  readonly maxInvestmentPpm: number
  readonly description: string
  readonly isDefault: boolean
  readonly usageCount: number
  readonly lastUsedMs: number
  readonly createdMs: number
  readonly updatedMs: number
}

/** What a person writes of a template. */
export type TemplateFields = Omit<
  GridTemplate,
  'id' | 'usageCount' | 'lastUsedMs' | 'createdMs' | 'updatedMs'
>

const HALF_PPM = 500_000

/** The three that every account has. Source  docs/domain.md 6.15. */
export const RISK_TEMPLATES: Readonly<Record<RiskLevel, TemplateFields>> = {
  aggressive: {
    name: '激进型网格',
    intervalPpm: 30_000,
    positionPpm: 300_000,
    callbackPpm: 3_000,
    maxDeviationPpm: 100_000,
    targetProfitPpm: 150_000,
    stopLossPpm: -150_000,
    durationDays: 7,
    maxInvestmentPpm: HALF_PPM,
    isDefault: false,
    description: '档位密、单次数量大，适合波动大的股票',
  },
  moderate: {
    name: '稳健型网格',
    intervalPpm: 50_000,
    positionPpm: 250_000,
    callbackPpm: 5_000,
    maxDeviationPpm: 150_000,
    targetProfitPpm: 100_000,
    stopLossPpm: -100_000,
    durationDays: 7,
    maxInvestmentPpm: HALF_PPM,
    isDefault: true,
    description: '档位与数量适中，适合多数股票',
  },
  conservative: {
    name: '保守型网格',
    intervalPpm: 80_000,
    positionPpm: 200_000,
    callbackPpm: 8_000,
    maxDeviationPpm: 200_000,
    targetProfitPpm: 80_000,
    stopLossPpm: -80_000,
    durationDays: 7,
    maxInvestmentPpm: HALF_PPM,
    isDefault: false,
    description: '档位疏、单次数量小，适合波动小的股票',
  },
}
