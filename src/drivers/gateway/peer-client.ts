import type { Agent as HttpAgent, IncomingMessage } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import { nodeHttp, nodeHttps } from '../../runtime/node-http.ts'

export interface PeerAddress {
  readonly url: URL
  /** Empty: none is sent. */
  readonly token: string
  /** PEM of who vouches for it; undefined: as the system has it. */
  readonly ca: string | undefined
}

export interface PeerClientLimits {
  readonly connectionsMax: number
  readonly idleMs: number
  readonly bodyBytesMax: number
}

export interface PeerAsk {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below the address of the gateway. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  readonly timeoutMs: number
}

export type PeerAnswer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
      /** The JSON of the body; undefined when it is none. */
      readonly json: unknown
    }
  /** No whole answer. `mayHaveArrived` false: nothing of the request can have got there. */
  | { readonly kind: 'lost'; readonly message: string; readonly mayHaveArrived: boolean }

export interface PeerStream {
  readonly status: number
  /** Text as it comes, until it ends. */
  readonly pieces: AsyncIterable<string>
}

/**
 * Requests to one gateway over connections that are kept. Nothing is sent twice, no redirect is followed,
 * and the token is in the one header that it belongs in: never in an address, a log or a text.
 */
export class PeerClient {
  readonly #address: PeerAddress
  readonly #limits: PeerClientLimits
  readonly #agent: HttpAgent | HttpsAgent

  constructor(address: PeerAddress, limits: PeerClientLimits) {
    this.#address = address
    this.#limits = limits
    const { connectionsMax: maxSockets, idleMs: timeout } = limits
    const options = { keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout }
    this.#agent =
      address.url.protocol === 'https:'
        ? new (nodeHttps().Agent)({
            ...options,
            ...(address.ca !== undefined && { ca: address.ca }),
          })
        : new (nodeHttp().Agent)(options)
  }

  /** Requests under way end without an answer. */
  close(): void {
    this.#agent.destroy()
  }

  /** Whatever happens is an answer. */
  async ask(ask: PeerAsk): Promise<PeerAnswer> {
    try {
      return await this.#ask(ask)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { kind: 'lost', message, mayHaveArrived: false } // it could not be made
    }
  }

  async #ask(ask: PeerAsk): Promise<PeerAnswer> {
    const outcome = Promise.withResolvers<PeerAnswer>()
    let mayHaveArrived = false
    const lost = (message: string) => outcome.resolve({ kind: 'lost', message, mayHaveArrived })
    const request = this.#send(ask, (response) => {
      mayHaveArrived = true
      this.#read(response).then(
        (json) => {
          const { statusCode: status = 0, headers } = response
          outcome.resolve({ kind: 'answered', status, headers, json })
        },
        (error: Error) => lost(error.message),
      )
    })
    const timer = setTimeout(() => {
      lost(`${ask.timeoutMs} ms 内无应答 (no answer)`)
      request.destroy()
    }, ask.timeoutMs)
    const isTls = this.#address.url.protocol === 'https:'
    request.on('socket', (socket) => {
      const isConnected = () => {
        mayHaveArrived = true
      }
      // One that was used before, or waited for, takes the bytes at once; under TLS a new one takes none before it trusts
      // the other side.
      if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', isConnected)
      else isConnected()
    })
    request.on('error', (error) => lost(error.message))
    return outcome.promise.finally(() => clearTimeout(timer))
  }

  /** Errors  rejects when there is no answer within `timeoutMs`. */
  async follow(path: string, timeoutMs: number, signal: AbortSignal): Promise<PeerStream> {
    const opened = Promise.withResolvers<PeerStream>()
    const headers = { Accept: 'text/event-stream' }
    const request = this.#send({ method: 'GET', path, headers, timeoutMs }, (response) => {
      response.setEncoding('utf8')
      opened.resolve({ status: response.statusCode ?? 0, pieces: response })
    })
    const end = () => request.destroy(new Error('ended'))
    const timer = setTimeout(end, timeoutMs)
    signal.addEventListener('abort', end, { once: true })
    request.on('error', (error) => opened.reject(error))
    request.on('close', () => signal.removeEventListener('abort', end))
    return opened.promise.finally(() => clearTimeout(timer))
  }

  #send({ method, path, headers, body }: PeerAsk, answered: (response: IncomingMessage) => void) {
    const { url, token } = this.#address
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const send = (url.protocol === 'https:' ? nodeHttps() : nodeHttp()).request
    const request = send(
      new URL(url.pathname.replace(/\/$/, '') + path, url),
      {
        method,
        agent: this.#agent,
        headers: {
          Accept: 'application/json',
          'Accept-Encoding': 'identity',
          ...(token !== '' && { 'X-API-Token': token }),
          ...(bytes && { 'Content-Type': 'application/json', 'Content-Length': bytes.length }),
          ...headers,
        },
      },
      answered,
    )
    request.end(bytes)
    return request
  }

  async #read(response: IncomingMessage): Promise<unknown> {
    const { bodyBytesMax } = this.#limits
    const pieces: Buffer[] = []
    let length = 0
    for await (const piece of response as AsyncIterable<Buffer>) {
      length += piece.length
      if (length > bodyBytesMax)
        throw new Error(`应答超过 ${bodyBytesMax} 字节 (too long an answer)`)
      pieces.push(piece)
    }
    try {
      return JSON.parse(Buffer.concat(pieces).toString('utf8'))
    } catch {
      return undefined
    }
  }
}
