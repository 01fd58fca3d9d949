import type { Socket } from 'node:net'
import type { QuoteParts } from '../fixtures/paper.ts'
import { type Fields, tickFields } from './terminal-rows.ts'

/**
 * How ticks tell their time: as epoch milliseconds, or only as text of the exchange's wall clock; by the hour alone, or not at
 * all, they cannot be dated.
 */
export type TickTime = 'time' | 'timetag' | 'timetag.fff' | 'hour' | 'none'

const EXCHANGE_AHEAD_MS = 8 * 3_600_000

/** Of a stock, with the names and the odd values of the original. */
export const instrumentFields: Fields = {
  ExchangeID: 'SH',
  InstrumentID: '600036',
  InstrumentName: '招商银行',
  PreClose: 36,
  SettlementPrice: 1.7976931348623157e308,
  UpStopPrice: 39.6,
  DownStopPrice: 32.4,
  PriceTick: 0.01,
  VolumeMultiple: 1,
  MinLimitOrderVolume: 100,
  MaxLimitOrderVolume: 1_000_000,
  InstrumentStatus: 0,
  IsTrading: true,
}

/** `20231026 09:30:00`, with `.950` on demand, or only `09:30:00`. */
function timetag(epochMs: number, spelling: TickTime): string {
  const text = new Date(epochMs + EXCHANGE_AHEAD_MS).toISOString()
  if (spelling === 'hour') return text.slice(11, 19)
  const whole = `${text.slice(0, 10).replaceAll('-', '')} ${text.slice(11, 19)}`
  return spelling === 'timetag' ? whole : `${whole}.${text.slice(20, 23)}`
}

/**
 * The market half of the terminal. A subscription belongs to its connection and bears a number of the
 * terminal's own counting, which starts anew with the terminal.
 */
export class QuoteFloor {
  /** Some terminals only answer; some stop pushing when they change their quote server. */
  isPushing = true
  /** Some terminals answer only for what is subscribed on the connection that asks. */
  answersOnlySubscribed = false
  tickTime: TickTime = 'time'
  /** Calls of this life and the ones before. */
  readonly subscriptions: { readonly number: number; readonly codes: readonly string[] }[] = []
  readonly unsubscribed: number[] = []
  /** What is known of a code; null as for one that nobody knows. */
  instrument: (code: string) => Fields | null = () => instrumentFields
  /** Codes by sector. */
  sectors: Readonly<Record<string, readonly string[]>> = {}
  /** Called with every subscription. */
  onSubscribe: (codes: readonly string[]) => void = () => undefined
  readonly #quotes = new Map<string, QuoteParts>()
  readonly #watched = new Map<Socket, Map<number, ReadonlySet<string>>>()
  #lastNumber = 0

  /** Its own connections, whoever watches something. */
  get watching(): Iterable<Socket> {
    return this.#watched.keys()
  }
  /** Subscriptions that stand now. */
  get standing(): number {
    return [...this.#watched.values()].reduce((sum, { size }) => sum + size, 0)
  }
  quote(code: string): QuoteParts | undefined {
    return this.#quotes.get(code)
  }

  tick(code: string, parts: QuoteParts, tell: (socket: Socket, fields: Fields) => void): void {
    this.#quotes.set(code, parts)
    if (!this.isPushing) return
    for (const [socket, watched] of this.#watched) {
      for (const [seq, codes] of watched) {
        if (codes.has(code)) tell(socket, { seq, ticks: { [code]: this.#fields(parts) } })
      }
    }
  }

  subscribe(socket: Socket, codes: readonly string[]): number {
    this.#lastNumber += 1
    const watched = this.#watched.get(socket) ?? new Map<number, ReadonlySet<string>>()
    this.#watched.set(socket, watched)
    watched.set(this.#lastNumber, new Set(codes))
    this.subscriptions.push({ number: this.#lastNumber, codes })
    this.onSubscribe(codes)
    return this.#lastNumber
  }
  unsubscribe(socket: Socket, number: number): number {
    this.unsubscribed.push(number)
    return this.#watched.get(socket)?.delete(number) === true ? 0 : -1
  }

  fullTick(socket: Socket, codes: readonly string[]): Fields {
    const watched = [...(this.#watched.get(socket)?.values() ?? [])]
    const isAnswered = (code: string) =>
      !this.answersOnlySubscribed || watched.some((codes) => codes.has(code))
    return Object.fromEntries(
      codes.flatMap((code) => {
        const parts = this.#quotes.get(code)
        return parts === undefined || !isAnswered(code) ? [] : [[code, this.#fields(parts)]]
      }),
    )
  }

  /** The terminal changes its quote server: no subscription that stands is pushed to any more, and nobody is told. */
  switchServer(): void {
    for (const watched of this.#watched.values()) {
      for (const number of watched.keys()) watched.set(number, new Set())
    }
  }

  leave(socket: Socket): void {
    this.#watched.delete(socket)
  }
  /** The terminal has ended; prices are those of the exchange and go on. */
  forget(): void {
    this.#watched.clear()
    this.#lastNumber = 0
  }

  #fields(parts: QuoteParts): Fields {
    const { time, ...fields } = tickFields(parts)
    if (this.tickTime === 'time') return { time, ...fields }
    if (this.tickTime === 'none') return fields
    return { timetag: timetag(Number(time), this.tickTime), ...fields }
  }
}
