import type { RawResponse } from '../../http/exchange.ts'
import type { RawRequest } from '../../http/request.ts'

/** What is asked without a socket, so that the peer can be anybody. */
export interface Asking {
  readonly method: string
  readonly path: string
  /** Without the question mark. */
  readonly query?: string
  readonly peer: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Told {
  readonly status: number
  readonly text: string
  /** Whether the connection ends with the answer. */
  readonly isEnd: boolean
}

interface Server {
  serve(raw: RawResponse, request: RawRequest): void
}

const bytesOf = (text: string): ArrayBuffer => {
  const { buffer, byteOffset, byteLength } = Buffer.from(text)
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}

/** Asks a front as the socket library would; of a stream, its head. */
export async function asked(front: Server, { body, ...asking }: Asking): Promise<Told> {
  const raw = new FakeRaw(asking.peer)
  const headers: Record<string, string> = { host: 'localhost' }
  if (body !== undefined) {
    headers['content-length'] = String(Buffer.byteLength(body))
    headers['content-type'] = 'application/json'
  }
  Object.assign(headers, asking.headers)
  front.serve(raw, {
    getUrl: () => asking.path,
    getQuery: () => asking.query,
    getCaseSensitiveMethod: () => asking.method,
    forEach: (each) => {
      for (const [name, value] of Object.entries(headers)) each(name, value)
    },
  })
  if (body !== undefined) raw.receive(bytesOf(body), true)
  const told = await raw.told
  raw.aborted()
  return told
}

class FakeRaw implements RawResponse {
  readonly #told = Promise.withResolvers<Told>()
  readonly told = this.#told.promise
  readonly #peer: ArrayBuffer
  #status = 0
  aborted: () => void = () => {}
  receive: (chunk: ArrayBuffer, isLast: boolean) => void = () => {}

  constructor(peer: string) {
    this.#peer = bytesOf(peer)
  }
  getRemoteAddressAsText(): ArrayBuffer {
    return this.#peer
  }
  writeStatus(status: string | Uint8Array): void {
    const [head = '', body = ''] = Buffer.from(status).toString('utf8').split('\r\n\r\n')
    this.#status = Number(head.slice(0, 3))
    if (head.includes('\r\nConnection: close')) this.end(body, true) // all of it at once
  }
  end(body: string | Uint8Array = '', isEnd = false): void {
    const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
    this.aborted = () => {}
    this.#told.resolve({ status: this.#status, text, isEnd })
  }
  endWithoutBody(_length?: number, isEnd = false): void {
    this.end('', isEnd)
  }
  write(text: string): boolean {
    this.#told.resolve({ status: this.#status, text, isEnd: false })
    return true
  }
  onAborted(aborted: () => void): void {
    this.aborted = aborted
  }
  onData(receive: (chunk: ArrayBuffer, isLast: boolean) => void): void {
    this.receive = receive
  }
  onWritable(): void {}
  cork(write: () => void): void {
    write()
  }
  close(): void {
    this.aborted()
  }
}
