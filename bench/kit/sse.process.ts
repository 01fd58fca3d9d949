import { connect, type Socket } from 'node:net'
import { quantile } from './figures.ts'

/** One stretch of listening. */
export interface Listening {
  readonly port: number
  readonly path: string
  readonly clients: number
  /** After all have connected. */
  readonly ms: number
}

export interface Heard {
  readonly events: number
  readonly bytes: number
  /** How much later than the first client the others heard of the same event, 99 of 100. */
  readonly p99Ms: number
}

const EVENT_ID = /^id: (\S+)/gm
const CONNECT_EVERY = 50

class Crowd {
  readonly #listening: Listening
  readonly #firstMs = new Map<string, number>()
  readonly #delays: number[] = []
  readonly #sockets: Socket[] = []
  #isCounting = false
  #bytes = 0

  constructor(listening: Listening) {
    this.#listening = listening
  }

  async connect(): Promise<void> {
    const { clients } = this.#listening
    for (let at = 0; at < clients; at += CONNECT_EVERY) {
      const some = Math.min(CONNECT_EVERY, clients - at)
      await Promise.all(Array.from({ length: some }, () => this.#join()))
    }
  }

  async listen(): Promise<Heard> {
    this.#isCounting = true
    await new Promise((resolve) => setTimeout(resolve, this.#listening.ms))
    this.#isCounting = false
    for (const socket of this.#sockets) socket.destroy()
    const delays = this.#delays.sort((a, b) => a - b)
    if (delays.length === 0) throw new Error('no event was heard')
    return { events: delays.length, bytes: this.#bytes, p99Ms: quantile(delays, 0.99) }
  }

  /** Resolves at the first bytes. */
  #join(): Promise<void> {
    const { port, path } = this.#listening
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () =>
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`,
        ),
      )
      this.#sockets.push(socket)
      socket.on('data', (chunk) => {
        resolve()
        if (this.#isCounting) this.#hear(chunk)
      })
      socket.once('error', reject)
    })
  }

  #hear(chunk: Buffer): void {
    const nowMs = performance.now()
    this.#bytes += chunk.length
    for (const [, id = ''] of chunk.toString('latin1').matchAll(EVENT_ID)) {
      const first = this.#firstMs.get(id)
      if (first === undefined) this.#firstMs.set(id, nowMs)
      this.#delays.push(nowMs - (first ?? nowMs))
    }
  }
}

let crowd: Crowd | undefined

/** First everybody connects, which is answered; then, when told, everybody listens. */
process.on('message', (message: Listening | 'listen') => {
  if (message !== 'listen') {
    crowd = new Crowd(message)
    void crowd.connect().then(() => process.send?.('connected'))
  } else void crowd?.listen().then((heard) => process.send?.(heard))
})
process.once('disconnect', () => process.exit(0))
