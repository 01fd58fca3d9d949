import { type GridTrade, rowKey } from '../../src/account/model/grid-book.ts'
import {
  lotRow,
  matchRow,
  tradeRow,
} from '../../src/account/strategies/grid/answers/ledger-rows.ts'
import {
  type GridSight,
  gridAnswer,
  priceOf,
} from '../../src/account/strategies/grid/answers/questions.ts'
import {
  snapshotOf,
  storedRow,
  summaryRow,
} from '../../src/account/strategies/grid/answers/session-rows.ts'
import { getSession } from '../../src/account/strategies/grid/lookups.ts'
import { type Price, toYuan } from '../../src/domain/money.ts'
import type { AccountStore } from '../../src/ports/store.port.ts'
import { decode } from '../../src/protocol/codec.ts'
import type { GridAnswer, GridPage, GridQuestion } from '../../src/protocol/grid.ts'
import { TABLE, type TableName } from '../../src/protocol/store.ts'
import type { Lot, LotMatch } from '../../src/strategy/grid/ledger.ts'
import { type GridSession, tradeCountOf } from '../../src/strategy/grid/session.ts'

interface GridPagesLimits {
  /** Rows of one range query. */
  readonly recordsPage: number
  /** Lots, or matches, in one answer; the oldest are left out. */
  readonly recordsShownMax: number
}

/** Answers about grids: from memory, and trades and books from the store beside the mailbox. */
export class GridPages {
  readonly #store: Pick<AccountStore, 'range'>
  readonly #limits: GridPagesLimits

  constructor(store: Pick<AccountStore, 'range'>, limits: GridPagesLimits) {
    this.#store = store
    this.#limits = limits
  }

  /** Errors  as `gridAnswer`. */
  async read(sight: GridSight, question: GridQuestion): Promise<GridAnswer> {
    switch (question.about) {
      case 'trades':
        return this.#trades(sight, question)
      case 'ledger':
        return this.#ledger(sight, question)
      default:
        return { fields: gridAnswer(sight, question) }
    }
  }

  /** Newest first. */
  async #trades(
    { state }: GridSight,
    { sessionId, page }: Extract<GridQuestion, { about: 'trades' }>,
  ): Promise<GridAnswer> {
    const total = tradeCountOf(getSession(state, sessionId))
    const fields = await this.#tradePage(sessionId, { page, total })
    return { fields, looked: fields.trades.length }
  }

  async #tradePage(
    sessionId: number,
    { page, total }: { readonly page: GridPage; readonly total: number },
  ) {
    const { limit, offset } = page
    const newest = total - offset
    const rows =
      newest < 1 ? [] : await this.#rows<GridTrade>(TABLE.gridTrades, { sessionId, newest, limit })
    return {
      trades: rows.map(tradeRow),
      total_count: total,
      pagination: { limit, offset, has_more: offset + rows.length < total },
    }
  }

  async #ledger(
    sight: GridSight,
    question: Extract<GridQuestion, { about: 'ledger' }>,
  ): Promise<GridAnswer> {
    const { sessionId, page } = question
    const session = getSession(sight.state, sessionId)
    const price = question.price > 0 ? (question.price as Price) : priceOf(sight, session.code)
    const { mark } = snapshotOf(session, price)
    const { lotCount, matchCount } = session.ledger
    const [lots, matches, trades] = await Promise.all([
      this.#books<Lot>(TABLE.gridLots, session, lotCount),
      this.#books<LotMatch>(TABLE.gridMatches, session, matchCount),
      this.#tradePage(sessionId, { page, total: tradeCountOf(session) }),
    ])
    const fields = {
      session_id: sessionId,
      session: storedRow(session),
      current_price: toYuan(mark),
      summary: summaryRow(session, mark),
      lots: lots.map((lot) => lotRow(session, lot)),
      matches: matches.map((match) => matchRow(session, match)),
      ...trades,
    }
    return { fields, looked: lots.length + matches.length + trades.trades.length }
  }

  /** All lots or matches, oldest first. */
  async #books<T>(table: TableName, session: GridSession, count: number): Promise<readonly T[]> {
    const rows: T[] = []
    const { recordsPage, recordsShownMax } = this.#limits
    const wanted = Math.min(count, recordsShownMax)
    while (rows.length < wanted) {
      const limit = Math.min(recordsPage, wanted - rows.length)
      const newest = count - rows.length
      const page = await this.#rows<T>(table, { sessionId: session.id, newest, limit })
      if (page.length === 0) break
      rows.push(...page)
    }
    return rows.reverse()
  }

  /** Rows of a session from the one with this number downward. */
  async #rows<T>(
    table: TableName,
    { sessionId, newest, limit }: { sessionId: number; newest: number; limit: number },
  ): Promise<readonly T[]> {
    const rows = await this.#store.range({
      table,
      reverse: true,
      limit: Math.min(limit, newest),
      from: rowKey(sessionId, newest),
      to: rowKey(sessionId, 1),
    })
    return rows.map(({ value }) => decode<T>(value))
  }
}
