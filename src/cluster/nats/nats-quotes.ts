import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { STOCK_CODE } from '../../domain/instrument.ts'
import type { QuoteExchange, QuoteExchangeEvents } from '../../ports/quote-exchange.port.ts'
import type { ConnectionSettings, ConnectionState } from './connect.ts'
import { Line, type Stop } from './line.ts'

export interface NatsQuotesLimits {
  /** Codes that wait to be sent at a time. */
  readonly codesMax: number
  /** Quotes of a code within this are one: the newest. ms */
  readonly gatherMs: number
  /** Wait after an attempt to connect that failed. ms */
  readonly retryMs: number
  /** How long a closing connection may take to send what it still has. ms */
  readonly drainMs: number
}

export interface NatsQuotesOptions {
  readonly settings: ConnectionSettings
  readonly limits: NatsQuotesLimits
  /** What becomes of the connection, for the log: a line each. */
  readonly onState: (text: string) => void
}

/** What the nodes want. No exchange is called so, so it is no quote. */
const WANTS = 'md.want'
/** Nobody is asked anything on this connection. */
const REQUESTS_MAX = 1

/** `600000.SH` → `md.SH.600000`: whoever wants an exchange listens to a branch. */
function quoteSubject(code: string): string {
  assert(STOCK_CODE.test(code), `code "${code}"`)
  const [number, exchange] = code.split('.')
  return `md.${exchange}.${number}`
}

/** Quotes between nodes over core NATS, at most once each, on a connection that carries nothing else. */
export class NatsQuotes implements QuoteExchange {
  readonly #options: NatsQuotesOptions
  readonly #stopping = new AbortController()
  /** Ends of what is listened to, by code; none while there is no connection. */
  readonly #codes = new Map<string, Stop | undefined>()
  #newest = new Map<string, Uint8Array>()
  #timer: NodeJS.Timeout | undefined
  #line: Line | undefined
  #events: QuoteExchangeEvents | undefined
  #dropped = 0

  constructor(options: NatsQuotesOptions) {
    this.#options = options
  }

  /** Quotes for which there was no room. */
  get dropped(): number {
    return this.#dropped
  }

  get isOpen(): boolean {
    return this.#line?.isOpen ?? false
  }

  open(events: QuoteExchangeEvents): void {
    if (this.#events !== undefined) return
    this.#events = events
    void this.#connect(events)
  }

  listen(code: string): void {
    if (this.#codes.has(code)) return
    this.#codes.set(code, this.#subscribe(code))
  }

  ignore(code: string): void {
    this.#codes.get(code)?.()
    this.#codes.delete(code)
  }

  sendQuote(code: string, bytes: Uint8Array): void {
    const { codesMax, gatherMs } = this.#options.limits
    if (!this.#newest.has(code) && this.#newest.size >= codesMax) {
      this.#dropped += 1
      return
    }
    this.#newest.set(code, bytes)
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs)
  }

  sendWants(bytes: Uint8Array): void {
    this.#line?.publish(WANTS, bytes)
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    this.#newest.clear()
    await this.#line?.close()
  }

  #flush(): void {
    this.#timer = undefined
    const newest = this.#newest
    this.#newest = new Map()
    for (const [code, bytes] of newest) this.#line?.publish(quoteSubject(code), bytes)
  }

  /** One that was closed for good, such as by a server that is too old, is opened anew: it may have been replaced. */
  async #connect(events: QuoteExchangeEvents): Promise<void> {
    const { settings, limits, onState } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const closed = Promise.withResolvers<void>()
      try {
        const bounds = { requestsMax: REQUESTS_MAX, drainMs: limits.drainMs, watchedMax: 1 }
        const line = await Line.open(settings, bounds, (state) => {
          onState(textOf(state))
          if (state.state === 'closed') closed.resolve()
        })
        if (signal.aborted) return line.close()
        this.#use(line, events)
        await closed.promise
        this.#line = undefined
      } catch (error) {
        onState(error instanceof Error ? error.message : String(error))
      }
      await sleep(limits.retryMs, undefined, { signal }).catch(() => undefined)
    }
  }

  #use(line: Line, events: QuoteExchangeEvents): void {
    this.#line = line
    const { wants } = events
    if (wants !== undefined) line.subscribe(WANTS, ({ data }) => wants(data))
    for (const code of this.#codes.keys()) this.#codes.set(code, this.#subscribe(code))
    line.onReopened(events.opened)
    events.opened()
  }

  #subscribe(code: string): Stop | undefined {
    return this.#line?.subscribe(quoteSubject(code), ({ data }) => this.#heard(code, data))
  }

  /** The client may still have some of a subscription that has just ended. */
  #heard(code: string, data: Uint8Array): void {
    if (this.#codes.has(code)) this.#events?.quote(code, data)
  }
}

function textOf(state: ConnectionState): string {
  if (state.state === 'complaint') return state.text
  return state.state === 'closed' ? (state.reason?.message ?? 'closed') : state.state
}
