import { setTimeout as sleep } from 'node:timers/promises'
import type { Instrument, MarketSource } from '../../ports/market-source.port.ts'
import type { Tick } from '../../protocol/market.ts'
import { instrumentsOf, listedOf } from './instruments.ts'
import type { SidecarLog } from './launched.ts'
import type { SidecarClient } from './sidecar-client.ts'
import type { SidecarHost } from './sidecar-host.ts'

type Answer = Awaited<ReturnType<SidecarClient['call']>>

const LEVELS = 5
/** Of one code: what is written in place of a time may be another text with each tick. */
const REASONS_TOLD_MAX = 4
const BYTES_PER_DOUBLE = 8
/** Doubles of one tick in the order of the sidecar's `TICK`. */
const AT = {
  time: 0,
  lastPrice: 1,
  open: 2,
  high: 3,
  low: 4,
  lastClose: 5,
  volume: 6,
  amount: 7,
  bidPrice: 8,
  askPrice: 13,
  bidVol: 18,
  askVol: 23,
  end: 28,
} as const

export interface TerminalQuotesLimits {
  /** Between two looks at everything that is wanted. */
  readonly pollMs: number
  /** For one of them to be answered; as any call when left out. */
  readonly pollTimeoutMs?: number
  /** In which wanted codes are gathered into one subscription. */
  readonly wantDelayMs: number
  readonly callTimeoutMs: number
  readonly relaunchMsMin: number
  readonly relaunchMsMax: number
}

export interface TerminalQuotesOptions {
  readonly host: SidecarHost
  readonly limits: TerminalQuotesLimits
  readonly log: SidecarLog
}

/**
 * Quotes of the real market, through a sidecar of their own. It subscribes what is wanted and nothing
 * else. While the sidecar is away there are no ticks, and those who trade see that by their age.
 */
export class TerminalQuotes implements MarketSource {
  readonly #options: TerminalQuotesOptions
  readonly #wanted = new Set<string>()
  /** Why ticks of a code were refused, as far as that was said. */
  readonly #refused = new Map<string, Set<string>>()
  /** Of the last look; empty when it succeeded. */
  #failure = ''
  /** Of the last subscription; empty when it succeeded. */
  #unsubscribed = ''
  readonly #stopping = new AbortController()
  #emit: ((tick: Tick) => Promise<void> | void) | undefined
  #isBack: () => void = () => undefined
  /** The terminal has given no quote yet, or has failed since it last did. */
  #isAway = true
  /** How often the sidecar has subscribed anew, because the terminal had forgotten. */
  #renewals = 0
  #client: SidecarClient | undefined
  #gathered: string[] = []
  #gathering: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #lost = Promise.withResolvers<void>()

  constructor(options: TerminalQuotesOptions) {
    this.#options = options
  }

  want(code: string): void {
    if (this.#wanted.has(code)) return
    this.#wanted.add(code)
    this.#gathered.push(code)
    this.#gathering ??= setTimeout(() => this.#subscribe(), this.#options.limits.wantDelayMs)
  }

  start(emit: (tick: Tick) => Promise<void> | void, isBack = this.#isBack): void {
    if (this.#emit !== undefined) return
    this.#emit = emit
    this.#isBack = isBack
    this.#running = this.#run()
  }

  async instruments(codes: readonly string[]): Promise<readonly Instrument[]> {
    const client = this.#client
    if (client === undefined) throw new Error('行情未连接 (not connected to the market data)')
    const answer = await client.call('instruments', { codes }, this.#options.limits.callTimeoutMs)
    if (!answer.ok) throw new Error(answer.error.message)
    return instrumentsOf(answer.value['instruments'])
  }

  async listed(): Promise<readonly string[]> {
    const client = this.#client
    if (client === undefined) throw new Error('行情未连接 (not connected to the market data)')
    const answer = await client.call('listed', {}, this.#options.limits.callTimeoutMs)
    if (!answer.ok) throw new Error(answer.error.message)
    return listedOf(answer.value['codes'])
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#lost.resolve()
    clearTimeout(this.#gathering)
    this.#options.host.close()
    await this.#running
  }

  /** Keeps a sidecar connected, with longer and longer waits between failures. */
  async #run(): Promise<void> {
    const { limits, log } = this.#options
    let waitMs = limits.relaunchMsMin
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#connect()
        waitMs = limits.relaunchMsMin
        await this.#watch()
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        this.#isAway = true
        const reason = error instanceof Error ? error.message : String(error)
        log.warn({ reason, waitMs }, 'no quotes: the market data sidecar is away')
        await this.#pause(waitMs)
        waitMs = Math.min(waitMs * 2, limits.relaunchMsMax)
      }
    }
  }

  async #connect(): Promise<void> {
    const { host, limits } = this.#options
    this.#lost = Promise.withResolvers<void>()
    const { resolve } = this.#lost
    host.listen({
      ticks: (codes, doubles) => this.#ticks(codes, doubles),
      closed: () => resolve(),
    })
    const client = await host.open(0)
    const answer = await client.call('connect', {}, limits.callTimeoutMs)
    if (!answer.ok) throw new Error(answer.error.message)
    this.#client = client
    this.#gathered = [...this.#wanted]
    this.#subscribe()
  }

  /** Until the sidecar is lost. A look that fails is its own affair: it makes a new connection. */
  async #watch(): Promise<void> {
    const { pollMs, callTimeoutMs, pollTimeoutMs = callTimeoutMs } = this.#options.limits
    // Listened to once: what each look of months would leave at a promise stays until that is settled.
    const lost = new AbortController()
    void this.#lost.promise.then(() => {
      this.#client = undefined
      lost.abort()
    })
    while (!lost.signal.aborted) {
      await this.#pause(pollMs, lost.signal)
      if (this.#stopping.signal.aborted) return
      const answer = await this.#client?.call('poll', {}, pollTimeoutMs)
      if (answer !== undefined) this.#looked(answer)
    }
    throw new Error('the connection ended')
  }

  #looked(answer: Answer): void {
    if (!answer.ok) {
      this.#isAway = true
      return this.#tellFailure(answer.error.message)
    }
    const { ticks, renewals = 0 } = answer.value
    // It may have gone and come back between two looks.
    if (Number(renewals) > this.#renewals) this.#isAway = true
    this.#renewals = Number(renewals)
    if (Number(ticks) > 0) this.#isThere()
    this.#tellLook(answer.value)
  }

  /** It has given a quote: that it lets us in proves nothing. */
  #isThere(): void {
    if (!this.#isAway) return
    this.#isAway = false
    this.#isBack()
  }

  #subscribe(): void {
    this.#gathering = undefined
    const codes = this.#gathered.splice(0)
    const client = this.#client
    if (client === undefined || codes.length === 0) return // asked for at the next connection
    void client.call('want', { codes }, this.#options.limits.callTimeoutMs).then((answer) => {
      if (answer.ok) return this.#tellSubscribed()
      if (answer.error.code === 'GONE') return
      this.#tellUnsubscribed(codes, answer.error.message)
      this.#gathered.push(...codes)
      this.#gathering ??= setTimeout(() => this.#subscribe(), this.#options.limits.pollMs)
    })
  }

  /** Once, until a look succeeds or fails for another reason: a terminal may be away for a night. */
  #tellFailure(reason: string): void {
    if (this.#failure === reason) return
    this.#failure = reason
    this.#options.log.warn({}, `quotes: ${reason}`)
  }

  /** It is tried with every look, and told as a look that fails. */
  #tellUnsubscribed(codes: readonly string[], reason: string): void {
    if (this.#unsubscribed === reason) return
    this.#unsubscribed = reason
    this.#options.log.warn({ codes: codes.length }, `not subscribed: ${reason}`)
  }

  #tellSubscribed(): void {
    if (this.#unsubscribed !== '') this.#options.log.info({}, 'subscribed again')
    this.#unsubscribed = ''
  }

  #tellLook(looked: Readonly<Record<string, unknown>>): void {
    if (this.#failure !== '') this.#options.log.info({}, 'quotes: the terminal answers again')
    this.#failure = ''
    this.#tellRefused(looked['refused'])
  }

  /** Of codes whose newest tick was refused: why. Said once, not with every look; reasons differ by the times in them. */
  #tellRefused(refused: unknown): void {
    if (typeof refused !== 'object' || refused === null) return
    for (const [code, why] of Object.entries(refused)) {
      const said = this.#refused.get(code) ?? new Set()
      const kind = String(why).replaceAll(/\d+/g, '0')
      if (said.has(kind) || said.size >= REASONS_TOLD_MAX || !this.#wanted.has(code)) continue
      this.#refused.set(code, said.add(kind))
      const text =
        '行情时间无法识别，该代码的报价未被采用 (its ticks are refused, so it has no quotes)'
      this.#options.log.warn({ code, why }, text)
    }
  }

  /** Decoded once, here; the board keeps the numbers. What time may be right is for the market clock to say. */
  #ticks(codes: readonly string[], doubles: Uint8Array): void {
    this.#isThere()
    const view = new DataView(doubles.buffer, doubles.byteOffset, doubles.byteLength)
    codes.forEach((code, index) => {
      void this.#emit?.(tickAt(view, index, code))
    })
  }

  #pause(delayMs: number, signal = this.#stopping.signal): Promise<void> {
    return sleep(delayMs, undefined, { signal }).catch(() => undefined)
  }
}

/** The tick that stands at this place among those of a frame. */
export function tickAt(view: DataView, index: number, code: string): Tick {
  const start = index * AT.end * BYTES_PER_DOUBLE
  const at = (field: number) => view.getFloat64(start + field * BYTES_PER_DOUBLE, true)
  const levels = (field: number) => Array.from({ length: LEVELS }, (_, level) => at(field + level))
  return {
    time: at(AT.time),
    stock_code: code,
    lastPrice: at(AT.lastPrice),
    open: at(AT.open),
    high: at(AT.high),
    low: at(AT.low),
    lastClose: at(AT.lastClose),
    volume: at(AT.volume),
    amount: at(AT.amount),
    bidPrice: levels(AT.bidPrice),
    askPrice: levels(AT.askPrice),
    bidVol: levels(AT.bidVol),
    askVol: levels(AT.askVol),
  }
}
