/** An answer, finished except for the headers that every answer of a backend carries. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Told once whether it was handed to the system, or nobody was there any more. */
  readonly delivered?: (isDelivered: boolean) => void
}

/** An answer that stays open: the route takes the stream and writes to it until it ends. */
export interface StreamReply {
  readonly status: 200
  readonly headers: Readonly<Record<string, string>>
  readonly stream: (stream: EventStream) => void
}

/** The write side of an open answer. All calls after the end are ignored. */
export interface EventStream {
  /** False: the client is behind; nothing should be written before it has caught up. */
  write(text: string): boolean
  onDrain(drained: () => void): void
  onClose(closed: () => void): void
  /** Ends the answer; `force` drops what the client has not read. */
  end(force?: boolean): void
}

/** What an answer needs of the socket library's response. */
export interface RawAnswer {
  writeStatus(status: string | Uint8Array): unknown
  end(body?: string | Uint8Array, closeConnection?: boolean): unknown
  endWithoutBody(length?: number, closeConnection?: boolean): unknown
}

export const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' } as const

/** JSON text or bytes that are finished already. */
export const jsonBytes = (
  status: number,
  body: string | Uint8Array,
  headers?: Readonly<Record<string, string>>,
): Reply => ({ status, headers: { ...JSON_TYPE, ...headers }, body })

export const json = (
  status: number,
  value: object,
  headers?: Readonly<Record<string, string>>,
): Reply => jsonBytes(status, JSON.stringify(value), headers)

/** Line ends in a value would start a header of the sender's choice, so they never reach the wire. */
export const headerValue = (value: string): string =>
  value.includes('\n') || value.includes('\r') || value.includes('\0')
    ? value.replace(/[\r\n\0]+/g, ' ')
    : value

const REASON: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [204, 'No Content'],
  [304, 'Not Modified'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [409, 'Conflict'],
  [413, 'Content Too Large'],
  [415, 'Unsupported Media Type'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
])

const STATUS_LINES: ReadonlyMap<number, string> = new Map(
  [...REASON].map(([status, reason]) => [status, `${status} ${reason}`]),
)
const statusLine = (status: number): string => STATUS_LINES.get(status) ?? `${status} Status`

const bytesOf = ({ body }: Reply): Uint8Array =>
  typeof body === 'string' ? Buffer.from(body) : body

type Common = Readonly<Record<string, string>>
/** Statuses that never have a body, not even an empty one with a length. */
const isBodyless = (status: number): boolean => status === 304 || status === 204

/** Whether anything follows the head. */
export const sendsBody = ({ method }: { readonly method: string }, reply: Reply): boolean =>
  method !== 'HEAD' && !isBodyless(reply.status) && reply.body.length > 0

/**
 * Status and headers; a header of the reply stands in for the common one of its name, except that what it varies
 * with comes on top. Corked, or in the
 * library's own callback. All of it is one write: each costs as much as the text in it.
 */
export function writeHead(
  raw: RawAnswer,
  request: { readonly id: string },
  reply: Pick<Reply, 'status' | 'headers'>,
  common: Common,
): void {
  raw.writeStatus(headText(request, reply, common))
}

function headText(
  { id }: { readonly id: string },
  { status, headers }: Pick<Reply, 'status' | 'headers'>,
  common: Common,
): string {
  let head = `${statusLine(status)}\r\nX-Request-Id: ${id}`
  for (const name in common) {
    if (headers?.[name] === undefined) head += `\r\n${name}: ${common[name]}`
  }
  const { Vary: alwaysVaries } = common
  for (const name in headers) {
    head += `\r\n${name}: `
    if (name === 'Vary' && alwaysVaries !== undefined) head += `${alwaysVaries}, `
    head += headerValue(headers[name] as string)
  }
  return head
}

/**
 * The whole answer as the library's status line: for one that must be sent while the request is not
 * at its end, and after which the connection is closed. The library ends what it takes for a line
 * with a line end, which here is the last of the body.
 */
export function writeWhole(
  raw: RawAnswer,
  { id, method }: { readonly id: string; readonly method: string },
  reply: Reply,
  common: Common,
): void {
  const head = `${headText({ id }, reply, common)}\r\nConnection: close\r\n`
  if (isBodyless(reply.status)) {
    raw.writeStatus(head)
    return
  }
  const length = `Content-Length: ${Buffer.byteLength(reply.body) + 2}\r\n`
  if (method === 'HEAD') raw.writeStatus(head + length)
  else raw.writeStatus(Buffer.concat([Buffer.from(`${head}${length}\r\n`), bytesOf(reply)]))
}

/** The whole answer, where {@link writeHead} may be written. */
export function writeReply(
  raw: RawAnswer,
  request: { readonly id: string; readonly method: string },
  reply: Reply,
  common: Common,
  isToClose: boolean,
): void {
  const isHead = request.method === 'HEAD' && !isBodyless(reply.status)
  if (isHead && !isToClose) {
    // A length that the library is told of it waits for, and the connection with it.
    const length = `Content-Length: ${Buffer.byteLength(reply.body)}`
    raw.writeStatus(`${headText(request, reply, common)}\r\n${length}`)
    raw.endWithoutBody()
    return
  }
  writeHead(raw, request, reply, common)
  if (isBodyless(reply.status)) {
    // The library takes a length that is undefined, but given, for one of 2⁶³ bytes.
    if (isToClose) raw.endWithoutBody(0, true)
    else raw.endWithoutBody()
  } else if (isHead) {
    raw.endWithoutBody(Buffer.byteLength(reply.body), true)
  } else raw.end(reply.body, isToClose)
}
