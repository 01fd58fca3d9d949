import type { Socket } from 'node:net'
import type { Transport } from '../ports/transport.port.ts'
import { FrameReader, frame } from './frames.ts'

export interface SocketWireOptions {
  readonly frameBytesMax: number
  readonly bufferBytesMax: number
  /** Whether this end returns the signs of life of the other. */
  readonly echo: boolean
}

/** How long a closed connection may take to send what it still has. */
const LINGER_MS = 1_000
const SIGN_OF_LIFE = frame(new Uint8Array(0))

/**
 * Frames over a local socket or named pipe. The connection is closed when a frame is too long or
 * when the other side reads too slowly. What arrives before somebody listens waits in the socket.
 */
export class SocketWire implements Transport {
  readonly #socket: Socket
  readonly #options: SocketWireOptions
  readonly #reader: FrameReader
  readonly #closed: (() => void)[] = []
  #receive: ((bytes: Uint8Array) => void) | undefined
  #isClosed = false
  #hasHeard = false

  constructor(socket: Socket, options: SocketWireOptions) {
    this.#socket = socket
    this.#options = options
    this.#reader = new FrameReader(options.frameBytesMax)
    socket.on('data', (piece) => {
      this.#hasHeard = true
      this.#reader.push(piece)
      this.#drain()
    })
    socket.on('error', () => socket.destroy()) // 'close' follows
    socket.on('end', () => socket.destroy())
    socket.once('close', () => this.#end())
    socket.pause()
  }

  get bytesMax(): number {
    return this.#options.frameBytesMax
  }

  send(bytes: Uint8Array): void {
    if (bytes.length > this.#options.frameBytesMax) this.close()
    else this.#write(frame(bytes))
  }

  /** The other end returns it if it is alive. */
  sendSignOfLife(): void {
    this.#write(SIGN_OF_LIFE)
  }

  /** Whether anything arrived since this was last asked. */
  takeHeard(): boolean {
    const hasHeard = this.#hasHeard
    this.#hasHeard = false
    return hasHeard
  }

  onBytes(receive: (bytes: Uint8Array) => void): void {
    this.#receive = receive
    this.#drain()
  }

  /** One frame; the next ones wait for who asks next. Undefined when the connection ends first. */
  receiveOne(): Promise<Uint8Array | undefined> {
    return new Promise((resolve) => {
      this.onClose(() => resolve(undefined))
      this.onBytes((bytes) => {
        this.#receive = undefined
        resolve(bytes)
      })
    })
  }

  onClose(closed: () => void): void {
    if (this.#isClosed) closed()
    else this.#closed.push(closed)
  }

  /** What was sent still goes out; nothing is received any more. */
  close(): void {
    if (this.#isClosed) return
    this.#socket.end(() => this.#socket.destroy())
    const linger = setTimeout(() => this.#socket.destroy(), LINGER_MS)
    this.#socket.once('close', () => clearTimeout(linger))
    this.#end()
  }

  #write(framed: Uint8Array): void {
    if (this.#isClosed) return
    this.#socket.write(framed)
    if (this.#socket.writableLength <= this.#options.bufferBytesMax) return
    this.#socket.destroy()
    this.#end()
  }

  #drain(): void {
    try {
      while (this.#receive !== undefined && !this.#isClosed) {
        const bytes = this.#reader.next()
        if (bytes === undefined) break
        if (bytes.length > 0) this.#receive(bytes)
        else if (this.#options.echo) this.#write(SIGN_OF_LIFE)
      }
    } catch {
      // A frame that is too long or that nobody can read: the other side is not what it says it is.
      this.#socket.destroy()
    }
    if (this.#receive === undefined) this.#socket.pause()
    else this.#socket.resume()
  }

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const closed of this.#closed) closed()
  }
}
