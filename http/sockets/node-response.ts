import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RawResponse } from './exchange.ts'

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer

/** An address as the socket library gives it. */
export const addressBytes = (address: string): ArrayBuffer =>
  bytesOf(Buffer.from(address, 'latin1'))

const NO_BYTES = new ArrayBuffer(0)
const CLOSE = 'Connection: close'

/** An answer through Node's own HTTP server, to be written as one through the socket library is. */
export class NodeResponse implements RawResponse {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #address: ArrayBuffer
  /** Status and headers, until they are sent with what follows. */
  #head = ''
  #isEnded = false

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request
    this.#response = response
    this.#address = addressBytes(request.socket.remoteAddress ?? '')
    request.on('error', () => {}) // of both "close" tells
    response.on('error', () => {})
  }

  getRemoteAddressAsText(): ArrayBuffer {
    return this.#address
  }

  onAborted(aborted: () => void): void {
    this.#response.once('close', () => {
      if (!this.#isEnded) aborted()
    })
  }

  onData(receive: (chunk: ArrayBuffer, isLast: boolean) => void): void {
    this.#request.on('data', (chunk: Buffer) => receive(bytesOf(chunk), false))
    this.#request.on('end', () => receive(NO_BYTES, true))
  }

  onWritable(drained: (offset: number) => boolean): void {
    this.#response.on('drain', () => drained(0))
  }

  cork(write: () => void): void {
    write()
  }

  /** Sent with what follows; what is a whole answer (`writeWhole`) is sent at once and does not end the request. */
  writeStatus(status: string | Uint8Array): void {
    const isWhole = typeof status !== 'string' || status.endsWith('\r\n')
    if (!isWhole) {
      this.#head = status
      return
    }
    const text = Buffer.from(status)
    const headEnd = text.indexOf('\r\n\r\n')
    this.#head = text.toString('latin1', 0, headEnd < 0 ? text.length - 2 : headEnd)
    this.#sendHead()
    if (headEnd < 0) this.#response.flushHeaders()
    else this.#response.write(Buffer.concat([text.subarray(headEnd + 4), Buffer.from('\r\n')]))
  }

  write(chunk: string): boolean {
    this.#sendHead()
    return this.#response.write(chunk)
  }

  end(body: string | Uint8Array = '', closeConnection = false): void {
    // A copy: bytes of an account may lie in memory that is shared between threads.
    const bytes = Buffer.from(body)
    this.#sendHead(`Content-Length: ${bytes.length}`, ...(closeConnection ? [CLOSE] : []))
    this.#isEnded = true
    this.#response.end(bytes)
  }

  endWithoutBody(length?: number, closeConnection = false): void {
    const isHead = this.#request.method === 'HEAD'
    const told = length === undefined || !isHead ? [] : [`Content-Length: ${length}`]
    this.#sendHead(...told, ...(closeConnection ? [CLOSE] : []))
    this.#isEnded = true
    this.#response.end()
  }

  close(): void {
    this.#response.destroy()
  }

  #sendHead(...more: readonly string[]): void {
    if (this.#response.headersSent) return
    const [line = '', ...lines] = this.#head.split('\r\n')
    const headers = [...lines, ...more].flatMap((text) => {
      const colon = text.indexOf(':')
      return [text.slice(0, colon), text.slice(colon + 1).trim()]
    })
    this.#response.writeHead(Number(line.slice(0, 3)), line.slice(4), headers)
  }
}
