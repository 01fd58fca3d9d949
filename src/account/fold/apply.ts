import { strict as assert } from 'node:assert'
import { isTerminal, type OrderRecord } from '../../domain/order.ts'
import { isOpen, nextStatus } from '../../domain/order-state.ts'
import { putPosition } from '../../domain/position.ts'
import { RUNTIME_ONLY } from '../../domain/settings/parameters.ts'
import type { TradeRecord } from '../../domain/trade-record.ts'
import type { EarningsMeta } from '../model/costs.ts'
import { withDay } from '../model/days.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent, JournaledEvent } from '../model/events.ts'
import type { Restore } from '../model/restore.ts'
import { type ChangedLimits, riskInForce } from '../model/risk-limits.ts'
import type { AccountState } from '../model/state.ts'
import { foldAmendment } from './fold-amendment.ts'
import { foldCosts } from './fold-costs.ts'
import { foldGrid } from './fold-grid.ts'
import { changeLost, closeHolding, dealOfLost, foundHolding } from './fold-lost.ts'
import { foldRecords } from './fold-records.ts'
import { dealSince, foldRestore, orderSince } from './fold-restore.ts'
import { foldRisk } from './fold-risk.ts'
import { foldSafety, orderBefore } from './fold-safety.ts'
import {
  bookDeal,
  decideDoubt,
  dropReorder,
  keepOrder,
  moveOrder,
  putOrder,
  quarantine,
  reportOrder,
  settleOrder,
  submitOrder,
  takeForFilled,
} from './order-fold.ts'
import { keepDenial, keepWithdrawn } from './refusal-fold.ts'
import { renumberOrder } from './renumber-fold.ts'
import { foldTold } from './told-fold.ts'

/** Durable scalars of the state, the one row of `meta/account`. */
export interface AccountMeta {
  readonly day: string
  readonly days: readonly string[]
  readonly nextRecordId: number
  readonly idCounter: number
  /** Absent: the books were never put back from a backup. */
  readonly restore?: Restore | undefined
  /** Absent: no token was ever made or withdrawn while the service knew how to. */
  readonly tokenChange?: number
  /** Absent: costs have never been followed, and nothing was simulated. */
  readonly earnings?: EarningsMeta
  /** Absent: the file decides all limits. */
  readonly changedLimits?: ChangedLimits
}

/**
 * Folds one event into the state, in place, and names the rows that it touched. Deterministic:
 * the same events in the same order give the same state, whatever the clock says.
 */
export function apply(state: AccountState, journaled: JournaledEvent): readonly DirtyRow[] {
  assert.equal(journaled.seq, state.seq + 1, 'journal without a gap')
  state.seq = journaled.seq
  const before = orderBefore(state, journaled.event)
  const dirtyRows = fold(state, journaled.event, journaled.timeMs)
  return [
    ...dirtyRows,
    ...foldGrid(state, journaled),
    ...foldCosts(state, journaled),
    ...foldSafety(state, journaled, before),
  ]
}

function fold(state: AccountState, event: AccountEvent, timeMs: number): readonly DirtyRow[] {
  switch (event.kind) {
    case 'killSwitchSet':
    case 'dayTotalSeen':
    case 'protectiveLimitNeared':
    case 'differenceFound':
      return [] // foldSafety
    case 'gridStarted':
    case 'gridSwitched':
    case 'gridTracked':
    case 'gridRescaled':
    case 'gridRefused':
    case 'gridOrderPlaced':
    case 'gridOrderTimedOut':
    case 'gridBooked':
    case 'gridOrderClosed':
    case 'gridStopping':
    case 'gridStopped':
    case 'gridTemplateSaved':
    case 'gridTemplateUsed':
    case 'gridTemplateDeleted':
      return [] // foldGrid
    case 'connected':
    case 'disconnected':
    case 'clockDoubted':
    case 'clockTrusted':
    case 'costsTaken': // foldCosts
    case 'orderWarned':
    case 'decisionMade':
    case 'gatewayModuleSet':
      return []
    case 'tokenChanged':
      state.tokenChange = event.number
      return [{ table: 'meta', key: 'account' }]
    case 'actorStarted':
      return toRuntimeDefaults(state)
    case 'dayOpened':
      return openDay(state, event, timeMs)
    case 'dayTakenBack':
      return takeDayBack(state, event.day, timeMs)
    case 'settingsChanged':
      return changeSettings(state, event.changes)
    case 'riskChanged':
      return foldRisk(state, event, timeMs)
    case 'restoreFound':
    case 'restoreCompared':
    case 'restoreConfirmed':
      return foldRestore(state, event, timeMs)
    case 'orderDenied':
      return keepDenial(state, event, timeMs)
    case 'keyWithdrawn':
      return keepWithdrawn(state, event, timeMs)
    case 'orderSubmitted':
      return submitOrder(state, event.order)
    case 'batchPlaced':
      state.batches.set(event.key, event.batch)
      return [{ table: 'batches', key: event.key }]
    case 'orderUntold':
    case 'orderTold':
      return foldTold(state, event, timeMs)
    case 'batchAdvanced':
      return advanceBatch(state, event)
    case 'orderAdopted':
      return [...putOrder(state, event.order), ...orderSince(state, event.order.clientOrderId)]
    case 'orderMoved':
      return moveOrder(state, event, timeMs)
    case 'orderReported':
      return reportOrder(state, event, timeMs)
    case 'orderRenumbered':
      return renumberOrder(state, event, timeMs)
    case 'orderQuarantined':
      return quarantine(state, event)
    case 'doubtDecided':
      return decideDoubt(state, event, timeMs)
    case 'orderSimulated':
      return bookSimulated(state, event.record)
    case 'signalFilled':
      return settleOrder(state, event.clientOrderId)
    case 'orderAmended':
    case 'amendmentEnded':
      return foldAmendment(state, event)
    case 'orderTakenForFilled':
      return takeForFilled(state, event)
    case 'orderKept':
      return keepOrder(state, event)
    case 'reorderDropped':
      return dropReorder(state, event.clientOrderId)
    case 'dealBooked':
      return [
        ...bookDeal(state, event, timeMs),
        ...dealSince(state),
        ...dealOfLost(state, event.deal),
      ]
    case 'positionReported':
      putPosition(state.positions, event.position)
      return [
        { table: 'positions', key: event.position.code },
        ...foundHolding(state, event.position.code),
      ]
    case 'positionClosed':
      return closeHolding(state, event, timeMs)
    case 'holdingChanged':
    case 'exDayFollowed':
      return changeHeld(state, event, timeMs)
    case 'recordsCleared':
    case 'fillNoted':
      return foldRecords(state, event)
  }
}

function changeHeld(
  state: AccountState,
  event: Extract<AccountEvent, { kind: 'holdingChanged' | 'exDayFollowed' }>,
  timeMs: number,
): readonly DirtyRow[] {
  const before = state.positions.get(event.code)
  if (before === undefined) return event.kind === 'holdingChanged' ? changeLost(state, event) : []
  state.positions.set(event.code, { ...before, ...event.fields, updatedMs: timeMs })
  return [{ table: 'positions', key: event.code }]
}

function advanceBatch(
  { batches }: AccountState,
  event: Extract<AccountEvent, { kind: 'batchAdvanced' }>,
): readonly DirtyRow[] {
  const before = batches.get(event.key)
  if (before === undefined) return []
  const { queued = [], ...batch } = before
  const left = queued.filter((id) => !event.clientOrderIds.includes(id))
  batches.set(event.key, {
    ...batch,
    clientOrderIds: [...batch.clientOrderIds, ...(event.isSent ? event.clientOrderIds : [])],
    refusals: [...batch.refusals, ...event.refusals],
    ...(left.length > 0 && { queued: left }),
  })
  return [{ table: 'batches', key: event.key }]
}

/** Positions are not touched: a simulation keeps its own. */
function bookSimulated(state: AccountState, record: TradeRecord): readonly DirtyRow[] {
  state.nextRecordId = record.id + 1
  state.recordsVersion += 1
  state.idCounter += 1
  return [
    { table: 'records', key: record.id, row: record },
    { table: 'meta', key: 'account' },
  ]
}

/** What is stored over what is configured; run-time switches at their defaults. */
function toRuntimeDefaults(state: AccountState): readonly DirtyRow[] {
  state.settings = { ...state.policy.settings, ...Object.fromEntries(state.stored) }
  state.risk = riskInForce(state.policy.risk, state.changedLimits)
  return []
}

function changeSettings(
  state: AccountState,
  changes: Extract<AccountEvent, { kind: 'settingsChanged' }>['changes'],
): readonly DirtyRow[] {
  const dirtyRows: DirtyRow[] = []
  for (const { setting, after } of changes) {
    state.settings = { ...state.settings, [setting]: after }
    if (RUNTIME_ONLY.has(setting)) continue
    state.stored.set(setting, after)
    dirtyRows.push({ table: 'settings', key: setting })
  }
  return dirtyRows
}

function openDay(
  state: AccountState,
  event: Extract<AccountEvent, { kind: 'dayOpened' }>,
  timeMs: number,
): readonly DirtyRow[] {
  const { day, keepFromMs = Number.NEGATIVE_INFINITY } = event
  const mayArrive = new Set(event.mayArrive)
  const dirtyRows: DirtyRow[] = [{ table: 'meta', key: 'account' }]
  state.day = day
  state.days = withDay(state.days, day)
  for (const order of [...state.orders.values()]) {
    if (mayArrive.has(order.clientOrderId)) continue
    if (isOpen(order.status) && order.day < day) {
      const status = nextStatus(order.status, 'expire') ?? order.status
      dirtyRows.push(...putOrder(state, { ...order, status, updatedMs: timeMs }))
    } else if (!isOpen(order.status) && order.createdMs < keepFromMs) {
      dirtyRows.push(forgetOrder(state, order))
    }
  }
  const isOld = ({ createdMs }: { readonly createdMs: number }) => createdMs < keepFromMs
  dirtyRows.push(
    ...forget('batches', state.batches, isOld),
    ...forget('denials', state.denials, isOld),
    ...forget('deals', state.deals, ({ deal }) => deal.timeMs < keepFromMs),
  )
  return dirtyRows
}

function forgetOrder(state: AccountState, order: OrderRecord): DirtyRow {
  const { clientOrderId, orderId, formerIds = [] } = order
  state.orders.delete(clientOrderId)
  state.unseen.delete(clientOrderId)
  state.amending.delete(clientOrderId)
  // A broker may number its orders anew every day.
  for (const number of [orderId, ...formerIds]) {
    if (state.orderIds.get(number) === clientOrderId) state.orderIds.delete(number)
  }
  return { table: 'orders', key: clientOrderId }
}

/** What a day ended that came too early, and the broker has not: it is open again. */
function reopen(state: AccountState, day: string, timeMs: number): readonly DirtyRow[] {
  const ended = [...state.orders.values()].filter(
    (order) =>
      order.status === 'expired' &&
      order.day === day &&
      order.orderId !== '' &&
      !isTerminal(order.venueStatus),
  )
  return ended.flatMap((order) => {
    const status = order.filledQuantity > 0 ? 'partiallyFilled' : 'accepted'
    return putOrder(state, { ...order, status, updatedMs: timeMs })
  })
}

/** Ticks that a clock had stamped with times to come were acted upon; those of now count. */
function takeDayBack(state: AccountState, day: string, timeMs: number): readonly DirtyRow[] {
  const dirtyRows: DirtyRow[] = [{ table: 'meta', key: 'account' }]
  state.days = withDay(
    state.days.filter((lived) => lived < day),
    day,
  )
  state.day = day
  dirtyRows.push(...reopen(state, day, timeMs))
  for (const [code, position] of state.positions) {
    if (position.actedTickMs <= timeMs) continue
    state.positions.set(code, { ...position, actedTickMs: 0 })
    dirtyRows.push({ table: 'positions', key: code })
  }
  return dirtyRows
}

/** Takes old rows out of a table; the keys of requests among them may mean others from now on. */
function forget<Row>(
  table: 'batches' | 'denials' | 'deals',
  rows: Map<string, Row>,
  isOld: (row: Row) => boolean,
): readonly DirtyRow[] {
  const old = [...rows].filter(([, row]) => isOld(row))
  for (const [key] of old) rows.delete(key)
  return old.map(([key]) => ({ table, key }))
}
