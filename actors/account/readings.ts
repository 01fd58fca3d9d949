import { v1PositionRow } from '../../src/account/answers/gateway.ts'
import { HeldRows } from '../../src/account/answers/held-rows.ts'
import { render, VIEWS } from '../../src/account/answers/index.ts'
import { marketHealth } from '../../src/account/answers/strategies.ts'
import { Whys } from '../../src/account/answers/why.ts'
import type { AccountState } from '../../src/account/model/state.ts'
import { liveSession } from '../../src/account/strategies/grid/lookups.ts'
import { type Resting, restingOf } from '../../src/account/strategies/standing.ts'
import { stopProfitRows } from '../../src/account/strategies/stop-profit/gateway-module.ts'
import { nameOf, positionsOf } from '../../src/account/turn/holding.ts'
import type { Sight } from '../../src/account/turn/turn.ts'
import { DAY_MS, exchangeDay, exchangeDayStartMs } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { TradeRecord } from '../../src/domain/trade-record.ts'
import type { AccountReplies, Published, Resource } from '../../src/protocol/account.ts'
import { decode } from '../../src/protocol/codec.ts'
import { TABLE } from '../../src/protocol/store.ts'
import type { AccountActorDeps } from './deps.ts'
import type { Holdings } from './holdings.ts'

/** Finished read models of one account. */
export class Readings {
  readonly #deps: AccountActorDeps
  readonly #state: AccountState
  readonly #holdings: Holdings
  readonly #rows: HeldRows
  readonly #whys: Whys
  #quoteStamp = 0
  /** What the account has done besides price marks, and has published. */
  #deeds = 0
  #records:
    | { readonly version: number; readonly day: string; readonly rows: readonly TradeRecord[] }
    | undefined

  constructor(deps: AccountActorDeps, state: AccountState, holdings: Holdings) {
    this.#deps = deps
    this.#state = state
    this.#holdings = holdings
    this.#rows = new HeldRows(v1PositionRow(state))
    // Clients compare the version, and are told the line with it.
    this.#whys = new Whys(state, () => {
      state.dataVersion += 1
    })
  }

  /** The account has done something that a line about a holding may tell of. */
  acted(): void {
    this.#deeds += 1
  }

  /** Builds one; what it is current with is read before the first byte is made. */
  async read(resource: Resource): Promise<Published> {
    const { board, slot, quotes, policy } = this.#deps
    const { showsQuotes, needsRecords } = VIEWS[resource]
    const version = board.version(slot)
    const records = needsRecords ? await this.#recentRecords() : []
    const stockPool = resource === 'stockPool' ? await this.#deps.stockPool() : []
    const quoteSlots = showsQuotes ? this.#holdings.heldSlots() : []
    const quoteStamp = quotes.stamp(quoteSlots)
    if (showsQuotes) this.#noticeMovedQuotes(quoteStamp)
    const sight = this.#holdings.sight()
    const { resting } = this
    this.#look(sight, { version: this.#deeds, resting })
    const bytes = render(resource, {
      state: this.#state,
      row: (position) => {
        const quote = this.#holdings.quote(position.code)
        return this.#rows.of(position, quote, {
          isGridActive: liveSession(this.#state, position.code) !== undefined,
          name: nameOf(this.#state, position.code),
          why: this.#whys.of(position, quote),
        })
      },
      records,
      stockPool: stockPool.length > 0 ? stockPool : policy.stockPool,
      ...sight,
      resting,
      isFeedAvailable: this.#isFeedAvailable(),
    })
    const { dataVersion } = this.#state
    return { resource, bytes, version, quoteSlots, quoteStamp, dataVersion }
  }

  /** Before rows are shown: forgets those of what is not held any more. */
  #look(sight: Sight, seen: Parameters<Whys['begin']>[1]): void {
    const held = positionsOf(this.#state)
    this.#rows.keepOnly(held)
    this.#whys.keepOnly(held)
    this.#whys.begin(sight, seen)
  }

  /** What keeps every strategy from deciding anything. */
  get resting(): Resting | undefined {
    const { board, isReduced: isSuspended = false } = this.#deps
    const [isDiskLow, isDiskLate] = [board.isDiskLow(), board.isDiskLate()]
    return restingOf({ isSuspended, isDiskLow, isDiskLate })
  }

  stopProfitRows(): AccountReplies['stopProfitRows'] {
    return stopProfitRows(this.#state, this.#holdings.sight())
  }

  /** How the quotes of the holdings have done; never kept, because it ages by itself. */
  marketHealth(): { readonly snapshot: object } {
    return { snapshot: marketHealth(this.#state, this.#holdings.sight()) }
  }

  /** Prices of holdings have moved since somebody looked last: what clients compare goes up. */
  #noticeMovedQuotes(quoteStamp: number): void {
    if (quoteStamp === this.#quoteStamp) return
    this.#quoteStamp = quoteStamp
    this.#state.dataVersion += 1
  }

  /** Quotes are there for something that is held; with nothing held there is nothing to miss. */
  #isFeedAvailable(): boolean {
    const slots = this.#holdings.heldSlots()
    return slots.length === 0 || slots.some((slot) => this.#deps.quotes.read(slot) !== undefined)
  }

  /** Records of the last days, newest first; read from the store again only when one was added or removed. */
  async #recentRecords(): Promise<readonly TradeRecord[]> {
    const { recordsVersion: version } = this.#state
    const day = exchangeDay(this.#deps.clock.nowMs())
    if (this.#records?.version === version && this.#records.day === day) return this.#records.rows
    const fromMs = exchangeDayStartMs(day) - this.#deps.policy.limits.recordsDays * DAY_MS
    const rows = await this.#recordsSince(fromMs)
    this.#records = { version, day, rows }
    return rows
  }

  async #recordsSince(fromMs: number): Promise<readonly TradeRecord[]> {
    const { recordsPage, recordsShownMax } = this.#deps.limits
    const rows: TradeRecord[] = []
    let from: number | undefined
    while (rows.length < recordsShownMax) {
      const page = await this.#deps.store.range({
        table: TABLE.records,
        ...(from !== undefined && { from }),
        reverse: true,
        limit: recordsPage,
      })
      for (const { value } of page) {
        const record = decode<TradeRecord>(value)
        if (record.timeMs < fromMs) return rows
        rows.push(record)
      }
      const last = page.at(-1)
      if (page.length < recordsPage || last === undefined) break
      from = Number(last.key) - 1
    }
    return rows
  }

  /** The stock of a record; undefined when there is no such record. */
  async recordCode(id: number): Promise<StockCode | undefined> {
    const query = { table: TABLE.records, from: id, to: id, limit: 1 } as const
    const [found] = await this.#deps.store.range(query)
    return found && decode<TradeRecord>(found.value).code
  }

  /** One page of the numbers of records in a scope; empty when none is left. */
  async recordIds(scope: 'today' | 'all'): Promise<readonly number[]> {
    const today = exchangeDay(this.#deps.clock.nowMs())
    const page = await this.#deps.store.range({
      table: TABLE.records,
      reverse: true,
      limit: this.#deps.limits.recordsPage,
    })
    const inScope = page.filter(
      ({ value }) => scope === 'all' || exchangeDay(decode<TradeRecord>(value).timeMs) === today,
    )
    return inScope.map(({ key }) => Number(key))
  }
}
