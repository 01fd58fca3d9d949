import type { MessagePort } from 'node:worker_threads'
import { decode, encode } from '../protocol/codec.ts'
import type { ActorBoard } from './actor-board.ts'
import { atMicrotaskEnd, ownCopy } from './posting.ts'

export interface ChannelOptions<TIn> {
  readonly board: ActorBoard
  /** Slot of this end: its count falls when a message has been worked off. */
  readonly self: number
  /** Slot of the other end: its count rises with every message sent. */
  readonly peer: number
  /** The peer's {@link ActorBoard.generation} when the port was made; without it, the present one. */
  readonly peerGeneration?: number
  /** What is sent in one turn of the event loop travels together; otherwise each message leaves at once. */
  readonly isBatched?: boolean
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
  readonly #self: number
  readonly #ownGeneration: number
  readonly #peer: number
  readonly #peerGeneration: number
  readonly #isBatched: boolean
  #outbox: TOut[] = []

  constructor(port: MessagePort, options: ChannelOptions<TIn>) {
    const { board, self, peer, receive } = options
    this.#port = port
    this.#board = board
    this.#self = self
    this.#ownGeneration = board.generation(self)
    this.#peer = peer
    this.#peerGeneration = options.peerGeneration ?? board.generation(peer)
    this.#isBatched = options.isBatched ?? false
    port.on('message', (bytes: Uint8Array) => {
      const messages = decode<readonly TIn[]>(bytes)
      let left = messages.length
      const doneOne = (): void => {
        left -= 1
        if (left === 0) board.end(self, this.#ownGeneration)
      }
      for (const message of messages) receive(message, once(doneOne))
    })
  }

  /** Dropped, and not counted, when the peer has died or been restarted since. */
  send(message: TOut): void {
    if (!this.#isBatched) {
      this.#post([message])
      return
    }
    if (this.#outbox.push(message) > 1) return
    // Until it is posted it counts as work of the sender, whose count is forgotten when it dies.
    this.#board.begin(this.#self, this.#ownGeneration)
    atMicrotaskEnd(() => this.#flush())
  }

  close(): void {
    this.#flush()
    this.#port.close()
  }

  #flush(): void {
    const messages = this.#outbox
    if (messages.length === 0) return
    this.#outbox = []
    this.#post(messages)
    this.#board.end(this.#self, this.#ownGeneration)
  }

  #post(messages: readonly TOut[]): void {
    const bytes = ownCopy(encode(messages))
    const handedOver = [bytes.buffer]
    // Nothing of ours runs between the two, so an actor that throws, exits or hangs never leaves a
    // message counted and not sent. Only one terminated while it sends can: the platform drops it.
    if (this.#board.begin(this.#peer, this.#peerGeneration)) {
      this.#port.postMessage(bytes, handedOver)
    }
  }
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}
