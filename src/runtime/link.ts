import type { MessagePort } from 'node:worker_threads'
import { ServiceError, type WireError } from '../domain/errors.ts'
import type { AskLimits, CallHeader, Line, Transport } from '../ports/transport.port.ts'
import { decode, encode } from '../protocol/codec.ts'
import {
  type Answer,
  type Call,
  type Envelope,
  type Lane,
  PROTOCOL_VERSION,
} from '../protocol/envelope.ts'
import { atMicrotaskEnd, postBytes } from './posting.ts'
import { FOREVER_MS, steadyMs } from './steady.ts'

export interface LinkLimits {
  /** Asks waiting for an answer; one more is refused with `OVERLOADED`. */
  readonly openAsksMax: number
}

export interface LinkOptions {
  /** Address of the other side, for errors and logs. */
  readonly peer: string
  readonly limits: LinkLimits
  /** Answers a call; what it throws goes back as an error, a ServiceError with its code. */
  readonly answer?: (body: unknown, call: CallHeader) => unknown
  /**
   * Waits with what is sent for the other callbacks of this turn of the event loop, as requests come
   * in over many sockets; otherwise it leaves at the end of the callback that sent it.
   */
  readonly isGathering?: boolean
  /** Takes a tell. */
  readonly tell?: (body: unknown) => void
}

interface OpenAsk {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: ServiceError) => void
  readonly timer: NodeJS.Timeout
}

/**
 * One end of a line between two parties: asks that always end (answer, error or deadline), answers,
 * and tells. Everything sent in one turn of the event loop travels as one message.
 */
export class Link implements Line {
  readonly #wire: Transport
  readonly #options: LinkOptions
  readonly #open = new Map<number, OpenAsk>()
  #outbox: Envelope[] = []
  #nextId = 1
  #closed: ServiceError | undefined

  constructor(wire: Transport, options: LinkOptions) {
    this.#wire = wire
    this.#options = options
    wire.onBytes((bytes) => {
      for (const envelope of this.#read(bytes)) this.#receive(envelope)
    })
    wire.onClose(() => {
      this.close(new ServiceError('ACTOR_RESTARTING', `${options.peer} is gone`))
    })
  }

  /** Errors  those of the other side; `DEADLINE_EXCEEDED`; `OVERLOADED`; the reason given to {@link close}. */
  ask<T>(
    body: unknown,
    { timeoutMs, startWithinMs = timeoutMs, lane = 'request', correlationId = '' }: AskLimits,
  ): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    const { peer, limits } = this.#options
    if (this.#open.size >= limits.openAsksMax) {
      return Promise.reject(new ServiceError('OVERLOADED', `too many requests wait for ${peer}`))
    }
    const messageId = this.#nextId++
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.#open.delete(messageId)
          reject(new ServiceError('DEADLINE_EXCEEDED', `${peer} did not answer in ${timeoutMs} ms`))
        },
        Math.min(timeoutMs, FOREVER_MS),
      )
      this.#open.set(messageId, { resolve: resolve as (value: unknown) => void, reject, timer })
      const nowMs = steadyMs()
      const deadlineMs = nowMs + timeoutMs
      const startByMs = nowMs + Math.min(startWithinMs, timeoutMs)
      this.#post(this.#call({ messageId, lane, deadlineMs, startByMs, correlationId, body }))
    })
  }

  /** Sent and forgotten. Dropped when the other side is gone. */
  tell(body: unknown, lane: Lane = 'request'): void {
    if (this.#closed !== undefined) return
    const header = { messageId: 0, lane, deadlineMs: 0, startByMs: 0, correlationId: '' }
    this.#post(this.#call({ ...header, body }))
  }

  /** Fails every open ask at once with `reason`; nothing is sent or received afterwards. */
  close(reason: ServiceError): void {
    if (this.#closed !== undefined) return
    this.#flush()
    this.#closed = reason
    this.#wire.close()
    for (const { reject, timer } of this.#open.values()) {
      clearTimeout(timer)
      reject(reason)
    }
    this.#open.clear()
  }

  #call(parts: Omit<Call, 'version' | 'type' | 'to' | 'incarnation'>): Call {
    const to = this.#options.peer
    return { version: PROTOCOL_VERSION, type: 'call', to, incarnation: 0, ...parts }
  }

  #post(envelope: Envelope): void {
    if (this.#outbox.push(envelope) > 1) return
    if (this.#options.isGathering === true) setImmediate(() => this.#flush())
    else atMicrotaskEnd(() => this.#flush())
  }

  #flush(): void {
    if (this.#outbox.length === 0 || this.#closed !== undefined) return
    const envelopes = this.#outbox
    this.#outbox = []
    this.#send(envelopes)
  }

  /** What is too long for one message goes one by one, and what no message holds fails alone. */
  #send(envelopes: readonly Envelope[]): void {
    const bytes = encode(envelopes)
    const { bytesMax = Number.POSITIVE_INFINITY } = this.#wire
    if (bytes.length <= bytesMax) return this.#wire.send(bytes)
    if (envelopes.length > 1) {
      for (const envelope of envelopes) this.#send([envelope])
    } else if (envelopes[0] !== undefined) {
      this.#failTooLong(envelopes[0], `${bytes.length} bytes, at most ${bytesMax} are carried`)
    }
  }

  /** Of an answer whoever asked is told; a call is answered here. */
  #failTooLong(envelope: Envelope, size: string): void {
    const { version, messageId, to, type } = envelope
    if (type === 'answer') {
      const outcome = refusal('INTERNAL', `done, but the answer is too long: ${size}`)
      this.#send([{ version, type, messageId, to, outcome }])
    } else {
      const outcome = refusal('BODY_TOO_LARGE', `not sent to ${to}, it is too long: ${size}`)
      this.#settle({ version, type: 'answer', messageId, to, outcome })
    }
  }

  /** Bytes that nobody can read come from another program: the line ends, not the thread. */
  #read(bytes: Uint8Array): readonly Envelope[] {
    if (this.#closed !== undefined) return []
    try {
      const envelopes = decode<unknown>(bytes)
      if (Array.isArray(envelopes) && envelopes.every(isEnvelope)) return envelopes
    } catch {} // told to every open ask below
    this.close(new ServiceError('INTERNAL', `${this.#options.peer} sent what cannot be read`))
    return []
  }

  #receive(envelope: Envelope): void {
    if (this.#closed !== undefined || envelope.version !== PROTOCOL_VERSION) return
    if (envelope.type === 'answer') this.#settle(envelope)
    else if (envelope.messageId === 0) this.#options.tell?.(envelope.body)
    else void this.#answer(envelope)
  }

  #settle({ messageId, outcome }: Answer): void {
    const ask = this.#open.get(messageId)
    if (ask === undefined) return // answered after its deadline
    this.#open.delete(messageId)
    clearTimeout(ask.timer)
    if (outcome.ok) ask.resolve(outcome.value)
    else ask.reject(ServiceError.fromWire(outcome.error))
  }

  async #answer(call: Call): Promise<void> {
    const outcome = await this.#outcomeOf(call)
    if (this.#closed !== undefined) return
    const { messageId, to } = call
    this.#post({ version: PROTOCOL_VERSION, type: 'answer', messageId, to, outcome })
  }

  async #outcomeOf(call: Call): Promise<Answer['outcome']> {
    const { deadlineMs, lane, correlationId } = call
    const startByMs = call.startByMs || deadlineMs
    if (startByMs > 0 && steadyMs() > startByMs) {
      return refusal('DEADLINE_PASSED', 'arrived after its deadline; not started')
    }
    const { answer } = this.#options
    if (answer === undefined) return refusal('INTERNAL', `${call.to} answers no calls`)
    try {
      const value = await answer(call.body, { lane, deadlineMs, startByMs, correlationId })
      return { ok: true, value: value ?? null }
    } catch (error) {
      if (error instanceof ServiceError) return { ok: false, error: error.toWire() }
      throw error // a bug: the thread dies and the supervisor decides
    }
  }
}

/** Whether it can be followed: one of another version is let pass. What it carries is for those who take it. */
function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false
  const { version, type, messageId, outcome } = value as Partial<Answer>
  if (version !== PROTOCOL_VERSION) return true
  if (!Number.isSafeInteger(messageId)) return false
  return (type as string) === 'call' || (type === 'answer' && isOutcome(outcome))
}

/** What is wrong with an error is told as an error. */
const isOutcome = (outcome: Partial<Answer['outcome']> | undefined): boolean =>
  outcome?.ok === true || (outcome?.ok === false && typeof outcome.error === 'object')

const refusal = (code: WireError['code'], message: string): Answer['outcome'] => ({
  ok: false,
  error: { code, message },
})

/** A MessagePort as the transport of a {@link Link}. */
export function portWire(port: MessagePort): Transport {
  return {
    send: (bytes) => postBytes(port, bytes),
    onBytes: (receive) => port.on('message', receive),
    onClose: (closed) => port.on('close', closed),
    close: () => port.close(),
  }
}
