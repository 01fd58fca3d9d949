/** An answer, finished except for the headers that every answer of a backend carries. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
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

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' } as const

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
export const headerValue = (value: string): string => value.replace(/[\r\n\0]+/g, ' ')

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

export const statusLine = (status: number): string => `${status} ${REASON.get(status) ?? 'Status'}`
