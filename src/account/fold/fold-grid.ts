import { strict as assert } from 'node:assert'
import type { Money, Quantity } from '../../domain/money.ts'
import { countedOf } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { LedgerTrade } from '../../strategy/grid/ledger.ts'
import {
  type GridSession,
  switched,
  withAcceptance,
  withFee,
  withTrade,
} from '../../strategy/grid/session.ts'
import { type GridTemplate, RISK_TEMPLATES } from '../../strategy/grid/templates.ts'
import { released } from '../../strategy/grid/tracker.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent, JournaledEvent } from '../model/events.ts'
import { fileOrder, fileSession, type GridOrder, rowKey } from '../model/grid-book.ts'
import type { AccountState } from '../model/state.ts'

type Fold<Kind extends AccountEvent['kind']> = Extract<AccountEvent, { kind: Kind }>

/** Folds what an event means for the grids. */
export function foldGrid(
  state: AccountState,
  { event, timeMs }: JournaledEvent,
): readonly DirtyRow[] {
  switch (event.kind) {
    case 'actorStarted':
      return addRiskTemplates(state, timeMs)
    case 'dayOpened':
      return forgetOrders(state)
    case 'dayTakenBack':
      return [...actAnew(state, timeMs), ...followAgain(state, state.grid.orders.keys())]
    case 'orderMoved':
    case 'orderReported':
    case 'orderRenumbered':
    case 'orderTakenForFilled':
    case 'dealBooked':
      return followAgain(state, [event.clientOrderId])
    case 'gridStarted':
      return start(state, event)
    case 'gridSwitched': {
      const { sessionId, isEnabled, tracker, source } = event
      const by = { sinceMs: timeMs, source }
      return putSession(state, switched(sessionOf(state, sessionId), { isEnabled, tracker, by }))
    }
    case 'gridTracked': {
      const { sessionId, tracker, missingSinceMs, actedTickMs } = event
      const session = sessionOf(state, sessionId)
      return putSession(state, { ...session, tracker, missingSinceMs, actedTickMs })
    }
    case 'gridRescaled': {
      const { kind: _, sessionId, ...scaled } = event
      const rows = (scaled.ledger?.unmatched ?? []).map(
        (row) => ({ table: 'gridMatches', key: rowKey(sessionId, row.id), row }) as const,
      )
      return [...putSession(state, { ...sessionOf(state, sessionId), ...scaled }), ...rows]
    }
    case 'gridRefused': {
      const session = sessionOf(state, event.sessionId)
      const tracker = released(session.tracker)
      return putSession(state, { ...session, tracker, actedTickMs: event.actedTickMs })
    }
    case 'gridOrderPlaced':
      return place(state, event)
    case 'gridOrderTimedOut': {
      const { isReorderWanted } = event
      return putOrder(state, { ...orderOf(state, event.clientOrderId), isReorderWanted })
    }
    case 'gridBooked':
      return book(state, event)
    case 'gridOrderClosed':
      return close(state, event)
    case 'gridStopping':
    case 'gridStopped':
      return stop(state, event, timeMs)
    default:
      return foldTemplates(state, event, timeMs)
  }
}

const sessionOf = ({ grid }: AccountState, id: number): GridSession => {
  const session = grid.sessions.get(id)
  assert(session !== undefined, `grid session ${id} unknown`)
  return session
}
const orderOf = ({ grid }: AccountState, id: string): GridOrder => {
  const order = grid.orders.get(id)
  assert(order !== undefined, `grid order ${id} unknown`)
  return order
}

function putSession({ grid }: AccountState, session: GridSession): readonly DirtyRow[] {
  fileSession(grid, session)
  return [{ table: 'gridSessions', key: session.id }]
}

/** Ticks that a wrong clock had stamped with times to come were acted upon; those of now count. */
function actAnew(state: AccountState, timeMs: number): readonly DirtyRow[] {
  const ahead = [...state.grid.sessions.values()].filter(({ actedTickMs }) => actedTickMs > timeMs)
  return ahead.flatMap((session) => putSession(state, { ...session, actedTickMs: 0 }))
}

function putOrder({ grid }: AccountState, order: GridOrder): readonly DirtyRow[] {
  fileOrder(grid, order)
  return [{ table: 'gridOrders', key: order.clientOrderId }]
}

/** Orders that were done with, and are open at the broker after all, or have fills that the ledger has not. */
function followAgain(state: AccountState, clientOrderIds: Iterable<string>): readonly DirtyRow[] {
  const { orders, sessions } = state.grid
  return [...clientOrderIds].flatMap((id) => {
    const grid = orders.get(id)
    const order = state.orders.get(id)
    if (grid?.isClosed !== true || order === undefined || !sessions.has(grid.sessionId)) return []
    const isDone = !isOpen(order.status) && countedOf(order) <= grid.bookedQuantity
    return isDone ? [] : putOrder(state, { ...grid, isClosed: false })
  })
}

function start(
  state: AccountState,
  { session, keepFromId }: Fold<'gridStarted'>,
): readonly DirtyRow[] {
  const dirtyRows: DirtyRow[] = [...putSession(state, session)]
  for (const { id, status } of [...state.grid.sessions.values()]) {
    if (id >= keepFromId || status !== 'stopped') continue
    state.grid.sessions.delete(id)
    dirtyRows.push({ table: 'gridSessions', key: id })
  }
  return dirtyRows
}

/** The cool-downs begin with the order, so that nothing that fails later can cause a second one. */
function place(
  state: AccountState,
  { order, coolingFromMs }: Fold<'gridOrderPlaced'>,
): readonly DirtyRow[] {
  const { side, level, triggerPrice, placedMs: nowMs } = order
  const accepted = withAcceptance(sessionOf(state, order.sessionId), {
    side,
    level,
    triggerPrice,
    nowMs,
    coolingFromMs,
  })
  return [...putOrder(state, order), ...putSession(state, accepted)]
}

function book(
  state: AccountState,
  { clientOrderId, trade }: Fold<'gridBooked'>,
): readonly DirtyRow[] {
  const order = orderOf(state, clientOrderId)
  const { side, quantity, amount, tradeId, timeMs, sessionId } = trade
  const entry: LedgerTrade = { side, quantity, amount, tradeId, orderId: tradeId, timeMs }
  const before = sessionOf(state, sessionId)
  const { session: traded, lots, matches } = withTrade(before, entry)
  const session = withFee(before, traded, trade.fee)
  const rows = [
    ...lots.map((row) => ({ table: 'gridLots' as const, row })),
    ...matches.map((row) => ({ table: 'gridMatches' as const, row })),
    { table: 'gridTrades' as const, row: trade },
  ]
  return [
    ...putSession(state, session),
    ...putOrder(state, {
      ...order,
      bookedQuantity: (order.bookedQuantity + quantity) as Quantity,
      bookedAmount: (order.bookedAmount + amount) as Money,
    }),
    ...rows.map(({ table, row }) => ({ table, key: rowKey(sessionId, row.id), row })),
  ]
}

/** Without a fill the tracker is free again; with one the booking has set it anew. */
function close(state: AccountState, event: Fold<'gridOrderClosed'>): readonly DirtyRow[] {
  const order = orderOf(state, event.clientOrderId)
  const dirtyRows = putOrder(state, { ...order, isClosed: true, isReorderWanted: false })
  if (order.bookedQuantity > 0 || event.outcome === 'reordered') return dirtyRows
  return [...dirtyRows, ...releaseTracker(state, order.sessionId)]
}

function stop(
  state: AccountState,
  { kind, sessionId, reason }: Fold<'gridStopping' | 'gridStopped'>,
  timeMs: number,
): readonly DirtyRow[] {
  const session = sessionOf(state, sessionId)
  const tracker = released(session.tracker)
  const stopReason = reason
  return kind === 'gridStopping'
    ? putSession(state, { ...session, status: 'stopping', stopReason, tracker })
    : putSession(state, { ...session, status: 'stopped', stopReason, stopMs: timeMs, cooled: [] })
}

/** Grid orders go with the orders behind them; nothing that is still waited for of one comes any more. */
function forgetOrders(state: AccountState): readonly DirtyRow[] {
  const dirtyRows: DirtyRow[] = []
  for (const { clientOrderId, isClosed, sessionId } of [...state.grid.orders.values()]) {
    if (state.orders.has(clientOrderId)) continue
    state.grid.orders.delete(clientOrderId)
    state.grid.open.delete(clientOrderId)
    dirtyRows.push({ table: 'gridOrders', key: clientOrderId })
    if (!isClosed) dirtyRows.push(...releaseTracker(state, sessionId))
  }
  return dirtyRows
}

function releaseTracker(state: AccountState, sessionId: number): readonly DirtyRow[] {
  const session = state.grid.sessions.get(sessionId)
  if (session === undefined) return []
  return putSession(state, { ...session, tracker: released(session.tracker) })
}

function putTemplate({ grid }: AccountState, template: GridTemplate): readonly DirtyRow[] {
  grid.templates.set(template.name, template)
  return [{ table: 'gridTemplates', key: template.name }]
}

/** The three that every account has, where one is missing; what is there is left as it is. */
function addRiskTemplates(state: AccountState, timeMs: number): readonly DirtyRow[] {
  const { templates } = state.grid
  const dirtyRows: DirtyRow[] = []
  for (const fields of Object.values(RISK_TEMPLATES)) {
    if (templates.has(fields.name)) continue
    const all = [...templates.values()]
    const isDefault = fields.isDefault && !all.some((template) => template.isDefault)
    dirtyRows.push(
      ...putTemplate(state, {
        ...fields,
        id: nextTemplateId(state),
        isDefault,
        usageCount: 0,
        lastUsedMs: 0,
        createdMs: timeMs,
        updatedMs: timeMs,
      }),
    )
  }
  return dirtyRows
}

/** Number of the next template. */
export const nextTemplateId = ({ grid }: AccountState): number =>
  Math.max(0, ...[...grid.templates.values()].map(({ id }) => id)) + 1

function foldTemplates(
  state: AccountState,
  event: AccountEvent,
  timeMs: number,
): readonly DirtyRow[] {
  const { templates } = state.grid
  switch (event.kind) {
    case 'gridTemplateSaved': {
      const others = event.template.isDefault ? [...templates.values()] : []
      const cleared = others.filter(
        ({ isDefault, name }) => isDefault && name !== event.template.name,
      )
      return [
        ...cleared.flatMap((other) => putTemplate(state, { ...other, isDefault: false })),
        ...putTemplate(state, event.template),
      ]
    }
    case 'gridTemplateUsed': {
      const template = templates.get(event.name)
      if (template === undefined) return []
      const usageCount = template.usageCount + 1
      return putTemplate(state, { ...template, usageCount, lastUsedMs: timeMs })
    }
    case 'gridTemplateDeleted':
      templates.delete(event.name)
      return [{ table: 'gridTemplates', key: event.name }]
    default:
      return []
  }
}
