import type { MessagePort } from 'node:worker_threads'
import { decode, encode } from '../protocol/codec.ts'
import type { ActorBoard } from './actor-board.ts'
import { ownCopy } from './port-bytes.ts'

export interface ChannelOptions<TIn> {
  readonly board: ActorBoard
  /** Slot of this end: its count falls when a message has been worked off. */
  readonly self: number
  /** Slot of the other end: its count rises with every message sent. */
  readonly peer: number
  /** The peer's {@link ActorBoard.generation} when the port was made; without it, the present one. */
  readonly peerGeneration?: number
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
  readonly #peerGeneration: number

  constructor(port: MessagePort, options: ChannelOptions<TIn>) {
    const { board, self, peer, receive } = options
    this.#port = port
    this.#board = board
    this.#peer = peer
    this.#peerGeneration = options.peerGeneration ?? board.generation(peer)
    const ownGeneration = board.generation(self)
    port.on('message', (bytes: Uint8Array) => {
      let isDone = false
      receive(decode<TIn>(bytes), () => {
        if (isDone) return
        isDone = true
        board.end(self, ownGeneration)
      })
    })
  }

  /** Dropped, and not counted, when the peer has died or been restarted since. */
  send(message: TOut): void {
    const bytes = ownCopy(encode(message))
    const handedOver = [bytes.buffer]
    // Nothing of ours runs between the two, so an actor that throws, exits or hangs never leaves a
    // message counted and not sent. Only one terminated while it sends can: the platform drops it.
    if (this.#board.begin(this.#peer, this.#peerGeneration)) {
      this.#port.postMessage(bytes, handedOver)
    }
  }

  close(): void {
    this.#port.close()
  }
}
