import { type ChoiceRules, QuoteChoice } from '../../src/cluster/protocol/quote-choice.ts'
import type { MarketLog } from '../../src/market/saved.ts'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import type { QuoteExchange } from '../../src/ports/quote-exchange.port.ts'
import type { QuotesFrom, Tick } from '../../src/protocol/market.ts'
import { encodeWants, parseQuote, type QuoteKind } from '../../src/protocol/shared-quotes.ts'

export interface QuoteTakerOptions {
  /** Of this computer. */
  readonly node: string
  /** Quotes of the other kind are left out: a real account never trades on invented prices. */
  readonly kind: QuoteKind
  readonly exchange: QuoteExchange
  readonly limits: ChoiceRules & {
    /** Between two tellings of what is wanted, milliseconds. */
    readonly wantMs: number
    /** New codes within this are told together, milliseconds. */
    readonly gatherMs: number
  }
  /** Milliseconds that only go forward. */
  readonly monotonicMs: () => number
  readonly log: MarketLog
}

/** Some 60 kB: far below what any server takes in one message, however many rows the board has. */
const CODES_A_MESSAGE = 4_096

/** What is known of a wanted code. */
interface Wanted {
  readonly hint: number
  /** Its last quote is asked for, with each telling until one has come: a telling may be lost. */
  isNew: boolean
}

/**
 * The quotes of other nodes, as a source of this market. While nobody gives any there are no ticks, and those who
 * trade see that by their age, as with every other source.
 */
export class QuoteTaker implements MarketSource {
  readonly #options: QuoteTakerOptions
  readonly #choice: QuoteChoice
  readonly #wanted = new Map<string, Wanted>()
  /** Names of the sources of the nodes that were heard. */
  readonly #sources = new Map<string, string>()
  #emit: ((tick: Tick) => Promise<void> | void) | undefined
  #isBack: () => void = () => undefined
  /** No quote has come yet, or none for a while. */
  #isAway = true
  #takenMs = Number.NEGATIVE_INFINITY
  #unread = 0
  #isUnreadTold = false
  #otherKind = 0
  /** The nodes that the log has named last; undefined before it was looked at. */
  #told: string | undefined
  #soon: NodeJS.Timeout | undefined
  #every: NodeJS.Timeout | undefined

  constructor(options: QuoteTakerOptions) {
    this.#options = options
    this.#choice = new QuoteChoice(options.limits)
  }

  want(code: string, hint: number): void {
    if (this.#wanted.has(code)) return
    const { exchange, limits } = this.#options
    this.#wanted.set(code, { hint, isNew: true })
    exchange.listen(code)
    this.#soon ??= setTimeout(() => this.#tell(), limits.gatherMs)
  }

  start(emit: (tick: Tick) => Promise<void> | void, isBack = this.#isBack): void {
    if (this.#emit !== undefined) return
    this.#emit = emit
    this.#isBack = isBack
    const { exchange, limits } = this.#options
    exchange.open({
      quote: (code, bytes) => this.#hear(code, bytes),
      opened: () => this.#opened(),
    })
    this.#every = setInterval(() => this.#look(), limits.wantMs)
  }

  async stop(): Promise<void> {
    clearTimeout(this.#soon)
    clearInterval(this.#every)
    this.#emit = undefined
    await this.#options.exchange.close()
  }

  from(): QuotesFrom {
    const { exchange, monotonicMs } = this.#options
    const nodes = [...this.#choice.nodes(monotonicMs())]
    const heard = nodes.reduce((sum, [, codes]) => sum + codes, 0)
    const told = nodes
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([node, codes]) => ({ node, source: this.#sources.get(node) ?? '', codes }))
    const { size: wanted } = this.#wanted
    return { nodes: told, wanted, silent: wanted - heard, isConnected: exchange.isOpen }
  }

  #hear(code: string, bytes: Uint8Array): void {
    const { kind, monotonicMs } = this.#options
    const quote = parseQuote(code, bytes)
    if (quote === undefined) {
      this.#unread += 1
      return
    }
    if (quote.kind !== kind) {
      this.#otherKind += 1
      return
    }
    const wanted = this.#wanted.get(code)
    if (wanted !== undefined) wanted.isNew = false
    const nowMs = monotonicMs()
    const { node, source, tick } = quote
    if (!this.#choice.takes(code, { node, timeMs: tick.time }, nowMs)) return
    this.#sources.set(node, source)
    this.#takenMs = nowMs
    if (this.#isAway) {
      this.#isAway = false
      this.#isBack()
    }
    void this.#emit?.(tick)
  }

  /** Whatever was told meanwhile is lost: everything is asked for. */
  #opened(): void {
    for (const wanted of this.#wanted.values()) wanted.isNew = true
    this.#tell()
  }

  #look(): void {
    const { limits, monotonicMs } = this.#options
    if (monotonicMs() - this.#takenMs > limits.silenceMs) this.#isAway = true
    this.#tell()
    this.#logOrigin()
    this.#logUnread()
  }

  #tell(): void {
    clearTimeout(this.#soon)
    this.#soon = undefined
    const { exchange, node, kind } = this.#options
    if (!exchange.isOpen || this.#wanted.size === 0) return
    const codes = [...this.#wanted].map(([code, { hint, isNew }]) => ({ code, hint, isNew }))
    for (let from = 0; from < codes.length; from += CODES_A_MESSAGE) {
      const part = codes.slice(from, from + CODES_A_MESSAGE)
      exchange.sendWants(encodeWants({ node, kind, codes: part }))
    }
  }

  /** Once for each change of the nodes, not for each of their codes. */
  #logOrigin(): void {
    if (this.#wanted.size === 0) return
    const { log } = this.#options
    const { nodes: from, wanted, silent } = this.from()
    const nodes = from.map(({ node, source }) => `${node} (${source})`).join(', ')
    if (nodes === this.#told) return
    this.#told = nodes
    const fields = { wanted, silent, unread: this.#unread, otherKind: this.#otherKind }
    if (nodes !== '') return log.info(fields, `quotes come from ${nodes}`)
    log.warn(fields, 'no node of the cluster gives quotes of what is wanted here')
  }

  /** Once: a node of another version goes on sending what is not understood here. */
  #logUnread(): void {
    if (this.#unread === 0 || this.#isUnreadTold) return
    this.#isUnreadTold = true
    this.#options.log.warn({ unread: this.#unread }, 'quotes of another node cannot be read here')
  }
}
