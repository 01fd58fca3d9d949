import { exchangeDay } from '../../domain/exchange-time.ts'
import { type Money, marketValue } from '../../domain/money.ts'
import { isBeforeAuction, isBeforeOpen } from '../../domain/session.ts'
import type { DayTotal, UnpricedHolding } from '../model/kill-switch.ts'
import type { AccountState } from '../model/state.ts'
import type { Sight, Turn } from '../turn/turn.ts'
import { brokerResult, gainedBefore } from './day-result.ts'
import { isOldScale, isScaleUnknown } from './ex-day.ts'
import { isQuoted, markPrice } from './quote-rules.ts'

/** Takes the total with which the day begins. True when it is another one now; `total` is that of now. */
export function measureDay(turn: Turn, total: Money): boolean {
  const { state, inputs } = turn
  const { day, dayTotal } = state
  const isNews = dayTotal.day !== day || dayTotal.total !== total
  if (!isNews || !isBeginning(state, inputs)) return priceTotal(turn)
  if (isOffScale(state, inputs)) return false
  const result = brokerResult(state, inputs)
  seeTotal(turn, { day, total, result, unpriced: unpricedOf(state, inputs) })
  return true
}

/**
 * Nothing has been measured on this day, or nothing has traded on it: until then repos are repaid, cash is moved and
 * ex-days are reckoned with, which is neither gain nor loss.
 */
function isBeginning(
  { dayTotal, day, policy }: AccountState,
  { nowMs, clockDoubt }: Sight,
): boolean {
  if (dayTotal.day !== day) return true
  if (policy.isAlwaysOpen || clockDoubt !== undefined) return false
  return isBeforeAuction(nowMs) && exchangeDay(nowMs) === day
}

/**
 * The shares of an ex-day are shown hours before its prices: until these come, with the auction at the latest, the
 * total is one that nobody has, and all that it is too much would be a loss of the day.
 */
const isOffScale = ({ positions, policy }: AccountState, { nowMs, quote }: Sight): boolean =>
  !policy.isAlwaysOpen &&
  isBeforeOpen(nowMs) &&
  [...positions.values()].some((held) => {
    const seen = quote(held.code)
    return isScaleUnknown(held) || (seen !== undefined && isOldScale(held, seen))
  })

/**
 * A holding that had a price as the day began has none: another computer has just taken the account over. At its cost
 * it is no part of a loss that anybody has made; its quote is on its way.
 */
export const hasLostPrice = (
  { positions, dayTotal, day }: AccountState,
  { quote }: Sight,
): boolean =>
  [...positions.values()].some(({ code, openDate }) => {
    const isOfBefore = openDate.slice(0, day.length) < day
    const hadPrice = isOfBefore && dayTotal.unpriced?.some((one) => one.code === code) !== true
    return hadPrice && !isQuoted(quote(code))
  })

type Seen = Pick<DayTotal, 'day' | 'total'> & {
  readonly result: Money | undefined
  readonly unpriced: readonly UnpricedHolding[]
}

const seeTotal = (turn: Turn, { result, unpriced, ...total }: Seen): void =>
  turn.emit({
    kind: 'dayTotalSeen',
    ...total,
    ...(result !== undefined && { result }),
    ...(unpriced.length > 0 && { unpriced }),
  })

/** Holdings that nobody has quoted: the total has them at their cost. */
const unpricedOf = ({ positions }: AccountState, { quote }: Sight): readonly UnpricedHolding[] =>
  [...positions.values()].flatMap(({ code, quantity, costPrice }) =>
    isQuoted(quote(code)) ? [] : [{ code, quantity, costPrice }],
  )

/** The day has begun at the first price of a holding, not at its cost: what lies between was lost or gained before. */
function priceTotal(turn: Turn): boolean {
  const { state, inputs } = turn
  const { day, total, result, unpriced = [] } = state.dayTotal
  if (unpriced.length === 0) return false
  const { quote } = inputs
  const left = unpriced.filter(({ code }) => !isQuoted(quote(code)))
  if (left.length === unpriced.length) return false
  const moved = unpriced.reduce((sum, held) => {
    const price = markPrice(held, quote(held.code))
    return sum + marketValue(price, held.quantity) - marketValue(held.costPrice, held.quantity)
  }, 0)
  const priced = unpriced.filter(({ code }) => isQuoted(quote(code)))
  const gained = priced.reduce((sum, { code }) => sum + gainedBefore(state, inputs, code), 0)
  seeTotal(turn, {
    day,
    total: (total + moved) as Money,
    result: result === undefined ? undefined : ((result + gained) as Money),
    unpriced: left,
  })
  return true
}
