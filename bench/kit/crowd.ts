import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Figures } from './figures.ts'
import type { Heard } from './sse.process.ts'

export const EVENTS_EVERY_MS = 100
const LISTEN_MS = 2_000
const CLIENTS_MAX = 2_000
const PATH = '/api/sse'

/**
 * Limits under which each of many clients is served, and hears of news ten times a second: those of a user let in
 * 64 with one token, look once a second and show a price for half a second, so that a bench of 1,000 would measure
 * refusals, and a fifth of its events.
 */
export const streaming = (): object => ({
  http: {
    sse_interval_ms: EVENTS_EVERY_MS,
    price_age_ms: 0,
    sse_clients_max: CLIENTS_MAX,
    sse_clients_per_token_max: CLIENTS_MAX,
    open_requests_max: 2 * CLIENTS_MAX,
  },
})

/** A process of its own, in which the clients are. Ends when it is disconnected. */
export const openCrowd = (): ChildProcess =>
  fork(new URL('./sse.process.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T]
  return message
}

/** A crowd comes, listens for a while and goes. The stream is served by this process. */
export async function listen(
  crowd: ChildProcess,
  { port, clients }: { readonly port: number; readonly clients: number },
): Promise<Figures> {
  const emptyBytes = process.memoryUsage.rss()
  crowd.send({ port, path: PATH, clients, ms: LISTEN_MS })
  await answerOf(crowd)
  const grownBytes = process.memoryUsage.rss() - emptyBytes
  const before = performance.eventLoopUtilization()
  crowd.send('listen')
  const { events, bytes, p99Ms } = await answerOf<Heard>(crowd)
  const busy = performance.eventLoopUtilization(before)
  return {
    eventUs: (busy.active / events) * 1_000,
    p99Ms,
    eventBytes: bytes / events,
    clientKb: Math.max(0, grownBytes) / clients / 1_024,
    share: events / (clients * (LISTEN_MS / EVENTS_EVERY_MS)),
  }
}
