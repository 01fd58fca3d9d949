import { WELL_KNOWN } from '../../src/domain/data/well-known.ts'
import { normalizeCode } from '../../src/domain/instrument.ts'
import { plainName } from '../../src/domain/stock-filter.ts'
import {
  type Findable,
  findable,
  type Sounds,
  searchStocks,
  unpackSounds,
} from '../../src/domain/stock-search.ts'
import type { MarketReplies } from '../../src/protocol/market.ts'
import type { OwnStock } from '../../src/protocol/orders.ts'
import type {
  AccountLink,
  Calculations,
  CallOptions,
  FoundStocks,
  StockQuery,
  Stocks,
} from '../port/service.ts'

/** A list, ready to be searched. */
interface List {
  readonly version: string
  readonly day: string | null
  readonly stocks: ReadonlyMap<string, Findable>
}

const SHIPPED = 'shipped'

/**
 * The stocks that people look for, one for the process: the list of the market, else a shipped one, and what the account
 * that is asked about has to do with. How names are spoken is worked out in the pool, once for each name.
 */
export class StockIndex implements Stocks {
  readonly #calculations: Pick<Calculations, 'sounds'>
  /** Names whose sounds are remembered. */
  readonly #namesMax: number
  readonly #sounds = new Map<string, Sounds>()
  #list: List | undefined
  #making: { readonly version: string; readonly list: Promise<List> } | undefined

  constructor(calculations: Pick<Calculations, 'sounds'>, namesMax: number) {
    this.#calculations = calculations
    this.#namesMax = namesMax
  }

  /** Errors  those of the account, its market and the pool. */
  async find(link: AccountLink, query: StockQuery, options: CallOptions): Promise<FoundStocks> {
    const known = this.#list?.version ?? ''
    const [told, own] = await Promise.all([
      link.market({ kind: 'listing', known }, options),
      link.ask({ kind: 'stockNames' }, options),
    ])
    const list = await this.#listOf(told)
    const ownStocks = await this.#ownStocks(own.stocks, list.stocks)
    const held = new Set(own.stocks.flatMap(({ code, isHeld }) => (isHeld ? [code] : [])))
    const isOwn = (code: string) => ownStocks.has(code)
    const all = new Map([...list.stocks, ...ownStocks]).values()
    const stocks = searchStocks(all, query.text, { limit: query.limit, isOwn })
    return {
      stocks: stocks.map(({ code, name }) => ({ code, name, isHeld: held.has(code) })),
      day: list.day,
    }
  }

  /** As the account calls them, else as the list does; without a name only the code can be found. */
  async #ownStocks(
    stocks: readonly OwnStock[],
    listed: ReadonlyMap<string, Findable>,
  ): Promise<ReadonlyMap<string, Findable>> {
    const named = stocks.map(({ code, name }) => {
      const isNamed = name !== code.slice(0, 6)
      return [code, isNamed ? name : (listed.get(code)?.name ?? '')] as const
    })
    const own = await this.#findables(named)
    return new Map(own.map((stock) => [stock.code, stock]))
  }

  /** The list that was told, made once however many ask meanwhile. */
  #listOf(told: MarketReplies['listing']): Promise<List> | List {
    const version = told.version || SHIPPED
    if (this.#list?.version === version) return this.#list
    if (this.#making?.version === version) return this.#making.list
    const making = { version, list: this.#make(version, told) }
    this.#making = making
    return making.list.finally(() => {
      if (this.#making === making) this.#making = undefined
    })
  }

  async #make(version: string, { day, stocks }: MarketReplies['listing']): Promise<List> {
    const made = await this.#findables(stocks ?? shippedStocks())
    this.#list = { version, day, stocks: new Map(made.map((stock) => [stock.code, stock])) }
    return this.#list
  }

  async #findables(stocks: readonly (readonly [string, string])[]): Promise<readonly Findable[]> {
    const plain = stocks.map(([code, name]) => [code, plainName(name)] as const)
    await this.#learn(plain.map(([, name]) => name))
    return plain.map(([code, name]) => findable(code, name, this.#sounds.get(name) ?? []))
  }

  async #learn(names: readonly string[]): Promise<void> {
    const unknown = [...new Set(names)].filter((name) => name !== '' && !this.#sounds.has(name))
    if (unknown.length === 0) return
    const sounds = await this.#calculations.sounds(unknown)
    if (this.#sounds.size + unknown.length > this.#namesMax) this.#sounds.clear()
    unknown.forEach((name, index) => {
      this.#sounds.set(name, unpackSounds(sounds[index] ?? ''))
    })
  }
}

const shippedStocks = (): readonly (readonly [string, string])[] =>
  WELL_KNOWN.flatMap(([digits, name]) => {
    const code = normalizeCode(digits)
    return code.ok ? [[code.value, name] as const] : []
  })
