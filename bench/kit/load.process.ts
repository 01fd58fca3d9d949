import { connect, type Socket } from 'node:net'
import { quantile } from './figures.ts'
import type { Job, Tally } from './load.ts'

const HOST = '127.0.0.1'
const SAMPLES_MAX = 1_000_000
const READ_BYTES = 65_536
const samples = new Float64Array(SAMPLES_MAX)

/** All connections of one job. */
class Run {
  readonly #job: Job
  readonly #head: string
  readonly #startMs = performance.now()
  #sent = 0
  #answered = 0
  #unchanged = 0
  #bad = 0

  constructor(job: Job) {
    this.#job = job
    const headers = Object.entries({
      Host: HOST,
      ...job.headers,
      ...(job.body !== undefined && { 'Content-Type': 'application/json' }),
    })
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    this.#head = `${job.method} ${job.path} HTTP/1.1\r\n${lines}`
  }

  #requestText(number: number, tag: string): string {
    const { body } = this.#job
    const condition = tag === '' ? '' : `If-None-Match: ${tag}\r\n`
    if (body === undefined) return `${this.#head}${condition}\r\n`
    const text = body.replaceAll('{n}', String(number))
    return `${this.#head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }

  async tally(): Promise<Tally> {
    const { connections, ports } = this.#job
    await Promise.all(
      Array.from({ length: connections }, (_, at) => this.#converse(ports[at % ports.length] ?? 0)),
    )
    const seconds = (performance.now() - this.#startMs) / 1_000
    const kept = samples.subarray(0, Math.min(this.#answered, SAMPLES_MAX)).sort()
    if (kept.length === 0) {
      const nothing = { requests: 0, p50Us: 0, p99Us: 0, unchanged: 0, timesUs: [] }
      return { ...nothing, seconds, bad: this.#bad + 1 }
    }
    const [p50Us, p99Us] = [quantile(kept, 0.5), quantile(kept, 0.99)]
    return {
      requests: this.#answered,
      seconds,
      p50Us,
      p99Us,
      unchanged: this.#unchanged,
      bad: this.#bad,
      timesUs: this.#job.tellsTimes === true ? [...kept] : [],
    }
  }

  /** A bad answer ends the job: its figures would mean nothing. */
  get #isOver(): boolean {
    const { ms, requests = Number.POSITIVE_INFINITY } = this.#job
    if (this.#bad > 0) return true
    return this.#sent >= requests || performance.now() - this.#startMs >= ms
  }

  /** Request and answer in turn until the job is over; resolves when the connection is closed. */
  #converse(port: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { paceMs = 0, firstNumber = 1, isRevalidating = false } = this.#job
    let tag = ''
    let sentMs = 0
    const next = (): void => {
      if (this.#isOver) {
        socket.end()
        return
      }
      const request = this.#requestText(firstNumber + this.#sent++, tag)
      sentMs = performance.now()
      socket.write(request)
    }
    const answers = new Answers(({ status, etag }) => {
      if (isRevalidating) tag = etag
      if (this.#answered < SAMPLES_MAX) {
        samples[this.#answered] = (performance.now() - sentMs) * 1_000
      }
      this.#answered++
      if (status === 304) this.#unchanged++
      else if (status < 200 || status > 299) this.#bad++
      if (paceMs === 0) next()
      else setTimeout(next, paceMs)
    })
    const socket: Socket = connect({
      host: HOST,
      port,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (bytes, buffer) => {
          answers.take(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
          return true
        },
      },
    })
    socket.once('connect', next)
    socket.once('error', () => {
      this.#bad++
    })
    socket.once('close', () => resolve())
    return promise
  }
}

interface Answer {
  readonly status: number
  /** Empty when the answer has none. */
  readonly etag: string
}

/** Finds the ends of answers that carry a `Content-Length`. */
class Answers {
  readonly #ended: (answer: Answer) => void
  #head: Buffer | undefined
  #answer: Answer = { status: 0, etag: '' }
  /** Bytes of the body that are still to come; -1 while a head is awaited. */
  #left = -1

  constructor(ended: (answer: Answer) => void) {
    this.#ended = ended
  }

  take(chunk: Buffer): void {
    if (this.#left >= 0) {
      this.#advance(chunk.length)
      return
    }
    const bytes = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk])
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0) {
      this.#head = Buffer.from(bytes) // the chunk's memory is used again
      return
    }
    this.#head = undefined
    const head = bytes.toString('latin1', 0, end)
    const etag = /\r\netag: *([^\r]+)/i.exec(head)?.[1] ?? ''
    this.#answer = { status: Number(head.slice(9, 12)), etag }
    this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    this.#advance(bytes.length - end - 4)
  }

  #advance(bytes: number): void {
    this.#left -= bytes
    if (this.#left > 0) return
    this.#left = -1
    this.#ended(this.#answer)
  }
}

process.on('message', (job: Job) => {
  void new Run(job).tally().then((tally) => process.send?.(tally))
})
// Whoever asked is gone, perhaps in the middle of a job.
process.once('disconnect', () => process.exit(0))
