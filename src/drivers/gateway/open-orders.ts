import type { BrokerOrder, NewOrder } from '../../domain/order.ts'
import type { SubmitOutcome } from '../../protocol/driver.ts'
import { steadyMs } from '../../runtime/steady.ts'
import { TOO_LATE } from '../refusal.ts'
import { type Found, foundBy, type Manner, outcomeOf, withdrawnBy, wordsOf } from './answers.ts'
import type { PeerApi } from './peer-api.ts'
import type { SentKeys } from './sent-keys.ts'

/** What is known of the gateway that orders are sent to. */
export interface Peer {
  readonly api: PeerApi
  readonly manner: Manner
}

export interface OpenOrdersOptions {
  readonly sent: SentKeys
  /** Between two questions about an order whose fate nobody knows. */
  readonly askAgainMs: number
  /** Undefined while there is no connection. */
  readonly peer: () => Peer | undefined
  readonly tell: (callId: number, clientOrderId: string, outcome: SubmitOutcome) => void
}

interface Submit {
  readonly callId: number
  readonly order: NewOrder
  /** Of `steadyMs`: it must not leave later. */
  readonly untilMs: number
}

const ON_ITS_WAY = '委托仍在发往对方网关的途中 (an order is still on its way to the other gateway)'
const NO_ANSWER = '委托已发出，对方网关没有应答，正在按键核实 (sent, no answer; asked for by key)'
const CANNOT_SAY =
  '对方网关不认委托键，无法确认委托不会再到达 (that gateway knows no keys, so nothing says that it can no longer arrive)'

/**
 * Orders that were sent and whose fate is not known. Each is sent once; an answer that is lost is asked for by
 * key, and a key that came to nothing is withdrawn there, so that what is still on its way places nothing.
 */
export class OpenOrders {
  readonly #options: OpenOrdersOptions
  /** Whose request has not ended. */
  readonly #posting = new Set<string>()
  /** Calls that have no answer yet, by key. */
  readonly #calls = new Map<string, number>()
  /** Known there, and in doubt there too. */
  readonly #doubtfulThere = new Set<string>()
  readonly #looking = new Map<string, Promise<string>>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: OpenOrdersOptions) {
    this.#options = options
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  /** A request has not ended. */
  get isPosting(): boolean {
    return this.#posting.size > 0
  }

  /** Nobody waits for the answers any more. */
  forgetCalls(): void {
    this.#calls.clear()
  }

  async submit({ callId, order, untilMs }: Submit, { api, manner }: Peer): Promise<void> {
    const { sent } = this.#options
    const { clientOrderId: key, strategy } = order
    this.#calls.set(key, callId)
    if (sent.find(key) !== undefined) return this.#doubt(key) // never a second time
    try {
      sent.add(key, strategy)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `无法记录委托键，未发出 (not written down, so not sent): ${reason}`
      return this.#decide(key, { kind: 'rejected', message })
    }
    // The disk may have taken so long that another computer runs the account by now.
    if (steadyMs() > untilMs) {
      return this.#decide(key, { kind: 'rejected', message: TOO_LATE, isTooLate: true })
    }
    this.#posting.add(key)
    const answer = await api.place(order)
    this.#posting.delete(key)
    const outcome = outcomeOf(answer, manner)
    if (outcome === undefined || outcome.kind === 'unknown') return this.#doubt(key)
    this.#decide(key, outcome)
  }

  /** Rows of the other gateway: an order that is listed under a number is there. */
  seen(orders: readonly BrokerOrder[]): void {
    const { sent } = this.#options
    for (const { clientOrderId, orderId } of orders) {
      const known = sent.find(clientOrderId)
      if (known === undefined || known.isDecided || this.#posting.has(clientOrderId)) continue
      this.#decide(clientOrderId, { kind: 'accepted', orderId })
    }
  }

  /** A connection is there: all that earlier ones left open is asked for. */
  async settle(): Promise<void> {
    await this.whatStands([])
    this.#again()
  }

  /**
   * Why an order that was sent may still arrive there, or may be there without our knowing; empty when none may.
   * `also`: keys that the account asks for, whether or not they are on file here.
   */
  async whatStands(also: readonly string[]): Promise<string> {
    if (this.#posting.size > 0) return ON_ITS_WAY
    const keys = new Set([...this.#undecided(), ...also.filter((key) => this.#isOpen(key))])
    for (const key of keys) {
      const stands = await this.#look(key)
      if (stands !== '') return stands
    }
    return ''
  }

  #undecided(): readonly string[] {
    return this.#options.sent.undecided().filter((key) => !this.#posting.has(key))
  }

  /** One that is not on file was sent from another computer, or never: its key tells. */
  #isOpen = (key: string): boolean => this.#options.sent.find(key)?.isDecided !== true

  async #doubt(key: string): Promise<void> {
    const stands = await this.#look(key)
    if (stands === '') return
    const callId = this.#calls.get(key)
    this.#calls.delete(key)
    if (callId !== undefined) {
      this.#options.tell(callId, key, { kind: 'unknown', message: NO_ANSWER })
    }
    this.#again()
  }

  #again(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#undecided().length === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void Promise.all(this.#undecided().map((key) => this.#look(key))).then(() => this.#again())
    }, this.#options.askAgainMs)
  }

  /** One question at a time for each key; why it stands, or nothing when it is decided. */
  #look(key: string): Promise<string> {
    const under = this.#looking.get(key)
    if (under !== undefined) return under
    const looking = this.#ask(key).finally(() => this.#looking.delete(key))
    this.#looking.set(key, looking)
    return looking
  }

  async #ask(key: string): Promise<string> {
    const peer = this.#options.peer()
    if (peer === undefined) return NO_ANSWER
    if (peer.manner === 'foreign') return CANNOT_SAY
    const { found, words } = await this.#found(key, peer)
    if (found === undefined) return `${NO_ANSWER}: ${words}`
    if (found.kind === 'absent') return CANNOT_SAY
    if (found.kind === 'unknown') {
      this.#doubtfulThere.add(key)
      return found.message
    }
    this.#decide(key, found)
    return ''
  }

  /** What is in doubt there is only looked for: withdrawing costs that gateway a line in its journal. */
  async #found(key: string, { api, manner }: Peer): Promise<{ found: Found; words: string }> {
    if (manner === 'keyed' || this.#doubtfulThere.has(key)) {
      const answer = await api.find(key)
      const found = foundBy(answer)
      if (manner === 'keyed' || found?.kind !== 'absent') return { found, words: wordsOf(answer) }
    }
    const answer = await api.withdraw(key)
    return { found: withdrawnBy(answer), words: wordsOf(answer) }
  }

  #decide(key: string, outcome: SubmitOutcome): void {
    const { sent, tell } = this.#options
    const callId = this.#calls.get(key) ?? 0
    this.#calls.delete(key)
    this.#doubtfulThere.delete(key)
    sent.decide(key, outcome.kind === 'accepted' ? outcome.orderId : '')
    tell(callId, key, outcome)
  }
}
