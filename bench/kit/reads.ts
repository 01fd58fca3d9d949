import type { Bare } from '../baseline/uws.ts'
import type { Load } from './load.ts'
import { account, newFolder, removeFolder, serve, settings, untilTrusted } from './service.ts'

export const POSITIONS = 100
export const CONNECTIONS = 32
export const QUOTES_EVERY_MS = 100
export const READ_PATH = '/api/positions-all'
/** How many accounts the connections of a round are spread over, round by round of the bench. */
export const ACCOUNT_COUNTS = [1, 8, 32] as const
const ROUND_MS = 400
/** Threads that have just started compile what they run and collect what their start has left; that is not what is measured. */
const WARM_UP_MS = 4_000

/** What every round asks of the listeners at these ports. */
export const readJob = (ports: readonly number[], isRevalidating = false) =>
  ({
    ports,
    connections: CONNECTIONS,
    method: 'GET',
    path: READ_PATH,
    ms: ROUND_MS,
    isRevalidating,
  }) as const

/** Written by the library itself, or different with each answer. */
const OWN_HEADERS = new Set(['content-length', 'date', 'uwebsockets', 'connection', 'keep-alive'])

/** One real answer, so that a baseline sends the same bytes under the same headers. */
export async function answerOf(port: number, tag?: string) {
  const condition = tag === undefined ? {} : { 'If-None-Match': tag }
  const response = await fetch(`http://127.0.0.1:${port}${READ_PATH}`, { headers: condition })
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name))
  const body = new Uint8Array(await response.arrayBuffer())
  if (response.status === 200) {
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: readonly object[] }
    if (data.length !== POSITIONS) throw new Error(`${data.length} positions were answered`)
  }
  return { status: response.status, body, headers: Object.fromEntries(headers) }
}

/** Runs until the threads of all accounts have answered for a while. */
export async function warmUp(load: Load, ports: readonly number[]): Promise<void> {
  await load.run({ ...readJob(ports), ms: WARM_UP_MS })
}

export interface Readers {
  /** One listener an account. */
  readonly directPorts: readonly number[]
  /** How often the bytes of an account can become others while everybody asks for them. */
  readonly changesEveryMs: number
  close(): Promise<void>
}

/** Accounts with 100 positions each, all of whose prices move ten times a second. */
export async function serveReaders(accounts: number): Promise<Readers> {
  const folder = newFolder()
  const list = Array.from({ length: accounts }, (_, index) => account(index, POSITIONS))
  const market = { source: 'simulated', interval_ms: QUOTES_EVERY_MS }
  const served = await serve(folder, settings(folder, list, { market }))
  const { service, directPorts, config } = served
  await untilTrusted(served)
  return {
    directPorts,
    changesEveryMs: Math.max(QUOTES_EVERY_MS, config.limits.http.price_age_ms),
    close: async () => {
      await service.stop()
      removeFolder(folder)
    },
  }
}

/**
 * A bare server for each of these listeners, which has what that one answers: as many different bytes from as many
 * places of the memory. One body for all would lie in the nearest cache, where those of 32 accounts have no room.
 */
export async function bareFor<T>(
  ports: readonly number[],
  answerOfPort: (port: number) => Promise<T>,
  serveBare: (answer: T) => Promise<Bare>,
): Promise<{ readonly ports: readonly number[]; close(): void }> {
  const servers: Bare[] = []
  for (const port of ports) servers.push(await serveBare(await answerOfPort(port)))
  return {
    ports: servers.map(({ port }) => port),
    close: () => {
      for (const server of servers) server.close()
    },
  }
}

export const accountsText = (accounts: number): string =>
  accounts === 1 ? '1 account' : `${accounts} accounts`
