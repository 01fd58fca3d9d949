import { randomBytes, timingSafeEqual } from 'node:crypto'
import { err, ok, type Result } from '../../domain/result.ts'
import { steadyMs } from '../../runtime/steady.ts'
import {
  type FromSidecar,
  MAGIC,
  proofOf,
  type SidecarEvent,
  VERSION,
  type Welcome,
} from './frames.ts'
import { isMessage, type OpenLine, type SidecarLine } from './line.ts'

export interface SidecarLimits {
  /** Between two signs of life, both ways. */
  readonly beatMs: number
  /** Signs of life that may be missed. */
  readonly beatsMissedMax: number
  readonly handshakeTimeoutMs: number
  /** Calls that wait for an answer. */
  readonly callsMax: number
}

/** Where a client stands in the numbered events of a sidecar. */
export interface Place {
  readonly journal: string
  readonly seq: number
}

export interface SidecarOptions {
  readonly line: OpenLine
  readonly token: string
  /** Where one program serves both: what this client is. */
  readonly role?: Welcome['role']
  /** Of the owner of the account: once a later one has been here, an earlier one is refused. */
  readonly epoch: number
  /** What was seen before; what came after is told again. Without it, everything of the day. */
  readonly after?: Place
  readonly limits: SidecarLimits
  /** Before the first event. */
  readonly onMet?: (welcome: Welcome) => void
  readonly onEvent?: (event: SidecarEvent) => void
  readonly onTicks?: (codes: readonly string[], doubles: Uint8Array) => void
  /** Once, when nothing more can be asked or heard. */
  readonly onClose: (reason: string) => void
}

/** `GONE`: the connection ended before the answer came. */
export interface SidecarFault {
  readonly code: string
  readonly message: string
}
type Answered = Result<Readonly<Record<string, unknown>>, SidecarFault>

/**
 * Connects, proves that both sides know the token, and hears again what was missed.
 *
 * Errors  rejects with one line: nobody listens, another program does, a wrong token, a later owner.
 */
export async function attachSidecar(options: SidecarOptions): Promise<SidecarClient> {
  const client = new SidecarClient(options)
  await client.live
  // Its last word may have come in one piece with its greeting, before anybody could hear of its end.
  if (client.ended !== undefined) throw client.ended
  return client
}

/**
 * With each message: how long it waited to be read, the sidecar reckons from it, and what the end of a call is on
 * its own clock.
 */
const atMs = (): number => Math.round(steadyMs())

/** One connection to one sidecar. Every call is answered once, at the latest when it closes. */
export class SidecarClient {
  /** Resolves when the handshake is done and everything missed was told. */
  readonly live: Promise<void>
  readonly #options: SidecarOptions
  readonly #line: SidecarLine
  readonly #calls = new Map<number, (answered: Answered) => void>()
  readonly #live = Promise.withResolvers<void>()
  readonly #nonce = randomBytes(16).toString('hex')
  #late: NodeJS.Timeout | undefined
  #beats: NodeJS.Timeout | undefined
  /** Of the line, at the last look, and the looks since in a row that have heard nothing. */
  #heardMs = Number.NaN
  #missed = 0
  #greetedWith = ''
  #welcome: Welcome | undefined
  #nextId = 1
  #isLive = false
  #isClosed = false
  #ended: Error | undefined

  constructor(options: SidecarOptions) {
    const { line, limits } = options
    this.#options = options
    this.live = this.#live.promise
    this.#line = line({
      message: (message) => {
        // Of the sidecar, once it has shown that it knows the token; the greeting is looked at.
        if (!this.#isClosed) this.#receive(message as FromSidecar)
      },
      closed: (reason) => this.#end(reason),
    })
    this.#waitOn()
    this.#beats = setInterval(() => this.#beat(), limits.beatMs)
  }

  /** Of the handshake. */
  get welcome(): Welcome {
    if (this.#welcome === undefined) throw new Error('the sidecar has not been met yet')
    return this.#welcome
  }

  /** Why nothing more can be asked or heard; undefined while it can. */
  get ended(): Error | undefined {
    return this.#ended
  }

  /**
   * @param timeoutMs within which the sidecar answers, if only that the call did not come back
   * @param untilMs time of `steadyMs` after which the sidecar does not begin it any more, however late it comes: this
   *   process may be stopped before it is sent
   */
  call(
    method: string,
    parameters: object,
    timeoutMs: number,
    untilMs?: number,
  ): Promise<Result<Readonly<Record<string, unknown>>, SidecarFault>> {
    if (this.#isClosed) return Promise.resolve(err({ code: 'GONE', message: 'no sidecar' }))
    if (this.#calls.size >= this.#options.limits.callsMax) {
      return Promise.resolve(err({ code: 'OVERLOADED', message: 'too many calls are waiting' }))
    }
    const id = this.#nextId++
    const { promise, resolve } = Promise.withResolvers<Answered>()
    this.#calls.set(id, resolve)
    const call = { t: 'call', id, m: method, p: parameters, timeout_ms: timeoutMs, at: atMs() }
    this.#send(untilMs === undefined ? call : { ...call, until: Math.round(untilMs) })
    return promise
  }

  close(): void {
    this.#end('closed by us')
  }

  #send(message: object): void {
    this.#line.send(message)
  }

  #receive(message: FromSidecar): void {
    if (this.#welcome === undefined) return this.#meet(message)
    switch (message.t) {
      case 'live':
        this.#isLive = true
        clearTimeout(this.#late)
        return this.#live.resolve()
      case 'answer':
        return this.#answered(message)
      case 'event':
        if (!this.#isLive) this.#waitOn()
        return this.#options.onEvent?.(message.e)
      case 'ticks':
        return this.#options.onTicks?.(message.c, message.d)
      case 'wedged':
        return this.#end(
          message.text ?? `${message.leaked} calls into the trading client never came back`,
        )
      default:
    }
  }

  #meet(message: FromSidecar): void {
    if (message.t === 'greet') return this.#introduce(message)
    if (message.t === 'refused') return this.#refused(message)
    if (message.t !== 'welcome') return this.#end('it does not greet like a sidecar')
    const { token } = this.#options
    const expected = proofOf(token, 'sidecar', [this.#nonce, this.#greetedWith])
    if (!isSame(expected, message.proof)) return this.#end('it does not know the token')
    this.#welcome = message
    this.#options.onMet?.(message)
  }

  #refused({ text, code, epoch, is_served }: Extract<FromSidecar, { t: 'refused' }>): void {
    const reason = `refused: ${text} (${code})`
    const isAhead = epoch !== undefined && is_served === false
    this.#end(reason, isAhead ? new SidecarAhead(`sidecar: ${reason}`, epoch) : undefined)
  }

  #introduce({ magic, version, nonce }: Extract<FromSidecar, { t: 'greet' }>): void {
    if (magic !== MAGIC) return this.#end('it does not greet like a sidecar')
    if (version[0] !== VERSION[0]) {
      return this.#end(`it speaks version ${version.join('.')}, this service ${VERSION.join('.')}`)
    }
    const { token, epoch, after, role } = this.#options
    this.#greetedWith = nonce
    const proof = proofOf(token, 'client', [nonce, this.#nonce])
    const hello = { t: 'hello', magic: MAGIC, version: VERSION, nonce: this.#nonce, proof, epoch }
    this.#send({ ...hello, at: atMs(), ...(role && { role }), ...(after && { after }) })
  }

  #answered(message: Extract<FromSidecar, { t: 'answer' }>): void {
    const resolve = this.#calls.get(message.id)
    this.#calls.delete(message.id)
    resolve?.(
      message.ok
        ? ok(isMessage(message.r) ? message.r : {}) // nothing is said by what comes without a result
        : err({ code: message.e.code, message: message.e.text }),
    )
  }

  /** For the greeting, and then for the next of the events that were missed: there may be many. */
  #waitOn(): void {
    const { handshakeTimeoutMs } = this.#options.limits
    clearTimeout(this.#late)
    this.#late = setTimeout(() => {
      const isMet = this.#welcome !== undefined
      const what = isMet ? 'it told nothing more of what was missed' : 'no greeting'
      this.#end(`${what} within ${handshakeTimeoutMs} ms`)
    }, handshakeTimeoutMs)
  }

  /**
   * One look counts once, however late it is: this thread, or the computer, may have stood still, and what was said
   * meanwhile is read after the timers.
   */
  #beat(): void {
    const { heardMs } = this.#line
    this.#missed = heardMs === this.#heardMs ? this.#missed + 1 : 0
    this.#heardMs = heardMs
    if (this.#missed >= this.#options.limits.beatsMissedMax) {
      const silenceMs = Math.round(performance.now() - heardMs)
      return this.#end(`the sidecar was silent for ${silenceMs} ms`)
    }
    // Also while it tells what was missed: it gives up who is silent.
    if (this.#welcome !== undefined) this.#send({ t: 'beat', at: atMs() })
  }

  #end(reason: string, error = new Error(`sidecar: ${reason}`)): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#ended = error
    clearTimeout(this.#late)
    clearInterval(this.#beats)
    this.#line.close()
    for (const resolve of this.#calls.values()) resolve(err({ code: 'GONE', message: reason }))
    this.#calls.clear()
    if (this.#isLive) this.#options.onClose(reason)
    else this.#live.reject(error)
  }
}

/** A later owner of the account has been at the sidecar, and nobody is there now. */
export class SidecarAhead extends Error {
  override readonly name = 'SidecarAhead'
  readonly epoch: number

  constructor(message: string, epoch: number) {
    super(message)
    this.epoch = epoch
  }
}

const isSame = (expected: string, given: unknown): boolean =>
  typeof given === 'string' &&
  given.length === expected.length &&
  timingSafeEqual(Buffer.from(expected), Buffer.from(given))
