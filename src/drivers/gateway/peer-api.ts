import { remarkTail } from '../../domain/ids.ts'
import { toYuan } from '../../domain/money.ts'
import { type NewOrder, ORDER_TYPE } from '../../domain/order.ts'
import { codeOf, dataOf, isForLater, type Manner } from './answers.ts'
import type { PeerAnswer, PeerClient, PeerStream } from './peer-client.ts'

export interface PeerApiLimits {
  readonly requestTimeoutMs: number
  readonly orderTimeoutMs: number
}

export type ListName = 'asset' | 'positions' | 'orders' | 'trades'

/** A key that nobody has: to learn how a gateway answers about one. */
const NOBODYS_KEY = '00000000000000000000000000'

const NO_SEGMENT = /^\.{0,2}$/
const NO_NUMBER = '对方的委托编号不是编号，未发出 (no number of an order: not sent)'

/** The answer of a route that takes withdrawals to somebody who only reads it. */
const isWithdrawal = (answer: PeerAnswer): boolean =>
  answer.kind === 'answered' &&
  answer.status === 405 &&
  codeOf(answer) === 'METHOD_NOT_ALLOWED' &&
  /\bPOST\b/.test(String(answer.headers['allow']))

/** One account at one gateway: what is asked of it, and where. */
export class PeerApi {
  readonly #client: PeerClient
  readonly #path: string
  readonly #limits: PeerApiLimits

  constructor(client: PeerClient, accountId: string, limits: PeerApiLimits) {
    this.#client = client
    this.#path = `/api/v1/accounts/${accountId}`
    this.#limits = limits
  }

  status(): Promise<PeerAnswer> {
    return this.#get('/status')
  }

  /** 304 for who has it already. */
  list(what: ListName, tag = ''): Promise<PeerAnswer> {
    return this.#get(`/${what}`, tag === '' ? {} : { 'If-None-Match': tag })
  }

  find(key: string): Promise<PeerAnswer> {
    return this.#get(`/orders/${encodeURIComponent(key)}`)
  }

  /** Sent once, whatever becomes of it. */
  place(order: NewOrder): Promise<PeerAnswer> {
    const { clientOrderId, code, side, quantity, priceType, price, strategy } = order
    return this.#client.ask({
      method: 'POST',
      path: `${this.#path}/orders`,
      headers: { 'Idempotency-Key': clientOrderId },
      body: {
        stock_code: code,
        order_type: ORDER_TYPE[side],
        order_volume: quantity,
        price_type: priceType,
        price: toYuan(price),
        strategy_name: strategy,
        order_remark: remarkTail(clientOrderId),
      },
      timeoutMs: this.#limits.orderTimeoutMs,
    })
  }

  withdraw(key: string): Promise<PeerAnswer> {
    return this.#client.ask({
      method: 'POST',
      path: `${this.#path}/orders/${encodeURIComponent(key)}/withdraw`,
      timeoutMs: this.#limits.requestTimeoutMs,
    })
  }

  /** Not asked about a number that no address can hold: it would be another address. */
  async cancel(orderId: string): Promise<PeerAnswer> {
    if (!orderId.isWellFormed() || NO_SEGMENT.test(orderId)) {
      return { kind: 'lost', message: NO_NUMBER, mayHaveArrived: false }
    }
    return this.#client.ask({
      method: 'DELETE',
      path: `${this.#path}/orders/${encodeURIComponent(orderId)}`,
      timeoutMs: this.#limits.orderTimeoutMs,
    })
  }

  /** Errors  rejects when it is not opened. */
  events(signal: AbortSignal): Promise<PeerStream> {
    return this.#client.follow(`${this.#path}/events`, this.#limits.requestTimeoutMs, signal)
  }

  /** How it answers about keys, which nothing but a gateway like this one does; undefined: no answer. */
  async manner(): Promise<Manner | undefined> {
    const route = await this.#get(`/orders/${NOBODYS_KEY}/withdraw`)
    if (await this.#saysNothing(route)) return undefined
    if (isWithdrawal(route)) return 'withdraws'
    const found = await this.find(NOBODYS_KEY)
    if (await this.#saysNothing(found)) return undefined
    return codeOf(found) === 'UNKNOWN_ORDER' ? 'keyed' : 'foreign'
  }

  /**
   * Whether an answer leaves open how keys are taken here. A fault does at a gateway like this one; another one may
   * answer so whenever what it is asked for is no number.
   */
  async #saysNothing(answer: PeerAnswer): Promise<boolean> {
    if (answer.kind === 'lost' || isForLater(answer)) return true
    if (answer.status < 500) return false
    const status = await this.status()
    if (status.kind === 'lost' || status.status !== 200) return true
    return typeof dataOf(status)['ready'] === 'boolean'
  }

  #get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<PeerAnswer> {
    const { requestTimeoutMs: timeoutMs } = this.#limits
    return this.#client.ask({ method: 'GET', path: this.#path + path, headers, timeoutMs })
  }
}
