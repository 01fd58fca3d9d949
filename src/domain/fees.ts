import type { StockCode } from './instrument.ts'
import { type Money, moneyFromYuan } from './money.ts'
import type { Side } from './order.ts'
import { stampDutyPpm, transferFeePpm } from './rules.ts'

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
  /** null = the rate of that day. Only stocks pay it, on both sides. */
  readonly transferPpm: number | null
}

/** Rates as a configuration writes them: ratios, and yuan for the least commission. */
export interface FeeSettings {
  readonly commission: number
  readonly commission_min: number
  readonly stamp_duty: number | null
  readonly transfer_fee: number | null
}

const ppm = (ratio: number) => Math.round(ratio * PPM)
const ofTheDayOr = (ratio: number | null) => (ratio === null ? null : ppm(ratio))

export const feeRatesOf = (fees: FeeSettings): FeeRates => ({
  commissionPpm: ppm(fees.commission),
  commissionMin: moneyFromYuan(fees.commission_min),
  stampDutyPpm: ofTheDayOr(fees.stamp_duty),
  transferPpm: ofTheDayOr(fees.transfer_fee),
})

export interface FeeQuestion {
  readonly code: StockCode
  readonly side: Side
  /** Exchange day. */
  readonly day: string
  /** What the order has turned over until now, not what one deal has. */
  readonly amount: Money
}

export interface FeeParts {
  readonly commission: Money
  readonly stampDuty: Money
  readonly transfer: Money
  readonly total: Money
}

/**
 * The fees of one order that has turned over `amount`, each rounded half up to the fen. None of them
 * falls when the amount rises, and none depends on how many deals the amount came in.
 */
export function feeParts(rates: FeeRates, { code, side, day, amount }: FeeQuestion): FeeParts {
  if (amount <= 0) return NO_FEES
  const [duty, fee] = [stampDutyPpm(code, side, day), transferFeePpm(code, day)]
  const commission = Math.max(rates.commissionMin, part(amount, rates.commissionPpm))
  const stampDuty = part(amount, inForce(duty, rates.stampDutyPpm))
  const transfer = part(amount, inForce(fee, rates.transferPpm))
  const total = commission + stampDuty + transfer
  return { commission, stampDuty, transfer, total } as FeeParts
}

/** A rate that is set replaces that of the law, but nothing pays a fee that the law does not ask of it. */
const inForce = (law: number, set: number | null): number => (law === 0 ? 0 : (set ?? law))

const NO_FEES = { commission: 0, stampDuty: 0, transfer: 0, total: 0 } as FeeParts

/** All fees of one order that has turned over `amount`. */
export const feesOf = (rates: FeeRates, question: FeeQuestion): Money =>
  feeParts(rates, question).total

/** `rate` millionths of an amount, half up to the fen; split so that no product leaves the safe integers. */
function part(amount: number, rate: number): number {
  const unit = PPM * FEN
  const whole = Math.floor(amount / unit) * rate
  return (whole + Math.floor(((amount % unit) * rate + unit / 2) / unit)) * FEN
}
