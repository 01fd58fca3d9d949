import type { StockCode } from '../../domain/instrument.ts'
import type { Money } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import { stampDutyPpm } from '../../domain/rules.ts'

/** Fees are charged in whole fen: 0.01 yuan. */
const FEN = 100
const PPM = 1_000_000

/** Rates in millionths of the amount. */
export interface FeeRates {
  readonly commissionPpm: number
  /** Least commission of one order. */
  readonly commissionMin: Money
  /** null = the rate of the law on that day. Only stock sales pay it. */
  readonly stampDutyPpm: number | null
  readonly transferPpm: number
}

export interface FeeQuestion {
  readonly code: StockCode
  readonly side: Side
  /** Exchange day. */
  readonly day: string
  /** What the order has turned over until now, not what one deal has. */
  readonly amount: Money
}

/**
 * All fees of one order that has turned over `amount`, each rounded half up to the fen. It never
 * falls when the amount rises, and does not depend on how many deals the amount came in.
 */
export function feesOf(rates: FeeRates, { code, side, day, amount }: FeeQuestion): Money {
  if (amount <= 0) return 0 as Money
  const duty = stampDutyPpm(code, side, day)
  const commission = Math.max(rates.commissionMin, part(amount, rates.commissionPpm))
  const stamp = part(amount, duty === 0 ? 0 : (rates.stampDutyPpm ?? duty))
  return (commission + stamp + part(amount, rates.transferPpm)) as Money
}

/** `ppm` millionths of an amount, half up to the fen; split so that no product leaves the safe integers. */
function part(amount: number, ppm: number): number {
  const unit = PPM * FEN
  const whole = Math.floor(amount / unit) * ppm
  return (whole + Math.floor(((amount % unit) * ppm + unit / 2) / unit)) * FEN
}
