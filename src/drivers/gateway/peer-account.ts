import { setTimeout as sleep } from 'node:timers/promises'
import type { BrokerDeal, BrokerOrder, BrokerPosition } from '../../domain/order.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { DriverEvent, DriverFault, QueryKind, QueryRows } from '../../protocol/driver.ts'
import { dataOf, wordsOf } from './answers.ts'
import { Follower, type FollowerLimits, rowsOf } from './follower.ts'
import { leftOutOf, numbersBeside } from './left-out.ts'
import { OpenOrders, type Peer } from './open-orders.ts'
import { PeerApi, type PeerApiLimits } from './peer-api.ts'
import {
  type PeerAddress,
  type PeerAnswer,
  PeerClient,
  type PeerClientLimits,
} from './peer-client.ts'
import { assetOf, dealOf, orderOf, positionOf, type Row, shareOut, withAmounts } from './rows.ts'
import { SentKeys, type SentKeysOptions } from './sent-keys.ts'

/** Where words about a connection go. */
export interface GatewayLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface PeerAccountLimits extends PeerApiLimits {
  readonly client: PeerClientLimits
  readonly follower: FollowerLimits
  readonly askAgainMs: number
  /** For the account there to become usable, within one attempt to connect. */
  readonly connectTimeoutMs: number
}

export interface PeerAccountOptions {
  /** Of the account there. */
  readonly accountId: string
  readonly isSimulationAllowed: boolean
  /** Read at each connection. Errors  throws one line. */
  readonly address: () => PeerAddress
  readonly sent: SentKeysOptions
  readonly limits: PeerAccountLimits
  readonly log: GatewayLog
  /** Epoch milliseconds. */
  readonly nowMs: () => number
}

/** What a life of the account hears. */
export interface Listener {
  readonly event: (event: DriverEvent) => void
  readonly lost: (reason: string) => void
}

/** An attempt to connect that failed. `clientEpoch`: a later owner has been here. */
export type Connected = Result<null, DriverFault>

const failed = (message: string) => err({ code: 'FAILED', message } as const)
const REFUSED: ReadonlySet<number> = new Set([401, 403, 404])

/**
 * The account at the other gateway, through all lives of the account's thread here: its connection, and the
 * orders that were sent to it and whose fate is not known.
 */
export class PeerAccount {
  readonly #options: PeerAccountOptions
  #sent: SentKeys | undefined
  #open: OpenOrders | undefined
  #client: PeerClient | undefined
  #addressText = ''
  #peer: Peer | undefined
  #follower: Follower | undefined
  #listener: Listener | undefined
  /** What was learned of orders while nobody was there to hear it, by key. */
  readonly #held = new Map<string, DriverEvent>()
  #attempt = 0
  #isInSimulation = false

  constructor(options: PeerAccountOptions) {
    this.#options = options
  }

  /** For one life: what is told from now on is told to it. */
  listen(listener: Listener): void {
    this.disconnect()
    this.#listener = listener
  }

  /** The account does not come back. */
  close(): void {
    this.disconnect()
    this.#attempt += 1
    this.#open?.close()
    this.#client?.close()
    this.#sent?.close()
  }

  /** The same gateway may be connected to again; orders under way stay under way. */
  disconnect(): void {
    this.#follower?.stop()
    this.#follower = undefined
    this.#open?.forgetCalls()
  }

  get peer(): Peer | undefined {
    return this.#follower === undefined ? undefined : this.#peer
  }

  async connect(epoch: number): Promise<Connected> {
    this.disconnect()
    this.#attempt += 1
    const attempt = this.#attempt
    let api: PeerApi
    try {
      const ahead = this.#openKeys(epoch)
      if (ahead !== undefined) return ahead
      api = this.#openApi()
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error))
    }
    const unusable = await this.#untilUsable(api, attempt)
    if (unusable !== '') return failed(unusable)
    const manner = await api.manner()
    if (manner === undefined) return failed('对方网关无应答 (no answer)')
    if (attempt !== this.#attempt) return failed('another attempt has begun')
    this.#options.log.info({ manner }, 'connected to the other gateway')
    this.#peer = { api, manner }
    return ok(null)
  }

  /** After the answer to {@link connect}: tells what nobody has heard, and what happens from now on. */
  begin(): void {
    const peer = this.#peer
    if (peer === undefined) return
    for (const event of this.#held.values()) this.#listener?.event(event)
    this.#held.clear()
    const { api, manner } = peer
    let orders: readonly BrokerOrder[] = []
    const tell = (event: DriverEvent) => this.#listener?.event(event)
    const follower = new Follower({
      api,
      hasStream: manner !== 'foreign',
      limits: this.#options.limits.follower,
      read: {
        orders: (rows, trades) => {
          orders = this.#orders(rows)
          const whole =
            manner === 'foreign' ? withAmounts(orders, this.#deals(trades, orders)) : orders
          return whole.filter((row) => this.#isKnown(row, peer))
        },
        deals: (rows) => this.#deals(rows, orders).filter((row) => this.#isKnown(row, peer)),
        positions: (rows) => this.#positions(rows),
      },
      order: (order) => tell({ kind: 'orderPushed', order }),
      deal: (deal) => tell({ kind: 'dealPushed', deal }),
      position: (position) => tell({ kind: 'positionPushed', position }),
      unusable: (status) => this.#unusable(status),
      lost: (reason) => {
        if (this.#follower === follower) this.#lost(reason)
      },
    })
    this.#follower = follower
    follower.start()
    void this.#open?.settle()
  }

  /** What was just done is looked for at once. */
  nudge(): void {
    this.#follower?.nudge()
  }

  get open(): OpenOrders {
    if (this.#open === undefined) throw new Error('before the first connection')
    return this.#open
  }

  /** Orders would reach no broker there. */
  get isInSimulation(): boolean {
    return this.#isInSimulation
  }

  /** One report, and that the account there could make it: what it shows without its broker is of earlier. */
  async query(what: QueryKind, { api, manner }: Peer): Promise<Result<QueryRows, DriverFault>> {
    if (what === 'asset') return this.#queryAsset(api)
    const list = what === 'deals' ? 'trades' : what
    const [answer, status] = await Promise.all([api.list(list), api.status()])
    const unusable = this.#unusable(status)
    if (unusable !== '') return failed(unusable)
    const rows = rowsOf(answer, list)
    if (rows === undefined) return failed(wordsOf(answer))
    const unread = leftOutOf(what, rows)
    const leftOut = unread.length === 0 ? {} : { leftOut: unread }
    if (what === 'orders') {
      const orders = this.#orders(rows)
      const trades = manner === 'foreign' ? rowsOf(await api.list('trades'), 'trades') : undefined
      const whole = trades ? withAmounts(orders, this.#deals(trades, orders)) : orders
      const otherNumbers = numbersBeside(whole, rows)
      return ok({ what, rows: [...whole].sort(byTime), otherNumbers, ...leftOut })
    }
    if (what === 'positions') return ok({ what, rows: this.#positions(rows), ...leftOut })
    const orders = await api.list('orders') // after the deals: it has the orders of all of them
    const of = rowsOf(orders, 'orders')
    if (of === undefined) return failed(wordsOf(orders))
    return ok({ what, rows: this.#deals(rows, this.#orders(of)), ...leftOut })
  }

  async #queryAsset(api: PeerApi): Promise<Result<QueryRows, DriverFault>> {
    const [answer, status] = await Promise.all([api.list('asset'), api.status()])
    const unusable = this.#unusable(status)
    if (unusable !== '') return failed(unusable)
    const asset = assetOf(dataOf(answer))
    if (asset !== undefined) return ok({ what: 'asset', rows: [asset] })
    return failed(`对方网关尚无资金 (no report of the cash yet): ${wordsOf(answer)}`)
  }

  #orders(rows: readonly Row[]): readonly BrokerOrder[] {
    const { nowMs } = this.#options
    const sent = this.#sent
    const orders = rows.flatMap((row) => {
      const order = orderOf(row, nowMs(), ({ clientOrderId, orderId, timeMs }) => {
        return sent?.shownAs(clientOrderId) ?? sent?.numbered(orderId, timeMs)
      })
      return order === undefined ? [] : [order]
    })
    this.#open?.seen(orders)
    return orders
  }

  /** Without keys a row may be the order that is on its way just now, until its answer tells the number. */
  #isKnown({ clientOrderId }: Pick<BrokerOrder, 'clientOrderId'>, { manner }: Peer): boolean {
    return clientOrderId !== '' || manner !== 'foreign' || this.#open?.isPosting !== true
  }

  #deals(rows: readonly Row[], orders: readonly BrokerOrder[]): readonly BrokerDeal[] {
    const byNumber = new Map(orders.map((order) => [order.orderId, order]))
    const deals = rows.flatMap((row) => {
      const deal = dealOf(row, this.#options.nowMs(), (orderId) => byNumber.get(orderId))
      if (deal !== undefined) return [deal]
      this.#options.log.warn({}, 'a deal of the other gateway cannot be read: left out')
      return []
    })
    return [...shareOut(deals, orders)].sort(byTime)
  }

  #positions(rows: readonly Row[]): readonly BrokerPosition[] {
    return rows.flatMap((row) => {
      const position = positionOf(row)
      if (position !== undefined) return [position]
      this.#options.log.warn({}, 'a position of the other gateway cannot be read: left out')
      return []
    })
  }

  /** A fault when a later owner has been here. Errors  throws when the file cannot be written. */
  #openKeys(epoch: number): Connected | undefined {
    this.#sent ??= new SentKeys(this.#options.sent)
    const sent = this.#sent
    this.#open ??= new OpenOrders({
      sent,
      askAgainMs: this.#options.limits.askAgainMs,
      peer: () => this.peer,
      tell: (callId, clientOrderId, outcome) => {
        const event = { kind: 'submitAnswered', callId, clientOrderId, outcome } as const
        if (this.#follower === undefined) this.#held.set(clientOrderId, { ...event, callId: 0 })
        else this.#listener?.event(event)
      },
    })
    if (sent.epoch > epoch) {
      const message = `a later owner has been here (epoch ${sent.epoch})`
      return err({ code: 'FAILED', message, clientEpoch: sent.epoch })
    }
    sent.noteEpoch(epoch)
    return undefined
  }

  /** The connections are kept as long as the gateway and the token stay the same. */
  #openApi(): PeerApi {
    const { address, accountId, limits } = this.#options
    const found = address()
    const text = `${found.url}\n${found.token}\n${found.ca}`
    if (this.#client === undefined || text !== this.#addressText) {
      this.#client?.close()
      this.#client = new PeerClient(found, limits.client)
      this.#addressText = text
    }
    return new PeerApi(this.#client, accountId, limits)
  }

  /** Waits for an account there that starts, or whose gateway does; why it is not usable in the end. */
  async #untilUsable(api: PeerApi, attempt: number): Promise<string> {
    const { connectTimeoutMs, follower } = this.#options.limits
    const endMs = performance.now() + connectTimeoutMs
    for (;;) {
      const status = await api.status()
      const reason = this.#unusable(status)
      const isFinal = status.kind === 'answered' && REFUSED.has(status.status)
      const isOver = isFinal || this.#isRefusedSimulation || attempt !== this.#attempt
      if (reason === '' || isOver || performance.now() + follower.pollMs >= endMs) return reason
      await sleep(follower.pollMs)
    }
  }

  get #isRefusedSimulation(): boolean {
    return this.#isInSimulation && !this.#options.isSimulationAllowed
  }

  /** Why nothing that the account there shows counts now; empty when it does. */
  #unusable(status: PeerAnswer): string {
    if (status.kind === 'lost') return `对方网关无应答 (no answer): ${status.message}`
    const { connected, ready, simulation_mode: simulation, problem } = dataOf(status)
    if (status.status !== 200 || typeof connected !== 'boolean') {
      return `对方网关拒绝 (refused): ${wordsOf(status)}`
    }
    this.#isInSimulation = simulation === true
    if (this.#isRefusedSimulation) return SIMULATION
    if (simulation === true) return ''
    if (!connected) return `${NOT_CONNECTED}${typeof problem === 'string' ? `: ${problem}` : ''}`
    return ready === false ? NOT_READY : ''
  }

  #lost(reason: string): void {
    this.disconnect()
    this.#listener?.lost(reason)
  }
}

const SIMULATION =
  '对方账户处于模拟模式，委托不会到达券商；请在对方切换为实盘，或设置 allow_simulation 仅观察 (the account there is in simulation mode: switch it off there, or set gateway.allow_simulation to watch only)'
const NOT_CONNECTED =
  '对方账户未连接交易客户端 (the account there is not connected to its trading client)'
const NOT_READY =
  '对方账户尚未核对完毕 (the account there has not been compared with its trading client yet)'

/** Another gateway lists the newest of the day first. */
const byTime = (a: Timed, b: Timed): number => a.timeMs - b.timeMs
type Timed = Pick<BrokerOrder, 'timeMs'>
