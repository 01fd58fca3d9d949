import { err, ok } from '../../domain/result.ts'
import type { Driver } from '../../ports/driver.port.ts'
import type { DriverCommand, DriverEvent } from '../../protocol/driver.ts'
import { refusal } from '../refusal.ts'
import { dataOf, wordsOf } from './answers.ts'
import type { Peer } from './open-orders.ts'
import type { PeerAccount } from './peer-account.ts'

type Command<K extends DriverCommand['kind']> = Extract<DriverCommand, { kind: K }>

const SIMULATION =
  '对方账户处于模拟模式，未发出 (the account there is in simulation mode: not sent)'
/** Answers after which a cancel may have been taken all the same. */
const UNSURE: ReadonlySet<number> = new Set([202, 502, 504])

/** It may have left: nothing is said of it, and the account looks at the order. */
const unsure = (work: Promise<void>): void => void work.catch(() => undefined)

/** An account at another gateway, for one life of the account's thread here. */
export class GatewayDriver implements Driver {
  readonly #account: PeerAccount
  /** Of the owner of the account. */
  readonly #epoch: number
  #sink: (event: DriverEvent) => void = () => undefined
  #isConnected = false
  #isClosed = false

  constructor(account: PeerAccount, epoch: number) {
    this.#account = account
    this.#epoch = epoch
  }

  open(sink: (event: DriverEvent) => void): void {
    this.#sink = sink
    this.#account.listen({
      event: (event) => {
        if (this.#isConnected) this.#deliver(event)
      },
      lost: (reason) => this.#lost(reason),
    })
  }

  send(command: DriverCommand, untilMs = Number.POSITIVE_INFINITY): void {
    if (this.#isClosed) return
    if (command.kind === 'connect') return this.#orFail(command, this.#connect(command))
    const { peer } = this.#account
    if (!this.#isConnected || peer === undefined) {
      const message = '未连接对方网关 (not connected to the other gateway)'
      return this.#deliver(refusal(command, { code: 'NOT_CONNECTED', message }))
    }
    if (command.kind === 'submit') return this.#submit(command, peer, untilMs)
    if (command.kind === 'cancel') return unsure(this.#cancel(command, peer))
    if (command.kind === 'barrier') return this.#orFail(command, this.#barrier(command, peer))
    this.#orFail(command, this.#query(command, peer))
  }

  /** What nobody foresaw, in what another program has written, must not end all accounts at gateways. */
  #orFail(command: Command<'connect' | 'barrier' | 'query'>, work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#deliver(refusal(command, { code: 'FAILED', message: String(error) })),
    )
  }

  /** Orders under way are followed on: whoever comes next hears what became of them. */
  close(): void {
    if (!this.#isClosed && this.#isConnected) this.#account.disconnect()
    this.#isClosed = true
  }

  async #connect(command: Command<'connect'>): Promise<void> {
    this.#isConnected = false
    const result = await this.#account.connect(this.#epoch)
    if (this.#isClosed) return
    if (!result.ok) return this.#deliver(refusal(command, result.error))
    this.#isConnected = true
    this.#deliver({ kind: 'connectAnswered', callId: command.callId, result })
    this.#account.begin()
  }

  #submit(command: Command<'submit'>, peer: Peer, untilMs: number): void {
    const { callId, order } = command
    if (this.#account.isInSimulation) {
      return this.#deliver(refusal(command, { code: 'FAILED', message: SIMULATION }))
    }
    const sent = this.#account.open.submit({ callId, order, untilMs }, peer)
    unsure(sent.then(() => this.#account.nudge()))
  }

  /** Without an answer that can be relied on there is none: the account looks at the order. */
  async #cancel(command: Command<'cancel'>, { api }: Peer): Promise<void> {
    const { callId, orderId } = command
    const answer = await api.cancel(orderId)
    this.#account.nudge()
    const isUnsure = answer.kind === 'lost' ? answer.mayHaveArrived : UNSURE.has(answer.status)
    if (isUnsure) return
    const { result: code, message: told } = dataOf(answer)
    const isTaken = answer.kind === 'answered' && answer.status === 200 && code === 0
    const message = typeof told === 'string' && told !== '' ? told : wordsOf(answer)
    const result = isTaken ? ok(null) : err({ code: 'FAILED', message } as const)
    this.#deliver({ kind: 'cancelAnswered', callId, orderId, result })
  }

  /** Nothing is said without the gateway, also where nothing is under way. */
  async #barrier(command: Command<'barrier'>, { api }: Peer): Promise<void> {
    const { callId, clientOrderIds = [] } = command
    const status = await api.status()
    const isThere = status.kind === 'answered' && status.status === 200
    const stands = isThere ? await this.#account.open.whatStands(clientOrderIds) : wordsOf(status)
    const result = stands === '' ? ok(null) : err({ code: 'FAILED', message: stands } as const)
    this.#deliver({ kind: 'barrierAnswered', callId, result })
  }

  async #query({ callId, what }: Command<'query'>, peer: Peer): Promise<void> {
    const result = await this.#account.query(what, peer)
    this.#deliver({ kind: 'queryAnswered', callId, what, result })
  }

  #lost(reason: string): void {
    if (!this.#isConnected) return
    this.#isConnected = false
    this.#deliver({ kind: 'disconnected', reason })
  }

  #deliver(event: DriverEvent): void {
    if (!this.#isClosed) this.#sink(event)
  }
}
