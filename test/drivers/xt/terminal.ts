import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { exchangeDay } from '../../../src/domain/exchange-time.ts'
import { type NewOrder, ORDER_TYPE } from '../../../src/domain/order.ts'
import type { PaperConfig } from '../../../src/drivers/paper/config.ts'
import { Draft } from '../../../src/drivers/paper/draft.ts'
import type { DriverEvent } from '../../../src/protocol/driver.ts'
import { freePort } from '../../free-ports.ts'
import { Counter, orderOf, price, type QuoteParts, quoteOf, shares } from '../fixtures/paper.ts'
import { QuoteFloor } from './terminal-quotes.ts'
import {
  assetFields,
  dealFields,
  type Fields,
  HISTORY,
  orderFields,
  positionFields,
  statusFields,
} from './terminal-rows.ts'

interface Request {
  readonly id: number
  readonly m: string
  readonly a: Fields
}

/**
 * What a test does to a request: let it pass, carry it out only when something has happened (the call
 * stands in the library until then, and others are answered), never answer it, or answer something else.
 */
export type Fault =
  | 'hang'
  | { readonly answer: unknown }
  | { readonly until: Promise<unknown> }
  | 'abort'
  | undefined

export interface TerminalOptions {
  readonly accountId: string
  readonly settings: PaperConfig
  /** Existing folder for the data folder of the client. */
  readonly folder: string
}

/**
 * The broker that the stand-in for xtquant speaks to: a counter with books, which outlive
 * every sidecar. It has the habits of the original: deals told again to whoever subscribes, bare
 * codes in pushes, request numbers that are not order numbers, rows of other accounts.
 */
export class Terminal {
  readonly clientPath: string
  readonly counter: Counter
  /** Looks at every request first. */
  fault: (method: string, fields: Fields) => Fault = () => undefined
  /** Called before a request is carried out, and again after. */
  onRequest: (method: string, when: 'before' | 'after') => void = () => undefined
  /** Called with every push; false drops it. */
  onPush: (name: string, fields: Fields) => boolean = () => true
  /** Looks at every row before it is listed or pushed, by report; undefined keeps it back. */
  onRow: (what: string, fields: Fields) => Fields | undefined = (_, fields) => fields
  readonly sessions: number[] = []
  /** Of the process that connected last. */
  pid = 0
  /** Characters of an order's remark that survive. */
  remarkCharsMax = 24
  /** What the account is in, for whoever asks; told to nobody by itself. */
  accountState = 0
  orders = 0
  readonly quotes = new QuoteFloor()
  readonly #options: TerminalOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #subscribed = new Set<Socket>()
  #port = 0
  #callId = 0
  #lastTickMs = 0
  #sequence = 70_000

  private constructor(options: TerminalOptions, server: Server) {
    this.#options = options
    this.#server = server
    this.clientPath = join(options.folder, 'userdata_mini')
    this.counter = new Counter(options.settings, exchangeDay(Date.now()))
    server.on('connection', (socket) => this.#welcome(socket))
  }

  static async open(options: TerminalOptions): Promise<Terminal> {
    const server = createServer()
    const port = await freePort() // which is still its own when it starts again
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const terminal = new Terminal(options, server)
    mkdirSync(terminal.clientPath, { recursive: true })
    const text = JSON.stringify({ port: terminal.port })
    writeFileSync(join(terminal.clientPath, 'terminal.json'), text)
    return terminal
  }

  get port(): number {
    const address = this.#server.address()
    if (typeof address === 'object' && address !== null) this.#port = address.port
    return this.#port
  }

  /** A new best bid and ask, and what it fills. */
  tick(code: string, book: QuoteParts): void {
    this.#lastTickMs = Math.max(Date.now(), this.#lastTickMs + 1)
    const parts = { timeMs: this.#lastTickMs, ...book }
    this.#tell(this.counter.tick(parts, code as NewOrder['code']))
    this.quotes.tick(code, parts, (socket, fields) => push(socket, 'tick', fields))
  }

  /** An order that does not come through the library: placed on a telephone, in the terminal, or elsewhere. */
  placeElsewhere(parts: Partial<NewOrder>): string {
    const order = orderOf({ clientOrderId: '', strategy: '', ...parts })
    const quote = quoteOf(this.quotes.quote(order.code) ?? {})
    this.#callId += 1
    const command = { kind: 'submit', callId: this.#callId, order, quote } as const
    const events = this.counter.take({ ...command, nowMs: Date.now() })
    this.#tell(events.filter(({ kind }) => kind !== 'submitAnswered'))
    return [...this.counter.books.orders.keys()].at(-1) ?? ''
  }

  /** Drops every line, as a client that is logged off or restarted does. The books stay. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
    this.#subscribed.clear()
    this.quotes.forget()
  }

  /** Ends, with its port: whoever calls is refused. The books stay, and the exchange goes on. */
  async end(): Promise<void> {
    this.disconnect()
    await new Promise((resolve) => this.#server.close(resolve))
  }
  /** Starts again with the same books, at the same port, as a user would. */
  async startAgain(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve))
  }

  /** To all that are connected, as the original would. */
  push(name: string, fields: Fields): void {
    if (!this.onPush(name, fields)) return
    const what = LIST_OF[name]
    const shown = what === undefined ? fields : this.onRow(what, fields)
    if (shown === undefined) return
    for (const socket of this.#subscribed) push(socket, name, shown)
  }

  /** Has the market data library of every connected process make ticks by itself. */
  storm(fields: { codes: string[]; per_second: number; seconds: number }): void {
    for (const socket of this.quotes.watching) push(socket, 'storm', fields)
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.end()
  }

  #welcome(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#subscribed.delete(socket)
      this.quotes.leave(socket)
    })
    const lines = createInterface({ input: socket })
    lines.on('error', () => undefined) // a killed process; `close` tells
    lines.on('line', (line) => this.#receive(socket, JSON.parse(line) as Request))
  }

  #receive(socket: Socket, { id, m, a }: Request): void {
    const fault = this.fault(m, a)
    if (fault === 'hang') return
    if (fault === 'abort') return void socket.write(`${JSON.stringify({ abort: true })}\n`)
    if (fault === undefined) return this.#carryOut(socket, { id, m, a })
    if ('answer' in fault) return answer(socket, id, fault.answer)
    void fault.until.then(() => this.#carryOut(socket, { id, m, a }))
  }

  #carryOut(socket: Socket, { id, m, a }: Request): void {
    this.onRequest(m, 'before')
    const events = this.#serve(socket, id, m, a)
    this.onRequest(m, 'after')
    this.#tell(events)
  }

  #serve(socket: Socket, id: number, method: string, fields: Fields): readonly DriverEvent[] {
    switch (method) {
      case 'connect':
        this.sessions.push(Number(fields['session']))
        this.pid = Number(fields['pid'])
        answer(socket, id, 0)
        return []
      case 'subscribe':
        this.#subscribed.add(socket)
        answer(socket, id, fields['account_id'] === this.#options.accountId ? 0 : -1)
        for (const account_type of HONG_KONG) this.#tellOfAnother(socket, account_type)
        for (const { row } of this.counter.books.deals) {
          push(socket, 'on_stock_trade', dealFields(this.#options.accountId, row, 'bare'))
        }
        return []
      case 'order':
        return this.#order(socket, id, fields)
      case 'cancel':
        return this.#cancel(socket, id, String(fields['order_id'] ?? numberBehind(fields)))
      default:
        answer(socket, id, this.#report(method, socket, fields))
        return []
    }
  }

  /** Accounts for Hong Kong have the same number; most people have never opened them. */
  #tellOfAnother(socket: Socket, account_type: number): void {
    const account = { account_id: this.#options.accountId, account_type }
    push(socket, 'on_account_status', { ...account, status: -1 })
    push(socket, 'on_stock_asset', { ...account, cash: 0, frozen_cash: 0, total_asset: 0 })
  }

  #order(socket: Socket, id: number, fields: Fields): readonly DriverEvent[] {
    this.orders += 1
    this.#sequence += 1
    const code = String(fields['stock_code'])
    const order = {
      clientOrderId: String(fields['order_remark']).slice(0, this.remarkCharsMax),
      code,
      side: fields['order_type'] === ORDER_TYPE.buy ? 'buy' : 'sell',
      quantity: shares(Number(fields['order_volume'])),
      priceType: Number(fields['price_type']),
      price: price(Number(fields['price'])),
      strategy: String(fields['strategy_name']),
    } as NewOrder
    const quote = quoteOf(this.quotes.quote(code) ?? {})
    this.#callId += 1
    const events = this.counter.take({
      kind: 'submit',
      callId: this.#callId,
      order,
      quote,
      nowMs: Date.now(),
    })
    answer(socket, id, this.#sequence)
    return events
  }

  #cancel(socket: Socket, id: number, orderId: string): readonly DriverEvent[] {
    this.#callId += 1
    const command = { kind: 'cancel', callId: this.#callId, orderId } as const
    const events = this.counter.take({ ...command, nowMs: Date.now() })
    const isTaken = events.some((event) => event.kind === 'cancelAnswered' && event.result.ok)
    answer(socket, id, isTaken ? 0 : -1)
    return events
  }

  #report(method: string, socket: Socket, fields: Fields): unknown {
    switch (method) {
      case 'unsubscribe':
        return 0
      case 'subscribe_quotes':
        return this.quotes.subscribe(socket, fields['codes'] as string[])
      case 'unsubscribe_quotes':
        return this.quotes.unsubscribe(socket, Number(fields['number']))
      case 'full_tick':
        return this.quotes.fullTick(socket, fields['codes'] as string[])
      case 'instrument':
        return this.quotes.instrument(String(fields['code']))
      case 'sector':
        return this.quotes.sectors[String(fields['name'])] ?? []
      case 'history':
        return { [(fields['codes'] as string[])[0] ?? '']: HISTORY }
      case 'download':
        return null
      default:
        return this.#shown(method, this.#rows(method))
    }
  }

  #shown(what: string, rows: unknown): unknown {
    if (!Array.isArray(rows)) return rows
    return rows.flatMap((row: Fields) => this.onRow(what, row) ?? [])
  }

  /** What the counter shows, with a row of somebody else's among them. */
  #rows(what: string): unknown {
    const { accountId } = this.#options
    const draft = new Draft(this.counter.books, this.counter.context.rates)
    const stranger = { account_id: '99999999' }
    switch (what) {
      case 'account_states': {
        const kinds = [...HONG_KONG.map((kind) => [kind, -1]), [2, this.accountState]] as const
        return kinds.map(([kind, state]) => statusFields(accountId, kind ?? 0, state ?? 0))
      }
      case 'asset':
        return assetFields(accountId, draft.assetRow(this.counter.context.priceOf))
      case 'positions':
        return draft.positionRows().map((row) => positionFields(accountId, row))
      case 'orders': {
        const rows = draft.orderRows().map((row) => orderFields(accountId, row, 'suffixed'))
        return rows.length === 0 ? rows : [...rows, { ...rows[0], ...stranger }]
      }
      case 'deals':
        return draft.dealRows().map((row) => dealFields(accountId, row, 'suffixed'))
      default:
        throw new Error(`the stand-in for xtquant asks for ${what}`)
    }
  }

  #tell(events: readonly DriverEvent[]): void {
    for (const event of events) {
      const found = this.#callback(event)
      if (found !== undefined) this.push(...found)
    }
  }

  /** An event of the counter as the callback of the original. */
  #callback(event: DriverEvent): [string, Fields] | undefined {
    const { accountId } = this.#options
    if (event.kind === 'orderPushed') {
      return ['on_stock_order', orderFields(accountId, event.order, 'bare')]
    }
    if (event.kind === 'dealPushed') {
      return ['on_stock_trade', dealFields(accountId, event.deal, 'bare')]
    }
    if (event.kind !== 'submitAnswered') return undefined
    const { outcome, clientOrderId } = event
    const isTaken = outcome.kind === 'accepted'
    const response = { account_id: accountId, order_remark: clientOrderId, seq: this.#sequence }
    const order_id = isTaken ? outcome.orderId : '-1'
    const error_msg = isTaken ? '' : outcome.message
    return ['on_order_stock_async_response', { ...response, order_id, error_msg }]
  }
}

/** 沪港通, 深港通. */
export const HONG_KONG = [7, 11] as const

const LIST_OF: Readonly<Record<string, string>> = {
  on_stock_order: 'orders',
  on_stock_trade: 'deals',
  on_stock_position: 'positions',
}
/** As `orderFields` makes the counter's number from the terminal's. */
const numberBehind = ({ sysid }: Fields): string => String(sysid).slice(1)

function answer(socket: Socket, id: number, r: unknown): void {
  socket.write(`${JSON.stringify({ id, r })}\n`)
}
function push(socket: Socket, name: string, d: Fields): void {
  socket.write(`${JSON.stringify({ push: name, d })}\n`)
}
