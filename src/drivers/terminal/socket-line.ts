import { createConnection } from 'node:net'
import { FrameReader, frame } from '../../cluster/frames.ts'
import { decode, encode } from '../../protocol/codec.ts'
import { isMessage, type LineEnd, type OpenLine, type SidecarLine } from './line.ts'

export interface SocketLineOptions {
  readonly host: string
  readonly port: number
  readonly frameBytesMax: number
}

/** Frames over TCP: a length, then a map in msgpack. */
export const socketLine =
  (options: SocketLineOptions): OpenLine =>
  (end) =>
    open(options, end)

function open({ host, port, frameBytesMax }: SocketLineOptions, end: LineEnd): SidecarLine {
  const reader = new FrameReader(frameBytesMax)
  const socket = createConnection({ host, port, noDelay: true })
  let heardMs = performance.now()
  let isClosed = false
  const close = () => {
    isClosed = true
    socket.destroy()
  }
  const lose = (reason: string) => {
    if (isClosed) return
    close()
    end.closed(reason)
  }
  const read = (piece: Uint8Array) => {
    heardMs = performance.now()
    reader.push(piece)
    try {
      for (let bytes = reader.next(); bytes && !isClosed; bytes = reader.next()) {
        end.message(messageIn(bytes))
      }
    } catch (error) {
      lose(`not a frame of a sidecar: ${error instanceof Error ? error.message : error}`)
    }
  }
  socket.on('data', read)
  socket.on('error', (error) => lose(error.message))
  socket.on('close', () => lose('the sidecar closed the connection'))
  return {
    send: (message) => void socket.write(frame(encode(message))),
    get heardMs() {
      return heardMs
    },
    close,
  }
}

function messageIn(bytes: Uint8Array): object {
  const message = decode<unknown>(bytes)
  if (!isMessage(message)) throw new Error('not a map')
  return message
}
