import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import type { CorporateAction } from '../../src/drivers/paper/corporate-action.ts'
import { type Logger, silentLogger } from '../../src/observability/logger.ts'
import { type RunningService, startService } from '../../src/service/service.ts'
import type { Scope } from '../../src/service/settings/scope.ts'
import { PATIENCE_MS } from '../in-time.ts'

export interface Position {
  readonly stock_code: string
  readonly volume: number
  readonly available?: number
  readonly cost_price: number
  readonly open_date?: string
  readonly stock_name?: string
}
const BANK: Position = {
  stock_code: '600036',
  volume: 1_000,
  cost_price: 35.1,
  stock_name: '招商银行',
}
const INSURER: Position = {
  stock_code: '601318',
  volume: 500,
  cost_price: 48,
  stock_name: '中国平安',
}

export const account = (account_id: string, positions: readonly Position[], cash = 1_000_000) => ({
  account_id,
  qmt_path: 'C:/qmt/userdata_mini',
  paper: { cash, positions },
})

/**
 * Two accounts on a lively simulated market, free ports, a restart policy that does not make tests
 * wait, and none of the rules that keep a test from placing many orders, or asking often until something is so.
 */
export const settings = (overrides: object = {}): object => ({
  accounts: [account('10000001', [BANK]), account('10000002', [INSURER])],
  market: { source: 'simulated', interval_ms: 50 },
  direct: { base_port: 0 },
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
  risk: {
    max_orders_per_second: 0,
    max_orders_per_day: 0,
    max_rejects_in_row: 0,
    refuse_duplicates: false,
  },
  ...overrides,
  limits: patient((overrides as Overrides).limits ?? { runtime: QUICK_RESTARTS }),
})

interface Overrides {
  readonly limits?: { readonly runtime?: object }
}

const QUICK_RESTARTS = {
  restart_backoff_min_ms: 1,
  restart_backoff_max_ms: 10,
  restart_intensity: 1_000,
}
/** A busy computer does not stop a service within the seconds that people wait; what keeps one for ever does so here too. */
const patient = ({ runtime, ...others }: NonNullable<Overrides['limits']>) => ({
  ...others,
  runtime: { process_stop_timeout_ms: 60_000, ...runtime },
})

export interface Served {
  readonly service: RunningService
  /** Base addresses. */
  readonly gateway: string
  readonly direct: readonly string[]
}

/** Writes a configuration file into `folder` and returns its path; data goes into `folder/data`. */
export function configFile(folder: string, overrides: object = {}): string {
  const file = join(folder, 'steward.config.json')
  writeFileSync(file, JSON.stringify({ data_dir: join(folder, 'data'), ...settings(overrides) }))
  return file
}

export interface ServeOptions {
  readonly folder?: string
  readonly overrides?: object
  /** Environment variables of the process. */
  readonly env?: Record<string, string>
  readonly log?: Logger
  /** What the process runs; everything when left out. */
  readonly scope?: Scope
  /** Another disk than the real one. */
  readonly freeBytes?: (folder: string) => Promise<number>
  /** At the embedded broker. */
  readonly corporateActions?: readonly CorporateAction[]
}

/** The whole service in this process, stopped at the end of the test. */
export async function serve(
  t: Test,
  {
    folder = t.testdir(),
    overrides = {},
    env = {},
    log = silentLogger,
    scope = { kind: 'up' },
    corporateActions,
    freeBytes,
  }: ServeOptions = {},
): Promise<Served> {
  const loaded = loadConfig({
    cwd: folder,
    env,
    options: { configFile: configFile(folder, { log: { level: 'silent' }, ...overrides }) },
  })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const service = await startService({
    config: loaded.value.config,
    settings: loaded.value.settings,
    scope,
    log,
    allowFaults: true,
    ...(corporateActions && { corporateActions }),
    ...(freeBytes && { freeBytes }),
    onFatal: (reason) => {
      throw new Error(reason)
    },
  })
  t.teardown(() => service.stop())
  const [gateway = '', ...direct] = service.urls
  return { service, gateway, direct }
}

/** Parsed JSON that a test walks through; what is not there is undefined. */
export interface Json {
  readonly [key: string]: Json
  readonly [index: number]: Json
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { headers })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Json,
  }
}

export async function post(
  url: string,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Json,
  }
}

/** Asks again until the answer satisfies; the time limit is for a broken service, not for a slow one. */
export async function until<T>(
  ask: () => Promise<T>,
  isGood: (answer: T) => boolean,
  ms = PATIENCE_MS,
): Promise<T> {
  const endMs = Date.now() + ms
  for (;;) {
    const answer = await ask()
    if (isGood(answer)) return answer
    if (Date.now() > endMs) throw new Error(`still not: ${JSON.stringify(answer)?.slice(0, 500)}`)
    await delay(10)
  }
}
