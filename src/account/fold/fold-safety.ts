import { isHigher } from '../../domain/kill-level.ts'
import type { Money } from '../../domain/money.ts'
import type { BrokerDeal, OrderRecord } from '../../domain/order.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent, JournaledEvent } from '../model/events.ts'
import {
  type DayTotal,
  type KillSwitch,
  NO_DAY_TOTAL,
  type ProtectiveTold,
} from '../model/kill-switch.ts'
import { TAKEN } from '../model/order-book.ts'
import type { AccountState } from '../model/state.ts'

/** What guards an account, as the one row `meta/safety`. */
export interface SafetyRow {
  readonly killSwitch: KillSwitch
  readonly rejectsInRow: number
  readonly dayTotal: DayTotal
  readonly earlierTotals: readonly DayTotal[]
  /** Absent in books of an earlier release. */
  readonly protectiveTold?: ProtectiveTold
}

export const safetyRow = (state: AccountState): SafetyRow => {
  const { killSwitch, rejectsInRow, dayTotal, earlierTotals, protectiveTold } = state
  return { killSwitch, rejectsInRow, dayTotal, earlierTotals, protectiveTold }
}

const SAFETY: readonly DirtyRow[] = [{ table: 'meta', key: 'safety' }]

/** The order that an event is about, as it stands before the event is folded. */
export function orderBefore(state: AccountState, event: AccountEvent): OrderRecord | undefined {
  return 'clientOrderId' in event ? state.orders.get(event.clientOrderId) : undefined
}

/** Folds what guards the account: kill switch, refusals in a row, total at the beginning of the day, differences. */
export function foldSafety(
  state: AccountState,
  { seq, event, timeMs }: JournaledEvent,
  before: OrderRecord | undefined,
): readonly DirtyRow[] {
  switch (event.kind) {
    case 'actorStarted':
      state.isNewborn = seq === 1
      return []
    case 'killSwitchSet':
      return setKillSwitch(state, event, timeMs)
    case 'dayTotalSeen':
      seeTotal(state, event)
      return SAFETY
    case 'protectiveLimitNeared':
      state.protectiveTold = { day: event.day, stage: event.stage }
      return SAFETY
    case 'dayTakenBack':
      return takeTotalBack(state, event.day)
    case 'differenceFound':
      return keepDifference(state, event)
    case 'dealBooked':
      noteDealt(state, event.deal)
      return countRejects(state, before)
    case 'orderMoved':
      // Never taken is no refusal.
      return event.event === 'absent' ? [] : countRejects(state, before)
    case 'orderReported':
      return countRejects(state, before)
    default:
      return []
  }
}

/** One of the same day is what it began with, now that all of it has a price. */
function seeTotal(
  state: AccountState,
  { kind: _, ...seen }: Extract<AccountEvent, { kind: 'dayTotalSeen' }>,
): void {
  const { dayTotal, earlierTotals } = state
  const isAgain = dayTotal.day === seen.day
  if (!isAgain) state.earlierTotals = [...earlierTotals, dayTotal].slice(-TOTALS_KEPT)
  state.dayTotal = { ...seen, firedAt: isAgain ? dayTotal.firedAt : (0 as Money) }
}

/** Remembers what of a deal no report can have shown yet. */
function noteDealt(state: AccountState, { code, side, quantity, timeMs }: BrokerDeal): void {
  const { shares: book, positions, nextCallId: at, wallMs } = state
  const known = book.get(code) ?? { base: positions.get(code)?.quantity ?? 0, deals: [] }
  const shares = side === 'buy' ? quantity : -quantity
  const deal = { at, wallMs, shares, dealtMs: timeMs }
  book.set(code, { ...known, deals: [...known.deals, deal] })
  state.assetAtDeal = state.asset
  state.dealtAt = at
}

/** First totals of earlier days that are kept, for a day that turns out to be the present one after all. */
const TOTALS_KEPT = 4

function takeTotalBack(state: AccountState, day: string): readonly DirtyRow[] {
  if (state.dayTotal.day <= day) return []
  const known = state.earlierTotals.find((total) => total.day === day)
  state.dayTotal = known ?? NO_DAY_TOTAL
  state.earlierTotals = state.earlierTotals.filter((total) => total.day < day)
  return SAFETY
}

function setKillSwitch(
  state: AccountState,
  event: Extract<AccountEvent, { kind: 'killSwitchSet' }>,
  timeMs: number,
): readonly DirtyRow[] {
  const { level, reason, source } = event
  const before = state.killSwitch
  const sinceMs = before.level === level ? before.sinceMs : timeMs
  state.killSwitch = { level, sinceMs, reason, source }
  // Whoever lowers it has seen the refusals; the count begins again.
  if (isHigher(before.level, level)) state.rejectsInRow = 0
  if (event.trigger === 'max_daily_loss') {
    state.dayTotal = { ...state.dayTotal, firedAt: event.value as Money }
  }
  return SAFETY
}

/** Refusals of what one strategy wants of one stock on one side that count until one is taken, on all days that are kept. */
const REPEATS_COUNTED = 3

/**
 * A strategy wants the same again after a refusal, ever more seldom or after a while, and never gives up: a stock is suspended
 * for weeks, or the account may not buy it. That says nothing about the others, and must not raise the level that stops
 * their sales too.
 */
const isRepeated = ({ orders }: AccountState, order: OrderRecord): boolean =>
  orders.refusedInRowWith(order) > REPEATS_COUNTED

function countRejects(state: AccountState, before: OrderRecord | undefined): readonly DirtyRow[] {
  const after = before && state.orders.get(before.clientOrderId)
  // What others place at the broker says nothing about us.
  if (before === undefined || after === undefined || before.strategy === 'external') return []
  const isSent = after.isTooLate !== true
  const isRefused = isSent && after.status === 'rejected' && before.status !== 'rejected'
  if (isRefused && isRepeated(state, after)) return []
  const isTaken =
    after.filledQuantity > before.filledQuantity ||
    (after.venueStatus !== before.venueStatus && TAKEN.has(after.venueStatus))
  const count = isRefused ? state.rejectsInRow + 1 : isTaken ? 0 : state.rejectsInRow
  if (count === state.rejectsInRow) return []
  state.rejectsInRow = count
  return SAFETY
}

function keepDifference(
  { differences }: AccountState,
  { difference, keepFromId }: Extract<AccountEvent, { kind: 'differenceFound' }>,
): readonly DirtyRow[] {
  const dirtyRows: DirtyRow[] = [{ table: 'differences', key: difference.id }]
  differences.set(difference.id, difference)
  for (const id of [...differences.keys()]) {
    if (id >= keepFromId) continue
    differences.delete(id)
    dirtyRows.push({ table: 'differences', key: id })
  }
  return dirtyRows
}
