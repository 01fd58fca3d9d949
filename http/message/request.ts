import type { Caller } from './caller.ts'

/** A request as it is kept after the socket library has taken its own object back. */
export interface HttpRequest {
  /** Our number of this request; answered as `X-Request-Id` and passed on as correlation id. */
  readonly id: string
  /** As sent, upper or lower case: method names are case-sensitive. */
  readonly method: string
  /** Raw, not decoded. */
  readonly path: string
  /** Raw, without the question mark. */
  readonly query: string
  /** Names in lower case; of a repeated header the first value. */
  readonly headers: ReadonlyMap<string, string>
  /** Names of headers that were sent more than once. */
  readonly repeated: ReadonlySet<string>
  /** Address of the TCP peer, as text. Never what a proxy claims. */
  readonly peer: string
  /** Whose token it carries; undefined until that is known, and where no token is needed. */
  readonly caller: Caller | undefined
  /** Its connection has ended, or its time is up: nobody hears the answer of its route any more. */
  readonly isGone: boolean
  /** Told once, when that happens while it waits for its answer. One listener. */
  onGone(listener: () => void): void
  /** By which port of the front it came; undefined is the one for everybody. Behind `proxies` stands anybody. */
  readonly entrance?: Entrance | undefined
}

export type Entrance = 'proxies'

/** What is copied from the library's request, which is gone when the first call returns. */
export interface RawRequest {
  getUrl(): string
  getQuery(): string | undefined
  getCaseSensitiveMethod(): string
  forEach(each: (name: string, value: string) => void): void
}

/** Who knows the address of the peer, until the answer is sent or the client is gone. */
export interface RawPeer {
  getRemoteAddressAsText(): ArrayBuffer
}

const NONE: ReadonlySet<string> = new Set()

/** The copy of a request. Asking for the peer costs as much as all the rest, so it is asked for when wanted. */
export class ReceivedRequest implements HttpRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: ReadonlyMap<string, string>
  repeated: ReadonlySet<string> = NONE
  caller: Caller | undefined
  isGone = false
  readonly entrance: Entrance | undefined
  #raw: RawPeer | undefined
  #peer = ''
  #leaving: (() => void) | undefined

  /** To be called inside the library's own callback. */
  constructor(id: string, raw: RawPeer, rawRequest: RawRequest, entrance?: Entrance) {
    this.id = id
    this.entrance = entrance
    this.#raw = raw
    this.method = rawRequest.getCaseSensitiveMethod()
    this.path = rawRequest.getUrl()
    this.query = rawRequest.getQuery() ?? ''
    const headers = new Map<string, string>()
    this.headers = headers
    rawRequest.forEach((name, value) => {
      if (headers.has(name)) this.repeated = new Set(this.repeated).add(name)
      else headers.set(name, value)
    })
  }

  get peer(): string {
    if (this.#raw !== undefined) {
      this.#peer = Buffer.from(this.#raw.getRemoteAddressAsText()).toString('latin1')
      this.#raw = undefined
    }
    return this.#peer
  }

  onGone(listener: () => void): void {
    this.#leaving = listener
  }

  /** Its route's answer will be nobody's. */
  leave(): void {
    this.isGone = true
    this.#leaving?.()
  }

  /** To be called before the library's callback returns, for a request that is not answered by then. */
  keep(): void {
    void this.peer
  }
}

/** Everything that the front serves under a token lives here, in any spelling of the case. */
export const isApiPath = (path: string): boolean =>
  path.startsWith('/api/') || /^\/+api(\/|$)/i.test(path)

/**
 * Two lengths, or a coding that only some parsers understand, are how one request is smuggled
 * inside another; the socket library lets both pass.
 */
export function framingFault({ headers, repeated }: HttpRequest): string | undefined {
  if (repeated.has('content-length'))
    return '请求头 Content-Length 只能有一个 (more than one Content-Length)'
  if (repeated.has('transfer-encoding'))
    return '请求头 Transfer-Encoding 只能有一个 (more than one Transfer-Encoding)'
  const coding = headers.get('transfer-encoding')
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return 'Transfer-Encoding 只支持 chunked (Transfer-Encoding other than chunked)'
  }
  return repeated.has('host') ? '请求头 Host 只能有一个 (more than one Host)' : undefined
}

/** True when bytes follow the head. */
export function announcesBody({ headers }: HttpRequest): boolean {
  const length = headers.get('content-length')
  return headers.has('transfer-encoding') || (length !== undefined && length !== '0')
}
