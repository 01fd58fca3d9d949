import type { AccountMeta } from '../../src/account/fold/apply.ts'
import { lostRow } from '../../src/account/fold/fold-lost.ts'
import { type SafetyRow, safetyRow } from '../../src/account/fold/fold-safety.ts'
import { indexOrder } from '../../src/account/fold/order-fold.ts'
import { noteUnseen } from '../../src/account/fold/unseen.ts'
import { NOTHING_EARNED } from '../../src/account/model/costs.ts'
import type { Difference } from '../../src/account/model/differences.ts'
import type { DirtyRow } from '../../src/account/model/dirty-row.ts'
import { equityBookOf } from '../../src/account/model/equity-book.ts'
import type { Batch } from '../../src/account/model/events.ts'
import { fileOrder, fileSession, type GridOrder } from '../../src/account/model/grid-book.ts'
import type { KeptDenial } from '../../src/account/model/kept-denial.ts'
import {
  type AccountState,
  type BookedDeal,
  emptyState,
  type LostHolding,
} from '../../src/account/model/state.ts'
import type { Turn } from '../../src/account/turn/turn.ts'
import type { CostBook } from '../../src/domain/cost-book.ts'
import type { EquityPoint } from '../../src/domain/equity.ts'
import type { Quantity } from '../../src/domain/money.ts'
import type { OrderRecord } from '../../src/domain/order.ts'
import type { Position } from '../../src/domain/position.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import {
  type Commit,
  type JournalEntry,
  type Opened,
  type Restored,
  type RowChange,
  TABLE,
  type TableName,
} from '../../src/protocol/store.ts'
import type { GridSession } from '../../src/strategy/grid/session.ts'
import type { GridTemplate } from '../../src/strategy/grid/templates.ts'
import type { AccountActorDeps } from './deps.ts'

const LOADED = [
  TABLE.meta,
  TABLE.positions,
  TABLE.orders,
  TABLE.deals,
  TABLE.settings,
  TABLE.differences,
  TABLE.fillNotes,
  TABLE.batches,
  TABLE.denials,
  TABLE.gridSessions,
  TABLE.gridOrders,
  TABLE.gridTemplates,
  TABLE.costBooks,
  TABLE.equityMinutes,
  TABLE.equityDays,
] as const

interface Loaded {
  readonly state: AccountState
  /** Of this ownership of the account; whoever has a newer one has taken it over. */
  readonly epoch: number
  /** The last time that the books were put back from a backup. */
  readonly restored: Restored | null
}

/** The state as the last durable turn left it. What only the broker knows starts unknown. */
export async function loadState({ store, policy }: AccountActorDeps): Promise<Loaded> {
  const opened = await store.open(LOADED)
  const state = emptyState(policy)
  state.seq = opened.seq
  loadMeta(state, opened)
  for (const [key, difference] of rowsOf<Difference>(opened, 'differences')) {
    state.differences.set(Number(key), difference)
  }
  for (const [key, note] of rowsOf<string>(opened, 'fillNotes')) {
    state.fillNotes.set(Number(key), note)
  }
  for (const [, position] of rowsOf<Position>(opened, 'positions')) {
    // What may be sold today is never taken from disk.
    state.positions.set(position.code, { ...position, sellable: 0 as Quantity })
  }
  for (const [, order] of rowsOf<OrderRecord>(opened, 'orders')) {
    noteUnseen(state, undefined, order)
    state.orders.set(order.clientOrderId, order)
    indexOrder(state, order)
  }
  for (const [key, deal] of rowsOf<BookedDeal>(opened, 'deals')) state.deals.set(String(key), deal)
  for (const [key, batch] of rowsOf<Batch>(opened, 'batches')) {
    state.batches.set(String(key), batch)
  }
  const denials = rowsOf<KeptDenial>(opened, 'denials')
  for (const [key, denial] of denials.toSorted(([, a], [, b]) => a.seq - b.seq)) {
    state.denials.set(String(key), denial)
  }
  loadGrids(state, opened)
  for (const [, book] of rowsOf<CostBook>(opened, 'costBooks')) {
    state.costs.books.set(book.code, book)
  }
  const points = (table: 'equityMinutes' | 'equityDays') =>
    rowsOf<EquityPoint>(opened, table).map(([, point]) => point)
  state.equity = equityBookOf(points('equityMinutes'), points('equityDays'))
  for (const [key, value] of rowsOf<number | boolean>(opened, 'settings')) {
    state.stored.set(String(key), value)
  }
  return { state, epoch: opened.epoch, restored: opened.restored ?? null }
}

function loadMeta(state: AccountState, opened: Opened): void {
  const rows = new Map(rowsOf(opened, 'meta'))
  Object.assign(state, rows.get('account') as AccountMeta | undefined)
  Object.assign(state, rows.get('safety') as SafetyRow | undefined)
  const lost = rows.get('lost') as readonly LostHolding[] | undefined
  for (const each of lost ?? []) state.lost.set(each.held.code, each)
}

function loadGrids({ grid }: AccountState, opened: Opened): void {
  for (const [, session] of rowsOf<GridSession>(opened, 'gridSessions')) {
    fileSession(grid, session)
  }
  for (const [, order] of rowsOf<GridOrder>(opened, 'gridOrders')) {
    fileOrder(grid, order)
  }
  const templates = rowsOf<GridTemplate>(opened, 'gridTemplates')
  for (const [key, template] of templates) grid.templates.set(String(key), template)
}

function rowsOf<T>(opened: Opened, table: TableName): readonly (readonly [string | number, T])[] {
  return (opened.tables[table] ?? []).map(({ key, value }) => [key, decode<T>(value)] as const)
}

/** Events and touched rows of turns, to be saved together. A row that was touched twice is written once. */
export class CommitDraft {
  readonly #state: AccountState
  #entries: JournalEntry[] = []
  readonly #dirtyRows = new Map<string, DirtyRow>()

  constructor(state: AccountState) {
    this.#state = state
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#dirtyRows.size === 0
  }

  add({ events, dirtyRows }: Turn): void {
    for (const { seq, timeMs, event } of events) {
      const { kind, ...body } = event
      this.#entries.push({ seq, timeMs, kind, body: encode(body) })
    }
    for (const each of dirtyRows) this.#dirtyRows.set(`${each.table}/${each.key}`, each)
  }

  /** What has been added since the last time, with the rows as they stand now; undefined when nothing was. */
  take(): Commit | undefined {
    if (this.isEmpty) return undefined
    const changes: RowChange[] = []
    for (const dirtyRows of this.#dirtyRows.values()) {
      const row = rowOf(this.#state, dirtyRows)
      const value = row === undefined || row === null ? null : encode(row)
      changes.push({ table: dirtyRows.table, key: dirtyRows.key, value })
    }
    const entries = this.#entries
    this.#entries = []
    this.#dirtyRows.clear()
    return { entries, changes }
  }
}

/** The row as it stands now; undefined when it is gone. */
export function rowOf(state: AccountState, dirtyRows: DirtyRow): unknown {
  switch (dirtyRows.table) {
    case 'meta': {
      if (dirtyRows.key === 'safety') return safetyRow(state)
      if (dirtyRows.key === 'lost') return lostRow(state)
      const { day, days, nextRecordId, idCounter, restore, tokenChange, earnings } = state
      const { changedLimits } = state
      const meta: AccountMeta = {
        day,
        days,
        nextRecordId,
        idCounter,
        ...(restore && { restore }),
        ...(tokenChange > 0 && { tokenChange }),
        ...(earnings !== NOTHING_EARNED && { earnings }),
        ...(Object.keys(changedLimits).length > 0 && { changedLimits }),
      }
      return meta
    }
    case 'positions':
      return state.positions.get(dirtyRows.key as Position['code'])
    case 'orders':
      return state.orders.get(dirtyRows.key)
    case 'deals':
      return state.deals.get(dirtyRows.key)
    case 'differences':
      return state.differences.get(dirtyRows.key)
    case 'fillNotes':
      return state.fillNotes.get(dirtyRows.key)
    case 'settings':
      return state.stored.get(dirtyRows.key)
    case 'batches':
      return state.batches.get(dirtyRows.key)
    case 'denials':
      return state.denials.get(dirtyRows.key)
    case 'gridSessions':
      return state.grid.sessions.get(dirtyRows.key)
    case 'gridOrders':
      return state.grid.orders.get(dirtyRows.key)
    case 'costBooks':
      return state.costs.books.get(dirtyRows.key as CostBook['code'])
    case 'gridTemplates':
      return state.grid.templates.get(dirtyRows.key)
    case 'records':
    case 'sales':
    case 'closedPositions':
    case 'equityMinutes':
    case 'equityDays':
    case 'gridTrades':
    case 'gridLots':
    case 'gridMatches':
      return dirtyRows.row
  }
}
