import type { StockCode } from '../../domain/instrument.ts'
import {
  type BrokerOrder,
  type BrokerPosition,
  movesShares,
  type NewOrder,
} from '../../domain/order.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { Driver } from '../../ports/driver.port.ts'
import type {
  DriverCommand,
  DriverEvent,
  DriverFault,
  QueryKind,
  QueryRows,
  SubmitOutcome,
} from '../../protocol/driver.ts'
import { refusal } from '../refusal.ts'
import type {
  AssetRow,
  DealRow,
  OrderRow,
  PositionRow,
  SidecarEvent,
  WireReport,
} from './frames.ts'
import { holdersOf, holdingsOf } from './holdings.ts'
import type { SidecarLog } from './launched.ts'
import {
  assetOf,
  dealOf,
  isMissed,
  leftOutOf,
  nameOf,
  numbersBeside,
  orderOf,
  positionOf,
  wireOrderType,
} from './rows.ts'
import { SidecarAhead, type SidecarClient, type SidecarFault } from './sidecar-client.ts'
import type { SidecarHost } from './sidecar-host.ts'

export interface TerminalDriverLimits {
  /** Within which the sidecar answers a call, if only that it did not come back. */
  readonly callTimeoutMs: number
  readonly connectTimeoutMs: number
  /** Orders and deals told again before the connection stands; older ones are in the reports. */
  readonly heldEventsMax: number
}

export interface TerminalDriverOptions {
  readonly accountId: string
  readonly accountType: string
  /** Data folder of the terminal, `…\userdata_mini`. */
  readonly clientPath: string
  readonly host: SidecarHost
  /** Of the owner of the account. */
  readonly epoch: number
  readonly limits: TerminalDriverLimits
  readonly log: SidecarLog
  /** Epoch milliseconds, for rows without a time. */
  readonly nowMs: () => number
}

type Command<K extends DriverCommand['kind']> = Extract<DriverCommand, { kind: K }>
type Answer = Result<Readonly<Record<string, unknown>>, SidecarFault>

/** Before the order left: it is definitely not at the broker. */
const NOT_TAKEN: ReadonlySet<string> = new Set([
  'NOT_CONNECTED',
  'NOT_STARTED',
  'OVERLOADED',
  'BAD_REQUEST',
  'FENCED',
])
const UNREADABLE = '应答无法读懂 (an answer that nobody can read)'
/** One that was started by hand, from the files of an earlier version. */
const OLD_SIDECAR =
  '通信进程的版本过旧，请用本版本的 bridge.py 重新启动 (the sidecar is too old: restart it from the files of this version)'
/** Account states in which nothing works: invalid, waiting for login, failed, disabled (docs/domain.md 8.2). */
const UNUSABLE: ReadonlySet<number> = new Set([-1, 1, 3, 8, 9])

/**
 * The driver of an account at the real broker, through its sidecar.
 *
 * While it is not connected nothing but the answer to `connect` comes through. Orders and deals that
 * the sidecar tells again, because nobody heard them, follow that answer; every other push counts
 * only for the connection on which it comes.
 */
export class TerminalDriver implements Driver {
  readonly #options: TerminalDriverOptions
  #sink: (event: DriverEvent) => void = () => undefined
  #client: SidecarClient | undefined
  #isConnected = false
  #isClosed = false
  /** Of the account, as it was told since the last attempt to connect began. */
  #accountState: number | undefined
  #held: DriverEvent[] = []
  /** Submits whose number is not known yet, by client order id. */
  readonly #unnumbered = new Map<string, number>()
  /** Stocks of which the last list had more than one row. */
  #split: ReadonlySet<StockCode> = new Set()
  /** By which shareholder's number a stock is held, as the last list or a later push has told first. */
  #holders = new Map<StockCode, string>()

  constructor(options: TerminalDriverOptions) {
    this.#options = options
  }

  open(sink: (event: DriverEvent) => void): void {
    this.#sink = sink
    this.#options.host.listen({
      event: (event) => this.#heard(event),
      closed: (reason) => this.#lost(reason),
    })
  }

  send(command: DriverCommand, untilMs?: number): void {
    if (this.#isClosed) return
    if (command.kind === 'connect') return void this.#connect(command)
    const client = this.#client
    if (!this.#isConnected || client === undefined) {
      const message = 'not connected to the trading client'
      return this.#deliver(refusal(command, { code: 'NOT_CONNECTED', message }))
    }
    if (command.kind === 'submit') return void this.#submit(command, client, untilMs)
    if (command.kind === 'cancel') return void this.#cancel(command, client)
    if (command.kind === 'barrier') return void this.#barrier(command, client)
    void this.#query(command, client)
  }

  /** The sidecar stays; whoever has it decides about that. */
  close(): void {
    this.#isClosed = true
  }

  async #connect(command: Command<'connect'>): Promise<void> {
    const { host, epoch, accountId, accountType, clientPath, limits, log } = this.#options
    this.#accountState = undefined
    try {
      const client = await host.open(epoch)
      const wanted = { account_id: accountId, account_type: accountType, path: clientPath }
      const answer = await client.call('connect', wanted, limits.connectTimeoutMs)
      if (!answer.ok) return this.#connectFailed(command, answer.error.message)
      // Its last word may have come in one piece with this answer, when nobody was connected to hear of it.
      if (client.ended !== undefined) throw client.ended
      const state = this.#accountState
      if (isUnusable(state)) return this.#connectFailed(command, shutOut(state))
      log.info({ ...answer.value }, 'connected to the trading client')
      this.#client = client
      this.#isConnected = true
      this.#deliver({ kind: 'connectAnswered', callId: command.callId, result: ok(null) })
      for (const event of this.#held.splice(0)) this.#deliver(event)
    } catch (error) {
      const clientEpoch = error instanceof SidecarAhead ? error.epoch : undefined
      const message = error instanceof Error ? error.message : String(error)
      this.#connectFailed(command, message, clientEpoch)
    }
  }

  #connectFailed(command: Command<'connect'>, message: string, clientEpoch?: number): void {
    const fault = { code: 'FAILED', message } as const
    this.#deliver(refusal(command, clientEpoch === undefined ? fault : { ...fault, clientEpoch }))
  }

  async #submit(
    { callId, order }: Command<'submit'>,
    client: SidecarClient,
    untilMs: number | undefined,
  ): Promise<void> {
    const { clientOrderId } = order
    const { callTimeoutMs } = this.#options.limits
    this.#unnumbered.set(clientOrderId, callId)
    const answer = await client.call('submit', wireOrder(order), callTimeoutMs, untilMs)
    const outcome = outcomeOf(answer)
    const isOpen = this.#unnumbered.get(clientOrderId) === callId
    if (outcome !== undefined && isOpen) this.#submitted(clientOrderId, outcome)
  }

  /** Once for each submit. What is told after its answer still counts, under no call. */
  #submitted(clientOrderId: string, outcome: SubmitOutcome): void {
    const callId = this.#unnumbered.get(clientOrderId) ?? 0
    this.#unnumbered.delete(clientOrderId)
    this.#pushed({ kind: 'submitAnswered', callId, clientOrderId, outcome })
  }

  async #cancel(command: Command<'cancel'>, client: SidecarClient): Promise<void> {
    const { callId, orderId } = command
    const wanted = { order_id: orderId }
    const answer = await client.call('cancel', wanted, this.#options.limits.callTimeoutMs)
    if (isGone(answer)) return
    const result = answer.ok ? ok(null) : err(faultOf(answer.error))
    this.#deliver({ kind: 'cancelAnswered', callId, orderId, result })
  }

  async #barrier(command: Command<'barrier'>, client: SidecarClient): Promise<void> {
    const { callId } = command
    if (!client.welcome.capabilities.includes('barrier')) {
      return this.#deliver(refusal(command, { code: 'FAILED', message: OLD_SIDECAR }))
    }
    const answer = await client.call('barrier', {}, this.#options.limits.callTimeoutMs)
    if (isGone(answer)) return
    const result = answer.ok ? ok(null) : err(faultOf(answer.error))
    this.#deliver({ kind: 'barrierAnswered', callId, result })
  }

  async #query({ callId, what }: Command<'query'>, client: SidecarClient): Promise<void> {
    const answer = await client.call('query', { what }, this.#options.limits.callTimeoutMs)
    if (isGone(answer)) return
    const result = answer.ok ? this.#read(what, answer.value) : err(faultOf(answer.error))
    this.#deliver({ kind: 'queryAnswered', callId, what, result })
  }

  /** What another program has written must not end all accounts at terminals. */
  #read(what: QueryKind, answered: object): Result<QueryRows, DriverFault> {
    try {
      return ok(this.#report(what, answered as WireReport))
    } catch (error) {
      return err({ code: 'FAILED', message: `${UNREADABLE}: ${error}` })
    }
  }

  #report(what: QueryKind, wire: WireReport): QueryRows {
    const leftOut = [...leftOutOf(wire)]
    const report = this.#rows(what, wire.rows, leftOut)
    return leftOut.length === 0 ? report : { ...report, leftOut }
  }

  #rows(what: QueryKind, rows: readonly unknown[], leftOut: string[]): QueryRows {
    const nowMs = this.#options.nowMs()
    switch (what) {
      case 'asset':
        return { what, rows: [assetOf((rows as readonly [AssetRow])[0])] }
      case 'positions':
        return { what, rows: this.#holdings(rows as readonly PositionRow[], leftOut) }
      case 'orders': {
        const all = rows as readonly OrderRow[]
        const found = this.#sound(all.filter(movesShares), (row) => orderOf(row, nowMs), leftOut)
        return { what, rows: found.sort(byTime), otherNumbers: numbersBeside(found, all) }
      }
      case 'deals': {
        const moving = (rows as readonly DealRow[]).filter(movesShares)
        return { what, rows: this.#sound(moving, (row) => dealOf(row, nowMs), leftOut) }
      }
    }
  }

  #holdings(rows: readonly PositionRow[], leftOut: string[]): readonly BrokerPosition[] {
    const { holdings, split } = holdingsOf(this.#sound(rows, positionOf, leftOut))
    const news = [...split].filter((code) => !this.#split.has(code))
    if (news.length > 0) {
      this.#options.log.warn({ codes: news }, 'stocks listed more than once: their rows add up')
    }
    this.#split = split
    this.#holders = holdersOf(rows)
    return holdings
  }

  /** Rows that can be read; the log names the others, and `leftOut` those that are missed. */
  #sound<R extends OrderRow | DealRow | PositionRow, B>(
    rows: readonly R[],
    of: (row: R) => B | undefined,
    leftOut: string[],
  ): B[] {
    return rows.flatMap((row) => {
      const found = of(row)
      if (found !== undefined) return [found]
      this.#options.log.warn({ code: row.code }, 'a row of the trading client was left out')
      if (isMissed(row)) leftOut.push(nameOf(row))
      return []
    })
  }

  #heard(event: SidecarEvent): void {
    const nowMs = this.#options.nowMs()
    switch (event.kind) {
      case 'order':
        return this.#row(event.row, orderOf(event.row, nowMs), (order) => ({
          kind: 'orderPushed',
          order,
        }))
      case 'deal':
        return this.#row(event.row, dealOf(event.row, nowMs), (deal) => ({
          kind: 'dealPushed',
          deal,
        }))
      case 'placed': {
        const outcome = { kind: 'accepted', orderId: event.order_id } as const
        return this.#submitted(event.client_order_id, outcome)
      }
      case 'refused':
        return this.#submitted(event.client_order_id, { kind: 'rejected', message: event.text })
      default:
        return this.#heardState(event)
    }
  }

  #row<B>(row: OrderRow | DealRow, found: B | undefined, event: (found: B) => DriverEvent): void {
    if (found !== undefined) return this.#pushed(event(found))
    if (movesShares(row)) this.#leaveOut(row)
  }

  /** Of a push that cannot be read: what it stands for is there, and the lists must be asked for it. */
  #leaveOut(row: OrderRow | DealRow | PositionRow): void {
    this.#options.log.warn({ code: row.code }, 'a push of the trading client was left out')
    if (isMissed(row)) this.#pushed({ kind: 'pushLeftOut', text: nameOf(row) })
  }

  #heardState(
    event: Extract<
      SidecarEvent,
      { kind: 'position' | 'asset' | 'account_status' | 'disconnected' | 'left_out' }
    >,
  ): void {
    if (event.kind === 'account_status') this.#accountState = event.status
    if (!this.#isConnected) return
    if (event.kind === 'disconnected') return this.#lost(event.text)
    if (event.kind === 'left_out') return this.#deliver({ kind: 'pushLeftOut', text: event.text })
    if (event.kind === 'account_status') {
      this.#options.log.info({ status: event.status }, 'account status')
      if (isUnusable(event.status)) this.#lost(shutOut(event.status))
      return
    }
    if (event.kind === 'asset') {
      return this.#deliver({ kind: 'assetPushed', asset: assetOf(event.row) })
    }
    const position = positionOf(event.row)
    if (position === undefined) return this.#leaveOut(event.row)
    if (this.#split.has(position.code) || this.#isOfAnother(position.code, event.row)) {
      return this.#deliver({ kind: 'pushLeftOut', text: nameOf(event.row) })
    }
    this.#deliver({ kind: 'positionPushed', position })
  }

  /** Whether a push is of another shareholder's number than what is known of its stock: no news of that. */
  #isOfAnother(code: StockCode, { holder = '' }: PositionRow): boolean {
    const known = this.#holders.get(code) ?? ''
    if (known === '' && holder !== '') this.#holders.set(code, holder)
    return known !== '' && holder !== '' && holder !== known
  }

  /** What happened to orders is kept until there is somebody to hear it. */
  #pushed(event: DriverEvent): void {
    if (this.#isConnected) return this.#deliver(event)
    if (this.#held.push(event) > this.#options.limits.heldEventsMax) this.#held.shift()
  }

  #lost(reason: string): void {
    this.#unnumbered.clear() // in doubt for the account from here on
    if (!this.#isConnected) return
    this.#isConnected = false
    this.#deliver({ kind: 'disconnected', reason })
  }

  #deliver(event: DriverEvent): void {
    if (!this.#isClosed) this.#sink(event)
  }
}

const isUnusable = (state: number | undefined): state is number =>
  state !== undefined && UNUSABLE.has(state)

const shutOut = (state: number): string =>
  `账号状态 ${state}：请检查交易客户端登录 (the account is in state ${state}: is the trading client logged in?)`

const byTime = (a: BrokerOrder, b: BrokerOrder): number => a.timeMs - b.timeMs

const isGone = (answer: Answer): boolean => !answer.ok && answer.error.code === 'GONE'

const faultOf = ({ code, message }: SidecarFault): DriverFault => ({
  code: code === 'NOT_CONNECTED' ? 'NOT_CONNECTED' : 'FAILED',
  message,
})

/** Undefined while the order is on its way and its number will be told. */
function outcomeOf(answer: Answer): SubmitOutcome | undefined {
  if (!answer.ok) {
    const { code, message } = answer.error
    if (code === 'GONE') return undefined
    return { kind: NOT_TAKEN.has(code) ? 'rejected' : 'unknown', message }
  }
  const { state, order_id: orderId, text, is_sent: isSent } = answer.value
  if (state === 'accepted') return { kind: 'accepted', orderId: String(orderId) }
  if (state === 'rejected') return { kind: 'rejected', message: String(text) }
  if (isSent === true) return undefined
  return { kind: 'unknown', message: '委托已发出，结果未知 (sent before, fate unknown)' }
}

const wireOrder = (order: NewOrder) => ({
  client_order_id: order.clientOrderId,
  code: order.code,
  order_type: wireOrderType(order.side),
  quantity: order.quantity,
  price_type: order.priceType,
  price: order.price,
  strategy: order.strategy,
})
