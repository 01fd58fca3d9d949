import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Figures } from './figures.ts'

/** One stretch of load on one or more ports, given to the load process. */
export interface Job {
  /** Connections are spread evenly over them. */
  readonly ports: readonly number[]
  readonly connections: number
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** `{n}` in it is replaced by the number of the request. */
  readonly body?: string
  /** Number of the first request; 1 when absent. */
  readonly firstNumber?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Each connection sends back the `ETag` of its last answer as `If-None-Match`. */
  readonly isRevalidating?: boolean
  /** Ends after so long, or after so many requests, whichever comes first. */
  readonly ms: number
  readonly requests?: number
  /** Each connection waits so long between an answer and its next request; 0 = does not wait. */
  readonly paceMs?: number
  /** The time of each answer is told, for figures over several jobs. Only for short jobs. */
  readonly tellsTimes?: boolean
}

/** What the load process saw. */
export interface Tally {
  readonly requests: number
  readonly seconds: number
  readonly p50Us: number
  readonly p99Us: number
  /** Answers of status 304. */
  readonly unchanged: number
  /** Answers outside 200–299 and 304, and connections that broke. */
  readonly bad: number
  /** Ascending, microseconds; empty unless they were to be told. */
  readonly timesUs: readonly number[]
}

/** A process with raw keep-alive sockets: one request in flight on each, no pipelining. */
export class Load {
  readonly #process = fork(new URL('./load.process.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })

  /** Throws when an answer was bad. */
  async tally(job: Job): Promise<Tally> {
    this.#process.send(job)
    const [tally] = (await once(this.#process, 'message')) as [Tally]
    if (tally.bad > 0) throw new Error(`${tally.bad} bad answers to ${job.method} ${job.path}`)
    return tally
  }

  /** Throws when an answer was bad. */
  async run(job: Job): Promise<Figures> {
    const tally = await this.tally(job)
    const { requests, seconds, p50Us, p99Us, unchanged } = tally
    return { perSecond: requests / seconds, p50Us, p99Us, requests, unchanged }
  }

  async close(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.disconnect()
    await exited
  }
}
