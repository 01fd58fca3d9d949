import type { MessagePort } from 'node:worker_threads'
import { decode, encode } from '../protocol/codec.ts'
import type { ActorBoard } from './actor-board.ts'

export interface ChannelOptions<TIn> {
  readonly board: ActorBoard
  /** Slot of this end: its count falls when a message has been worked off. */
  readonly self: number
  /** Slot of the other end: its count rises with every message sent. */
  readonly peer: number
  /** Call `done` once all that follows from the message has been sent on. */
  readonly receive: (message: TIn, done: () => void) => void
}

/**
 * Tells between two actors, in order, counted on the actor board from send to done. It is what
 * trading events travel on, so that an exact replay knows when everybody has finished.
 */
export class Channel<TOut, TIn> {
  readonly #port: MessagePort
  readonly #board: ActorBoard
  readonly #peer: number

  constructor(port: MessagePort, { board, self, peer, receive }: ChannelOptions<TIn>) {
    this.#port = port
    this.#board = board
    this.#peer = peer
    port.on('message', (bytes: Uint8Array) => {
      let isDone = false
      receive(decode<TIn>(bytes), () => {
        if (isDone) return
        isDone = true
        board.end(self)
      })
    })
  }

  send(message: TOut): void {
    this.#board.begin(this.#peer)
    this.#port.postMessage(encode(message))
  }

  close(): void {
    this.#port.close()
  }
}
