import { type Answer, get, type Json, post } from './fixture.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const KEY_LENGTH = 26

/** Numbers from 0 up to 1 that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
}

/** An order as it was asked for, and what the caller knows of its fate. */
export interface Sent {
  readonly key: string
  readonly body: object
  /**
   * `open` no answer, or one that says that nobody knows yet; `taken` with the number that the
   * answer gave; `refused` an answer that says it was not and will not be sent.
   */
  fate: 'open' | 'taken' | 'refused'
  orderId: string
}

export interface Stock {
  readonly accountId: string
  readonly code: string
  /** Yuan, near which it trades. */
  readonly price: number
}

/** A caller that trades one account, each order under a key of its own, and remembers what it was told. */
export class Trader {
  readonly stock: Stock
  readonly sent: Sent[] = []
  readonly #random: () => number
  #letter: string

  constructor(stock: Stock, seed: number) {
    this.stock = stock
    this.#random = seeded(seed)
    this.#letter = ALPHABET[seed % ALPHABET.length] ?? '0'
  }

  /** One order or one cancellation. Rejects when the service is gone. */
  async act(gateway: string): Promise<void> {
    if (this.#random() < 0.2) return this.#cancel(gateway)
    const order: Sent = { key: this.#newKey(), body: this.#order(), fate: 'open', orderId: '' }
    this.sent.push(order)
    await this.send(gateway, order)
  }

  /** Sends it, again if it was sent before: the key makes it one order. */
  async send(gateway: string, order: Sent): Promise<Answer> {
    const path = `${gateway}/api/v1/accounts/${this.stock.accountId}/orders`
    const answer = await post(path, order.body, { 'Idempotency-Key': order.key })
    const { status, body } = answer
    if (status >= 400) order.fate = 'refused'
    else if (status === 201 && String(body['success']) === 'false') order.fate = 'refused'
    else if (status === 201) {
      order.fate = 'taken'
      order.orderId = String(body['data']?.['order_id'])
    } else order.fate = 'open'
    return answer
  }

  async cancel(gateway: string, orderId: string): Promise<void> {
    const path = `${gateway}/api/v1/accounts/${this.stock.accountId}/orders/${orderId}`
    await fetch(path, { method: 'DELETE' }).then((response) => response.arrayBuffer())
  }

  /** The day's orders as the service lists them. */
  async orders(gateway: string): Promise<readonly Json[]> {
    const { body } = await get(`${gateway}/api/v1/accounts/${this.stock.accountId}/orders`)
    return (body['data']?.['orders'] ?? []) as unknown as Json[]
  }

  async #cancel(gateway: string): Promise<void> {
    const taken = this.sent.filter(({ fate }) => fate === 'taken').slice(-10)
    const order = taken[Math.floor(this.#random() * taken.length)]
    if (order !== undefined) await this.cancel(gateway, order.orderId)
  }

  #newKey(): string {
    const count = String(this.sent.length).padStart(KEY_LENGTH - 1, '0')
    return `${this.#letter}${count}`
  }

  /** At the market, across it, near it, or out of its reach. */
  #order(): object {
    const isPurchase = this.#random() < 0.5
    const kind = Math.floor(this.#random() * 4)
    const factor = [0, isPurchase ? 1.05 : 0.95, 1, isPurchase ? 0.93 : 1.07][kind] ?? 0
    return {
      stock_code: this.stock.code,
      order_type: isPurchase ? 23 : 24,
      order_volume: 100 * (1 + Math.floor(this.#random() * 5)),
      price_type: factor === 0 ? 5 : 11,
      price: Math.round(this.stock.price * factor * 100) / 100,
    }
  }
}
