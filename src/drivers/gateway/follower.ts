import { setTimeout as sleep } from 'node:timers/promises'
import type { BrokerDeal, BrokerOrder, BrokerPosition } from '../../domain/order.ts'
import { dataOf, isForLater, wordsOf } from './answers.ts'
import type { ListName, PeerApi } from './peer-api.ts'
import type { PeerAnswer } from './peer-client.ts'
import type { Row } from './rows.ts'

export interface FollowerLimits {
  readonly pollMs: number
  readonly streamPollMs: number
  readonly streamSilenceMs: number
  readonly streamRetryMs: number
  readonly pollsFailedMax: number
  readonly bytesMax: number
}

/** Rows of an answer in our words. */
export interface ReadRows {
  readonly orders: (rows: readonly Row[], trades: readonly Row[]) => readonly BrokerOrder[]
  readonly deals: (rows: readonly Row[]) => readonly BrokerDeal[]
  readonly positions: (rows: readonly Row[]) => readonly BrokerPosition[]
}

export interface FollowerOptions {
  readonly api: PeerApi
  /** It knows keys, and may have an event stream. */
  readonly hasStream: boolean
  readonly limits: FollowerLimits
  readonly read: ReadRows
  readonly order: (order: BrokerOrder) => void
  readonly deal: (deal: BrokerDeal) => void
  readonly position: (position: BrokerPosition) => void
  /** Why the account there cannot be relied on; empty when it can. */
  readonly unusable: (status: PeerAnswer) => string
  /** The gateway is gone, or its account is not usable. */
  readonly lost: (reason: string) => void
}

/** The account takes rows one by one, and so many may wait for it; its first look may find those of a whole day. */
const ROWS_AT_ONCE = 200
const PAUSE_MS = 50

const orderKey = (order: BrokerOrder): string =>
  `${order.status}|${order.filledQuantity}|${order.statusMessage}|${order.price}|${order.clientOrderId}`
const dealKey = ({ dealId, orderId, code, side }: BrokerDeal): string =>
  `${dealId}|${orderId}|${code}|${side}`

/** Rows of a list of an answer; undefined: it has none. */
export function rowsOf(answer: PeerAnswer, what: 'positions' | 'orders' | 'trades') {
  const rows = dataOf(answer)[what]
  return Array.isArray(rows) ? rows.map(rowOf) : undefined
}

/** What is none has nothing in it: it is left out, and named. */
const rowOf = (row: unknown): Row =>
  typeof row === 'object' && row !== null && !Array.isArray(row) ? (row as Row) : {}

/** A list as it came. `tag`: what it is called there, to be told when it is the same; empty: it is called nothing. */
interface Listed {
  readonly rows: readonly Row[]
  readonly tag: string
}

/** One answer says nothing of the account: several in a row do, that its gateway is gone. */
const hasFailed = (answer: PeerAnswer): boolean =>
  answer.kind === 'lost' || answer.status >= 500 || isForLater(answer)

/**
 * Tells what changes in an account at another gateway. It looks at the lists again and again; an event stream,
 * where there is one, says when to look sooner. A stream that ends or falls silent only makes it look more often.
 */
export class Follower {
  readonly #options: FollowerOptions
  readonly #ending = new AbortController()
  readonly #tags = new Map<ListName, string>()
  #orders = new Map<string, string>()
  #deals = new Set<string>()
  #isStreaming = false
  #failed = 0
  #wake: () => void = () => undefined
  /** Positions are to be looked at with the next look. */
  #arePositionsNews = false

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  start(): void {
    this.#poll().catch((error: unknown) => this.#lost(String(error)))
    if (this.#options.hasStream) void this.#stream()
  }

  stop(): void {
    this.#ending.abort()
    this.#wake()
  }

  /** Something was done: what came of it is looked for at once. */
  nudge(): void {
    this.#wake()
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted
  }

  async #poll(): Promise<void> {
    const { pollMs, streamPollMs } = this.#options.limits
    while (!this.#isOver) {
      let isWoken = false
      const woken = new Promise<void>((resolve) => {
        this.#wake = () => {
          isWoken = true
          resolve()
        }
      })
      await this.#look()
      if (isWoken) continue
      const waiting = new AbortController()
      const delayMs = this.#isStreaming ? streamPollMs : pollMs
      const time = sleep(delayMs, undefined, { signal: waiting.signal }).catch(() => undefined)
      await Promise.race([woken, time])
      waiting.abort()
    }
  }

  async #look(): Promise<void> {
    const { api, unusable } = this.#options
    const status = await api.status()
    if (this.#isOver) return
    if (hasFailed(status)) return this.#missed(status)
    const reason = unusable(status)
    if (reason !== '') return this.#lost(reason)
    const trades = await this.#list('trades')
    const orders = await this.#list('orders') // after the trades: it has the orders of all of them
    if (this.#isOver || orders === undefined || trades === undefined) return
    this.#failed = 0
    await this.#tellNews(orders, trades)
    if (this.#isOver) return
    if (this.#arePositionsNews || trades !== 'same') await this.#positions()
  }

  /** Tags are not kept before both lists are here: one whose tag is kept does not come again. */
  async #tellNews(orders: Listed | 'same', trades: Listed | 'same'): Promise<void> {
    const { read } = this.#options
    if (trades !== 'same') this.#keepTag('trades', trades)
    if (orders !== 'same') {
      this.#keepTag('orders', orders)
      await this.#tellOrders(read.orders(orders.rows, trades === 'same' ? [] : trades.rows))
    }
    if (trades !== 'same') await this.#tellDeals(read.deals(trades.rows))
  }

  /** Of a gateway without keys none is kept: rows that are held back while an order is on its way must come again. */
  #keepTag(what: ListName, { tag }: Listed): void {
    if (this.#options.hasStream) this.#tags.set(what, tag)
  }

  /** `same`: nothing has changed; undefined: no list. */
  async #list(what: 'orders' | 'trades'): Promise<Listed | 'same' | undefined> {
    const answer = await this.#options.api.list(what, this.#tags.get(what))
    if (answer.kind === 'answered' && answer.status === 304) return 'same'
    const rows = rowsOf(answer, what)
    if (rows === undefined || answer.kind === 'lost' || answer.status !== 200) {
      this.#missed(answer)
      return undefined
    }
    const tag = answer.headers['etag']
    return { rows, tag: typeof tag === 'string' ? tag : '' }
  }

  #tellOrders(orders: readonly BrokerOrder[]): Promise<void> {
    const known = this.#orders
    this.#orders = new Map(orders.map((order) => [order.orderId, orderKey(order)]))
    const news = orders.filter((order) => known.get(order.orderId) !== orderKey(order))
    return this.#tell(news, this.#options.order)
  }

  #tellDeals(deals: readonly BrokerDeal[]): Promise<void> {
    const known = this.#deals
    this.#deals = new Set(deals.map(dealKey))
    const news = deals.filter((deal) => !known.has(dealKey(deal)))
    return this.#tell(news, this.#options.deal)
  }

  async #tell<T>(rows: readonly T[], tell: (row: T) => void): Promise<void> {
    const { signal } = this.#ending
    for (const [index, row] of rows.entries()) {
      if (this.#isOver) return
      tell(row)
      if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) {
        await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  async #positions(): Promise<void> {
    this.#arePositionsNews = false
    const rows = rowsOf(await this.#options.api.list('positions'), 'positions')
    if (rows === undefined) this.#arePositionsNews = true // they are asked for with the next look
    if (rows === undefined || this.#isOver) return
    for (const position of this.#options.read.positions(rows)) this.#options.position(position)
  }

  #missed(answer: PeerAnswer): void {
    if (this.#isOver) return
    this.#failed += 1
    const { pollsFailedMax } = this.#options.limits
    if (this.#failed >= pollsFailedMax) this.#lost(`对方网关无应答 (no answer): ${wordsOf(answer)}`)
  }

  #lost(reason: string): void {
    if (this.#isOver) return
    this.stop()
    this.#options.lost(reason)
  }

  async #stream(): Promise<void> {
    const { api, limits } = this.#options
    const { signal } = this.#ending
    while (!this.#isOver) {
      const silent = new AbortController()
      const either = AbortSignal.any([signal, silent.signal])
      try {
        const { status, pieces } = await api.events(either)
        if (status === 404) return silent.abort() // that gateway has none
        if (status === 200) await this.#read(pieces, silent)
      } catch {} // looked at more often meanwhile, and opened again
      silent.abort()
      this.#isStreaming = false
      this.#wake()
      await sleep(limits.streamRetryMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Until it ends. Errors  rejects when it breaks, falls silent or is no event stream. */
  async #read(pieces: AsyncIterable<string>, silent: AbortController): Promise<void> {
    const { streamSilenceMs, bytesMax } = this.#options.limits
    const timer = setTimeout(() => silent.abort(), streamSilenceMs)
    let text = ''
    try {
      for await (const piece of pieces) {
        timer.refresh()
        text += piece
        if (text.length > bytesMax) throw new Error('an event without an end')
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) this.#event(block)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** It says what has changed; whether it is so the lists say. */
  #event(block: string): void {
    const data = /^data: (.*)$/m.exec(block)?.[1]
    if (data === undefined) return
    this.#isStreaming = true
    const event = parsed(data)
    const { orders, trades, positions_update: update } = event
    if (isChanged(update)) this.#arePositionsNews = true
    const isNews =
      isChanged(update) ||
      orders !== this.#tags.get('orders') ||
      trades !== this.#tags.get('trades') ||
      event['connected'] !== true ||
      event['ready'] !== true
    if (isNews) this.#wake()
  }
}

const isChanged = (update: unknown): boolean =>
  typeof update === 'object' && update !== null && Reflect.get(update, 'changed') === true

function parsed(text: string): Row {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Row) : {}
  } catch {
    return {}
  }
}
