import type { IncomingMessage } from 'node:http'
import { nodeHttp } from '../../src/runtime/node-http.ts'
import type { FrontLimits } from '../desk/context.ts'
import type { AccountLink } from '../port/service.ts'

/** The switches that only a running direct-mode process knows. null = unknown, never invented. */
export interface RuntimeSwitches {
  readonly isMonitoring: boolean | null
  readonly simulationMode: boolean | null
  readonly positionMonitorRunning: boolean | null
}

export const UNKNOWN_SWITCHES: RuntimeSwitches = {
  isMonitoring: null,
  simulationMode: null,
  positionMonitorRunning: null,
}

export interface ProbeOptions {
  /** Port of the account's direct mode; undefined = none is known, so nothing is asked. */
  readonly portOf: (link: AccountLink) => number | undefined
  /** Address that direct mode listens on: another program may have the same port of another address. */
  readonly host: string
  /** Sent as `X-API-Token`; empty = none. */
  readonly token: string
  readonly limits: Pick<
    FrontLimits,
    'probeTimeoutMs' | 'probeCacheMs' | 'probeBytesMax' | 'probeAccountsMax'
  >
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number
}

interface Known {
  readonly switches: Promise<RuntimeSwitches>
  readonly atMs: number
}

/**
 * Asks the direct-mode process of an account for its runtime switches. One question at a time for
 * an account, and its outcome, failure included, serves all askers until it is old.
 */
export class Probe {
  readonly #options: ProbeOptions
  readonly #known = new Map<string, Known>()

  constructor(options: ProbeOptions) {
    this.#options = options
  }

  /** Never rejects: whatever goes wrong is unknown. */
  switchesOf(link: AccountLink): Promise<RuntimeSwitches> {
    const { portOf, limits } = this.#options
    const port = link.configIndex === undefined ? undefined : portOf(link)
    if (port === undefined) return Promise.resolve(UNKNOWN_SWITCHES)
    const nowMs = this.#options.nowMs?.() ?? performance.now()
    const known = this.#known.get(link.accountId)
    if (known !== undefined && nowMs - known.atMs < limits.probeCacheMs) return known.switches
    const switches = this.#ask(link.accountId, port).catch(() => UNKNOWN_SWITCHES)
    this.#known.delete(link.accountId)
    this.#known.set(link.accountId, { switches, atMs: nowMs })
    const oldest = this.#known.keys().next().value
    if (this.#known.size > limits.probeAccountsMax && oldest !== undefined) {
      this.#known.delete(oldest)
    }
    return switches
  }

  async #ask(accountId: string, port: number): Promise<RuntimeSwitches> {
    const { host, token, limits } = this.#options
    const signal = AbortSignal.timeout(limits.probeTimeoutMs)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // One host, no redirects, no pooled connection: the token goes to this port and nowhere else.
      const request = nodeHttp().request(
        {
          host,
          port,
          path: '/api/status',
          agent: false,
          signal,
          // The port may serve another account by now, whose switches are none of this one's.
          headers: { 'X-Page-Account': accountId, ...(token !== '' && { 'X-API-Token': token }) },
        },
        resolve,
      )
      request.on('error', reject)
      request.end()
    })
    if (response.statusCode !== 200) {
      response.destroy()
      return UNKNOWN_SWITCHES
    }
    return switchesIn(JSON.parse(await readText(response, limits.probeBytesMax)))
  }
}

async function readText(response: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new RangeError('the answer is too long') // ends the connection
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function switchesIn(body: unknown): RuntimeSwitches {
  const top = objectOrEmpty(body)
  if (top['status'] !== 'success') return UNKNOWN_SWITCHES
  const settings = objectOrEmpty(top['settings'])
  return {
    isMonitoring: booleanOrNull(settings['isMonitoring'] ?? top['isMonitoring']),
    simulationMode: booleanOrNull(settings['simulationMode']),
    positionMonitorRunning: booleanOrNull(settings['positionMonitorRunning']),
  }
}

export const objectOrEmpty = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

const booleanOrNull = (value: unknown): boolean | null =>
  typeof value === 'boolean' ? value : null
