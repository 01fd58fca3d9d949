import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** What happens to a request on its way; undefined: nothing. */
export type Mischief =
  /** It stands until then. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }
  /** The connection ends, and the request arrives when nobody waits any more. */
  | { readonly kind: 'late'; readonly until: Promise<unknown> }
  /** The connection ends before it is passed on; it never arrives. */
  | { readonly kind: 'drop' }
  /** It gets through, and its answer does not; `before` is done before the connection ends. */
  | { readonly kind: 'lose'; readonly before?: () => Promise<void> }
  /** It gets through twice. */
  | { readonly kind: 'twice' }
  /** The proxy answers in its place; `isPassed`: after it got through. */
  | {
      readonly kind: 'instead'
      readonly status: number
      readonly body: string
      readonly isPassed?: boolean
    }

interface Received {
  readonly method: string
  readonly path: string
  readonly body: Buffer
  readonly headers: IncomingMessage['headers']
}

/** Stands between a desk and the gateway, and does to requests what networks and proxies do. */
export class HostileProxy {
  /** Asked about every request. */
  mischief: (request: Received) => Mischief | undefined = () => undefined
  /** Told of every answer that is passed back, before it is. */
  answered: (request: Received, status: number) => void = () => undefined
  /** Where requests go. */
  target: number
  /** Every request that was passed on: `POST /api/…`. */
  readonly passed: string[] = []
  readonly #server: Server
  readonly #late = new Set<Promise<unknown>>()

  private constructor(target: number) {
    this.target = target
    this.#server = createServer((request, response) => {
      void this.#serve(request, response).catch(() => response.destroy())
    })
  }

  static async open(target: number): Promise<HostileProxy> {
    const proxy = new HostileProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Resolves when everything that was to arrive late has. */
  async settled(): Promise<void> {
    await Promise.all(this.#late)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    const { method = '', url: path = '', headers } = incoming
    const request = { method, path, headers, body: Buffer.concat(pieces) }
    const mischief = this.mischief(request)
    switch (mischief?.kind) {
      case undefined:
        return this.#pass(request, response)
      case 'hold':
        await mischief.until
        return this.#pass(request, response)
      case 'drop':
        response.destroy()
        return
      case 'lose':
        await this.#forward(request).then(drained)
        await mischief.before?.()
        response.destroy()
        return
      case 'late':
        response.destroy()
        return this.#later(mischief.until, request)
      case 'twice':
        await this.#forward(request).then(drained)
        return this.#pass(request, response)
      case 'instead':
        if (mischief.isPassed) await this.#forward(request).then(drained)
        response.writeHead(mischief.status, { 'Content-Type': 'text/html' }).end(mischief.body)
    }
  }

  #later(until: Promise<unknown>, request: Received): void {
    const arriving = until.then(() => this.#forward(request).then(drained)).catch(() => undefined)
    this.#late.add(arriving)
  }

  async #pass(request: Received, response: ServerResponse): Promise<void> {
    const answer = await this.#forward(request)
    this.answered(request, answer.statusCode ?? 0)
    response.on('close', () => answer.destroy())
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  }

  #forward({ method, path, headers, body }: Received): Promise<IncomingMessage> {
    this.passed.push(`${method} ${path}`)
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.target, method, path, agent: false }
      const request = httpRequest({ ...options, headers }, resolve)
      request.on('error', reject)
      request.end(body)
    })
  }
}

async function drained(answer: IncomingMessage): Promise<void> {
  answer.resume()
  await once(answer, 'end')
}

export const isOrder = ({ method, path }: Pick<Received, 'method' | 'path'>): boolean =>
  method === 'POST' && path.endsWith('/orders')
