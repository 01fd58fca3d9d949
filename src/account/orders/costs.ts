import { type CostBook, costOfAdded, isByExDay, type TakenCost } from '../../domain/cost-book.ts'
import type { PriceFactor } from '../../domain/ex-day.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { Position } from '../../domain/position.ts'
import { boardOf } from '../../domain/rules.ts'
import { clientCost } from '../model/costs.ts'
import type { AccountEvent } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import { nameOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'
import { isSettled } from './assets.ts'
import { gainedUntold } from './day-result.ts'
import { isInDoubt } from './doubt-rules.ts'
import { isScaleUnknown } from './ex-day.ts'

/**
 * After every input: whether deals explain the shares that the client shows. What was there before the first look is
 * taken at the client's cost; later, what no deal explains once there has been time for one
 * (`limits.account.cost_settle_ms` of the market clock). `isTimely`: the input follows from market time.
 */
export function followCosts(turn: Turn, isTimely: boolean): void {
  const { state, inputs } = turn
  if (state.simulation !== undefined) return
  const isBegun = state.earnings.sinceMs > 0
  // Also before the first lists: what is pushed by then is no news to them.
  noteTouched(turn, isBegun)
  if (!state.isReady) return
  if (inputs.isDiskLow === true || (isBegun && state.costs.doubted.size === 0)) return
  if (!isSettled(state) || (isBegun && !isTimely)) return
  const codes = isBegun ? overdue(turn) : [...state.positions.keys()]
  const taken = codes.flatMap((code) => takenOf(state, code, inputs.nowMs) ?? [])
  if (!isBegun || taken.length > 0) takeCosts(turn, taken)
  for (const code of codes) state.costs.doubted.delete(code)
}

/**
 * Shares that no deal explains came, or went, at the price at which they are taken: what they had gained before is no part
 * of the day. What an ex-day has brought was there all day.
 */
function takeCosts(turn: Turn, taken: readonly TakenCost[]): void {
  const { state, inputs } = turn
  let gained = 0
  for (const { code, reason } of taken) {
    if (reason === 'found') gained += gainedUntold(state, inputs, code)
  }
  const found = { day: exchangeDay(inputs.nowMs), gained: gained as Money }
  turn.emit({ kind: 'costsTaken', taken, ...(gained !== 0 && { found }) })
}

function noteTouched({ state, events }: Turn, isBegun: boolean): void {
  const { doubted } = state.costs
  for (const { event } of events) {
    const code = codeOf(event)
    if (code !== undefined && !doubted.has(code)) doubted.set(code, 0)
    // What happened while nobody looked may be told by no deal any more, and what waited in an earlier life waits anew.
    if (event.kind === 'connected' && isBegun) doubtAll(state)
  }
}

function doubtAll({ costs, positions }: AccountState): void {
  for (const code of [...positions.keys(), ...costs.books.keys()]) {
    if (!costs.doubted.has(code)) costs.doubted.set(code, 0)
  }
}

function codeOf(event: AccountEvent): StockCode | undefined {
  switch (event.kind) {
    case 'positionReported':
      return event.position.code
    case 'dealBooked':
      return event.deal.code
    case 'positionClosed':
    case 'exDayFollowed':
      return event.code
    default:
      return undefined
  }
}

/** Stocks whose shares have differed for so long that no deal will explain it; those that do not differ are forgotten. */
function overdue({ state, inputs }: Turn): readonly StockCode[] {
  const { doubted } = state.costs
  const { costSettleMs } = state.policy.limits
  const codes: StockCode[] = []
  for (const [code, known] of [...doubted]) {
    if (!isDifferent(state, code)) {
      doubted.delete(code)
      continue
    }
    const sinceMs = known === 0 ? inputs.nowMs : known
    doubted.set(code, sinceMs)
    const held = state.positions.get(code)
    const isWaiting = held !== undefined && isScaleUnknown(held)
    if (isWaiting || inputs.nowMs - sinceMs < costSettleMs) continue
    if (!isLookedFor(state, code)) codes.push(code)
  }
  return codes
}

/** Whether lists lack an order of the stock that is not decided yet: they may lack its deals, too. */
function isLookedFor({ orders, unlisted }: AccountState, code: StockCode): boolean {
  for (const order of orders.doubtful()) {
    if (order.code === code && isInDoubt(order)) return true
  }
  return [...unlisted.keys()].some((id) => {
    const order = orders.get(id)
    return order?.code === code && isOpen(order.status)
  })
}

function isDifferent({ positions, costs }: AccountState, code: StockCode): boolean {
  if (boardOf(code) === undefined) return false
  return (positions.get(code)?.quantity ?? 0) !== (costs.books.get(code)?.quantity ?? 0)
}

function takenOf(state: AccountState, code: StockCode, nowMs: number): TakenCost | undefined {
  if (!isDifferent(state, code)) return undefined
  const held = state.positions.get(code)
  const book = state.costs.books.get(code)
  const name = nameOf(state, code)
  if (held === undefined) {
    return { code, name, quantity: 0 as Quantity, cost: null, reason: 'found' }
  }
  const { quantity } = held
  const factor = marketFactorOf(held, book)
  if (book !== undefined && factor !== undefined && isByExDay(book, factor, { quantity, nowMs })) {
    const cost = costOfAdded(book, quantity, factor.to as Price)
    return { code, name, quantity, cost, reason: 'exDay' }
  }
  return { code, name, quantity, cost: clientCost(held), reason: 'found' }
}

/** Two prices of the market, where it has told of the ex-day that the book has followed last. */
function marketFactorOf(
  { exDay }: Pick<Position, 'exDay'>,
  book: CostBook | undefined,
): PriceFactor | undefined {
  const isSame = exDay !== undefined && book?.exDay?.day === exDay.day
  return isSame && exDay.source === 'market' ? (exDay.factor ?? undefined) : undefined
}
