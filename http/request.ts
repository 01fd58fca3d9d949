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
}

/** Everything that the front serves under a token lives here, in any spelling of the case. */
export const isApiPath = (path: string): boolean => /^\/+api(\/|$)/i.test(path)

/**
 * Two lengths, or a coding that only some parsers understand, are how one request is smuggled
 * inside another; the socket library lets both pass.
 */
export function framingFault(request: HttpRequest): string | undefined {
  const coding = request.headers.get('transfer-encoding')
  if (request.repeated.has('content-length')) return 'more than one Content-Length'
  if (request.repeated.has('transfer-encoding')) return 'more than one Transfer-Encoding'
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return 'Transfer-Encoding other than chunked'
  }
  return request.repeated.has('host') ? 'more than one Host' : undefined
}

/** True when bytes follow the head. */
export function announcesBody({ headers }: HttpRequest): boolean {
  const length = headers.get('content-length')
  return headers.has('transfer-encoding') || (length !== undefined && length !== '0')
}
