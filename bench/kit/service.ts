import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountLink } from '../../http/port/service.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Config } from '../../src/config/schema.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { type RunningService, startService } from '../../src/service/service.ts'
import { useShipped } from './shipped.ts'

/** `600000` and the codes that follow it. */
export const codeAt = (index: number): string => String(600_000 + index)
export const accountAt = (index: number): string => String(10_000_001 + index)
/** A cost price, in yuan, that is a whole number of cents. */
export const costAt = (index: number): number => 20 + (index % 40)

/** Holdings are of an earlier day, as nearly all are: what was bought today cannot be sold today. */
const HELD_SINCE = '2026-01-05'

/** 1,000 shares of a code, as the configuration has them. */
const holding = (at: number, isOfToday = false): object => ({
  stock_code: codeAt(at),
  volume: 1_000,
  cost_price: costAt(at),
  ...(!isOfToday && { open_date: HELD_SINCE }),
})

export interface Held {
  /** Of the codes that it holds. */
  readonly codes: readonly number[]
  /** Yuan. */
  readonly cash?: number
  /** The embedded trading client answers so late. */
  readonly latencyMs?: number
  /** Bought today: each new high is looked at at once, where others wait for company. */
  readonly isOfToday?: boolean
}

/** An account that holds these. */
export const accountOf = (
  index: number,
  { codes, cash = 1e9, latencyMs, isOfToday }: Held,
): object => ({
  account_id: accountAt(index),
  qmt_path: 'C:/qmt/userdata_mini',
  paper: {
    cash,
    positions: codes.map((at) => holding(at, isOfToday)),
    ...(latencyMs !== undefined && { latency_ms: latencyMs }),
  },
})

/** The numbers from one on, so many. */
export const range = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => first + at)

/** An account with so many holdings and more cash than a bench can spend. */
export const account = (index: number, positions: number): object => ({
  account_id: accountAt(index),
  qmt_path: 'C:/qmt/userdata_mini',
  paper: {
    cash: 1e11,
    positions: range(0, positions).map((at) => ({ ...holding(at), stock_name: `测试${at}` })),
  },
})

/**
 * What a user has, but for what would keep a bench from asking as fast as it can: the protections by which people
 * limit themselves (`rate_limit`, `risk`) are off, the ports are free ones, and only errors are printed, since
 * standard output is the table's (no path that is measured writes a line that is not an error). Every limit is the
 * default one, so a bench that comes near one meets what a user would meet.
 */
export const settings = (
  folder: string,
  accounts: readonly object[],
  overrides: object = {},
): object => ({
  data_dir: join(folder, 'data'),
  accounts,
  market: { source: 'simulated', interval_ms: 100 },
  direct: { base_port: 0 },
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
  log: { level: 'error' },
  risk: { max_orders_per_second: 0, max_orders_per_day: 0 },
  ...overrides,
})

/** A folder of this run, removed by {@link removeFolder}. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'steward-bench-'))
export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })

/** Writes the configuration file and returns its path. */
export function writeConfig(folder: string, config: object): string {
  const file = join(folder, 'steward.config.json')
  writeFileSync(file, JSON.stringify(config))
  return file
}

export interface Served {
  readonly service: RunningService
  /** As the service runs with it, defaults included. */
  readonly config: Config
  readonly gatewayPort: number
  readonly directPorts: readonly number[]
  link(index: number): AccountLink
}

/**
 * The whole service in this process, its threads from the shipped bundles; resolves when every account is ready to
 * trade. `allowFaults` is for a bench that breaks an account.
 */
export async function serve(
  folder: string,
  config: object,
  { allowFaults = false }: { readonly allowFaults?: boolean } = {},
): Promise<Served> {
  await useShipped()
  const loaded = loadConfig({
    cwd: folder,
    env: {},
    options: { configFile: writeConfig(folder, config) },
  })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const service = await startService({
    config: loaded.value.config,
    scope: { kind: 'up' },
    log: silentLogger,
    allowFaults,
    onFatal: (reason) => {
      throw new Error(reason)
    },
  })
  const [gatewayPort = 0, ...directPorts] = service.urls.map((url) => Number(new URL(url).port))
  const link = (index: number): AccountLink => {
    const found = service.accounts.find(accountAt(index))
    if (found === undefined) throw new Error(`no account ${accountAt(index)}`)
    return found
  }
  for (let index = 0; index < directPorts.length; index++) await untilReady(link(index))
  return { service, config: loaded.value.config, gatewayPort, directPorts, link }
}

const READY_MS_MAX = 60_000
const TRUSTED_MS_MAX = 60_000
const LOOK_MS = 250
const ASK = { timeoutMs: 60_000, correlationId: 'bench' }

/** Resolves when the broker has answered all reports of the account. */
export async function untilReady(link: AccountLink): Promise<void> {
  const endMs = performance.now() + READY_MS_MAX
  while (performance.now() < endMs) {
    const { bytes } = await link.ask({ kind: 'read', resource: 'v1Status' }, ASK)
    const answer = JSON.parse(Buffer.from(bytes).toString()) as { data: { ready: boolean } }
    if (answer.data.ready) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`account ${link.accountId} did not become ready`)
}

/**
 * Resolves when all accounts have looked at their quotes often enough to act upon them, which takes some nine seconds
 * once in a session. In that moment every account judges every holding for the first time, and V8 collects the garbage
 * of each start.
 */
export async function untilTrusted({ directPorts, link }: Served): Promise<void> {
  const endMs = performance.now() + TRUSTED_MS_MAX
  for (let index = 0; index < directPorts.length; index++) {
    const account = link(index)
    const isNew = async (): Promise<boolean> => {
      const { bytes } = await account.ask({ kind: 'read', resource: 'positionsAll' }, ASK)
      return Buffer.from(bytes).includes('too_few_looks')
    }
    while (await isNew()) {
      if (performance.now() > endMs) throw new Error(`${account.accountId} trusts no quotes`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}
