import type { ChoiceRules } from '../../src/cluster/protocol/quote-choice.ts'
import { type InterestLimits, QuoteInterest } from '../../src/cluster/protocol/quote-interest.ts'
import { QuoteTurn } from '../../src/cluster/protocol/quote-turn.ts'
import type { MarketLog } from '../../src/market/saved.ts'
import type { QuoteExchange } from '../../src/ports/quote-exchange.port.ts'
import type { Tick } from '../../src/protocol/market.ts'
import {
  encodeQuote,
  parseQuote,
  parseWants,
  type QuoteGiver as Self,
} from '../../src/protocol/shared-quotes.ts'

export interface QuoteGiverOptions {
  /** Who gives them, of which kind, from where. */
  readonly self: Self
  readonly exchange: QuoteExchange
  readonly limits: InterestLimits & ChoiceRules
  /** Has a code fed here, if there is room, and answers its last quote; undefined when it has none yet. */
  readonly feed: (code: string, hint: number) => Tick | undefined
  readonly monotonicMs: () => number
  readonly log: MarketLog
}

/** Gives other nodes the quotes that this one has and they want. */
export class QuoteGiver {
  readonly #options: QuoteGiverOptions
  readonly #interest: QuoteInterest
  readonly #turn: QuoteTurn
  #timer: NodeJS.Timeout | undefined
  #leftOutTold = 0

  constructor(options: QuoteGiverOptions) {
    const { self, limits } = options
    this.#options = options
    this.#interest = new QuoteInterest(limits)
    this.#turn = new QuoteTurn(self.node, limits)
  }

  start(): void {
    if (this.#timer !== undefined) return
    const { exchange, limits } = this.#options
    exchange.open({
      quote: (code, bytes) => this.#hear(code, bytes),
      wants: (bytes) => this.#serve(bytes),
      opened: () => undefined,
    })
    this.#timer = setInterval(() => this.#look(), limits.forgetMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#options.exchange.close()
  }

  /** Codes that other nodes want from here. */
  get count(): number {
    return this.#interest.size
  }

  /** A quote that has just come in here. */
  offer(tick: Tick): void {
    const { stock_code: code, time } = tick
    const nowMs = this.#options.monotonicMs()
    if (!this.#interest.isWanted(code, nowMs) || !this.#turn.isOurs(code, time, nowMs)) return
    this.#send(tick)
  }

  #send(tick: Tick): void {
    const { exchange, self } = this.#options
    if (exchange.isOpen) exchange.sendQuote(tick.stock_code, encodeQuote({ ...self, tick }))
  }

  #serve(bytes: Uint8Array): void {
    const { self, exchange, feed, monotonicMs } = this.#options
    const wants = parseWants(bytes)
    if (wants === undefined || wants.kind !== self.kind || wants.node === self.node) return
    const nowMs = monotonicMs()
    for (const { code, hint, isNew } of wants.codes) {
      const heard = this.#interest.hear(code, nowMs)
      if (heard === undefined) continue
      if (heard.isNew) exchange.listen(code)
      if (!heard.isNew && !isNew) continue
      const last = feed(code, hint)
      if (last !== undefined) this.#send(last)
    }
  }

  /** Of another node that has these quotes too. */
  #hear(code: string, bytes: Uint8Array): void {
    const { self, monotonicMs } = this.#options
    const quote = parseQuote(code, bytes)
    if (quote === undefined || quote.kind !== self.kind) return
    this.#turn.hear(code, { node: quote.node, timeMs: quote.tick.time }, monotonicMs())
  }

  #look(): void {
    const { exchange, log, monotonicMs } = this.#options
    for (const code of this.#interest.lapse(monotonicMs())) {
      exchange.ignore(code)
      this.#turn.forget(code)
    }
    const { leftOut, size } = this.#interest
    if (leftOut === this.#leftOutTold) return
    this.#leftOutTold = leftOut
    log.warn(
      { leftOut, codes: size },
      'other nodes want more codes than limits.cluster.quote_codes_max',
    )
  }
}
