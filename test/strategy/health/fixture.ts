import type { HealthPolicy } from '../../../src/strategy/health/health-score.ts'

/** All constants at their defaults. */
export const healthPolicy: HealthPolicy = {
  isEnabled: true,
  isObserveOnly: false,
  windowMs: 300_000,
  eventsMin: 3,
  healthyScore: 80,
  degradedScore: 60,
  unstableScore: 40,
  tradingScoreMin: 70,
  isFallbackAllowed: false,
}
