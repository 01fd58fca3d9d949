import { strict as assert } from 'node:assert'
import { exchangeDayStartMs } from '../domain/exchange-time.ts'
import type { Money, Quantity } from '../domain/money.ts'
import type { BrokerOrder, OrderRecord, VenueStatus } from '../domain/order.ts'
import { isOpen, nextStatus, type OrderEventKind } from '../domain/order-state.ts'
import type { AccountEvent, JournaledEvent } from './events.ts'
import { RUNTIME_ONLY, type Settings } from './settings.ts'
import type { AccountState } from './state.ts'

/** Tables whose rows an event can touch, with the key; the shell writes the rows as they stand afterwards. */
export type Touched =
  | { readonly table: 'meta'; readonly key: 'account' }
  | { readonly table: 'positions'; readonly key: string }
  | { readonly table: 'orders'; readonly key: string }
  | { readonly table: 'deals'; readonly key: string }
  | { readonly table: 'settings'; readonly key: string }
  | { readonly table: 'records'; readonly key: number; readonly row: unknown }

/** Durable scalars of the state, the one row of `meta/account`. */
export interface AccountMeta {
  readonly day: string
  readonly nextRecordId: number
  readonly idCounter: number
}

/** What the trading client has told so far never goes back (reliability: rank rule). */
const RANK: Readonly<Record<VenueStatus, number>> = {
  255: 0,
  48: 1,
  49: 2,
  50: 3,
  55: 4,
  51: 5,
  52: 5,
  53: 6,
  54: 6,
  56: 7,
  57: 7,
}
const MOVED_BY: Partial<Record<VenueStatus, OrderEventKind>> = {
  50: 'accept',
  51: 'requestCancel',
  52: 'requestCancel',
  53: 'cancel',
  54: 'cancel',
  57: 'reject',
}

/**
 * Folds one event into the state, in place, and names the rows that it touched. Deterministic:
 * the same events in the same order give the same state, whatever the clock says.
 */
export function apply(state: AccountState, journaled: JournaledEvent): readonly Touched[] {
  assert.equal(journaled.seq, state.seq + 1, 'journal without a gap')
  state.seq = journaled.seq
  return fold(state, journaled.event, journaled.timeMs)
}

function fold(state: AccountState, event: AccountEvent, timeMs: number): readonly Touched[] {
  switch (event.kind) {
    case 'connected':
    case 'disconnected':
      return []
    case 'actorStarted':
      state.settings = withRuntimeDefaults(state)
      return []
    case 'dayOpened':
      return openDay(state, event.day, timeMs)
    case 'settingsChanged':
      return changeSettings(state, event.changes)
    case 'orderSubmitted':
      state.idCounter += 1
      return [...putOrder(state, event.order), { table: 'meta', key: 'account' }]
    case 'orderAdopted':
      return putOrder(state, event.order)
    case 'orderMoved':
      return moveOrder(state, event, timeMs)
    case 'orderReported':
      return reportOrder(state, event.clientOrderId, event.report, timeMs)
    case 'dealBooked':
      return bookDeal(state, event, timeMs)
    case 'positionReported':
      state.positions.set(event.position.code, event.position)
      return [{ table: 'positions', key: event.position.code }]
    case 'positionClosed':
      state.positions.delete(event.code)
      return [{ table: 'positions', key: event.code }]
    case 'holdingChanged': {
      const before = state.positions.get(event.code)
      if (before === undefined) return []
      state.positions.set(event.code, { ...before, ...event.fields, updatedMs: timeMs })
      return [{ table: 'positions', key: event.code }]
    }
    case 'recordsCleared':
      state.recordsVersion += 1
      return event.ids.map((key) => ({ table: 'records', key, row: null }))
  }
}

/** Stored settings over the configured ones; run-time switches at their defaults. */
function withRuntimeDefaults(state: AccountState): Settings {
  return { ...state.policy.settings, ...Object.fromEntries(state.stored) }
}

function changeSettings(
  state: AccountState,
  changes: Extract<AccountEvent, { kind: 'settingsChanged' }>['changes'],
): readonly Touched[] {
  const touched: Touched[] = []
  for (const { setting, after } of changes) {
    state.settings = { ...state.settings, [setting]: after }
    if (RUNTIME_ONLY.has(setting)) continue
    state.stored.set(setting, after)
    touched.push({ table: 'settings', key: setting })
  }
  return touched
}

function openDay(state: AccountState, day: string, timeMs: number): readonly Touched[] {
  const touched: Touched[] = [{ table: 'meta', key: 'account' }]
  state.day = day
  const keepFromMs = exchangeDayStartMs(day) - state.policy.limits.ordersKeepDays * 86_400_000
  for (const order of [...state.orders.values()]) {
    if (isOpen(order.status) && order.day < day) {
      const status = nextStatus(order.status, 'expire') ?? order.status
      touched.push(...putOrder(state, { ...order, status, updatedMs: timeMs }))
    } else if (!isOpen(order.status) && order.createdMs < keepFromMs) {
      state.orders.delete(order.clientOrderId)
      state.orderIds.delete(order.orderId)
      touched.push({ table: 'orders', key: order.clientOrderId })
    }
  }
  for (const [key, { deal }] of [...state.deals]) {
    if (deal.timeMs >= keepFromMs) continue
    state.deals.delete(key)
    touched.push({ table: 'deals', key })
  }
  return touched
}

function putOrder(state: AccountState, order: OrderRecord): readonly Touched[] {
  assert(order.filledQuantity <= order.quantity, `order ${order.clientOrderId} overfilled`)
  state.orders.set(order.clientOrderId, order)
  if (order.orderId !== '') state.orderIds.set(order.orderId, order.clientOrderId)
  return [{ table: 'orders', key: order.clientOrderId }]
}

function moveOrder(
  state: AccountState,
  move: Extract<AccountEvent, { kind: 'orderMoved' }>,
  timeMs: number,
): readonly Touched[] {
  const before = state.orders.get(move.clientOrderId)
  assert(before !== undefined, `order ${move.clientOrderId} unknown`)
  return putOrder(state, {
    ...before,
    status: restingStatus(before, nextStatus(before.status, move.event)),
    orderId: move.orderId === '' ? before.orderId : move.orderId,
    statusMessage: move.message === '' ? before.statusMessage : move.message,
    updatedMs: timeMs,
  })
}

/** A refused cancel leaves an order as far filled as it was. */
function restingStatus(
  order: OrderRecord,
  status: OrderRecord['status'] | undefined,
): OrderRecord['status'] {
  if (status === 'accepted' && order.filledQuantity > 0) return 'partiallyFilled'
  return status ?? order.status
}

function reportOrder(
  state: AccountState,
  clientOrderId: string,
  report: BrokerOrder,
  timeMs: number,
): readonly Touched[] {
  const before = state.orders.get(clientOrderId)
  assert(before !== undefined, `order ${clientOrderId} unknown`)
  const isNewer = RANK[report.status] >= RANK[before.venueStatus]
  const event = isNewer ? MOVED_BY[report.status] : undefined
  const moved = event === undefined ? undefined : nextStatus(before.status, event)
  return putOrder(state, {
    ...before,
    orderId: report.orderId,
    // For a price type that takes no price the row shows the one that the client gave it.
    price: report.price > 0 ? report.price : before.price,
    status: restingStatus(before, moved),
    venueStatus: isNewer ? report.status : before.venueStatus,
    statusMessage: isNewer ? report.statusMessage : before.statusMessage,
    updatedMs: timeMs,
  })
}

function bookDeal(
  state: AccountState,
  booked: Extract<AccountEvent, { kind: 'dealBooked' }>,
  timeMs: number,
): readonly Touched[] {
  const { key, deal, record, clientOrderId } = booked
  assert(!state.deals.has(key), `deal ${key} booked twice`)
  state.deals.set(key, { deal, recordId: record.id, strategy: record.strategy, day: state.day })
  state.nextRecordId = record.id + 1
  state.recordsVersion += 1
  const touched: Touched[] = [
    { table: 'deals', key },
    { table: 'records', key: record.id, row: record },
    { table: 'meta', key: 'account' },
  ]
  const order = state.orders.get(clientOrderId)
  if (order === undefined) return touched
  const filledQuantity = (order.filledQuantity + deal.quantity) as Quantity
  const event = filledQuantity >= order.quantity ? 'fillRest' : 'fillPart'
  return [
    ...touched,
    ...putOrder(state, {
      ...order,
      filledQuantity,
      filledAmount: (order.filledAmount + deal.amount) as Money,
      status: nextStatus(order.status, event) ?? order.status,
      updatedMs: timeMs,
    }),
  ]
}
