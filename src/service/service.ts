import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { CrashPoint } from '../../actors/account/faults.ts'
import { Connections } from '../../http/connections.ts'
import { type Front, type FrontOptions, startFront } from '../../http/front.ts'
import { ScanBudget } from '../../http/scan-budget.ts'
import type { TlsFiles } from '../../http/server.ts'
import type { AccountLink } from '../../http/service.ts'
import { loadSocketLibrary } from '../../http/socket-library.ts'
import { loadPages } from '../../http/static.ts'
import { acquireRole, type RoleLock } from '../cluster/role-lock.ts'
import type { AccountConfig, Config } from '../config/schema.ts'
import type { Setting } from '../config/settings-list.ts'
import { ServiceError } from '../domain/errors.ts'
import { exchangeDay } from '../domain/exchange-time.ts'
import { calendarKnown } from '../domain/session.ts'
import type { CorporateAction } from '../drivers/paper/corporate-action.ts'
import { checkReplayFile } from '../market/replay-cursor.ts'
import { createLogMemory, levelReader, setLogLevel } from '../observability/log-memory.ts'
import type { Logger } from '../observability/logger.ts'
import { NativeModuleError, whyNotLoaded } from '../runtime/native-module.ts'
import { lmdb } from '../storage/lmdb.ts'
import type { HeadKey } from '../storage/published-head.ts'
import { Accounts } from './accounts.ts'
import { ActorSystem } from './actor-system.ts'
import { BackupDesk } from './backups/backup-desk.ts'
import { openDataFolder } from './data-folder.ts'
import { descriptorsMax } from './descriptors.ts'
import { DiskWatch } from './disk-watch.ts'
import { openHeadKey } from './head-key.ts'
import { HeadPublisher } from './head-publisher.ts'
import type { JobKindDeps } from './job-kinds.ts'
import { createJobs } from './jobs.ts'
import { diskLimits, frontLimits, inCamelCase } from './limits.ts'
import { LiveTokens } from './live-tokens.ts'
import { droppedOf, type Logs } from './logs.ts'
import { MetricsDesk } from './metrics.ts'
import { type ProbeOptions, tryDatabase } from './probe.ts'
import type { Scope } from './scope.ts'
import { Soundness } from './soundness.ts'
import { TokenNotes } from './token-notes.ts'

/** What the set-up builds from `web/`. */
const PAGES = fileURLToPath(new URL('../../web/dist', import.meta.url))

export interface ServiceOptions {
  readonly config: Config
  /** For the operator to see where each value comes from. */
  readonly settings?: readonly Setting[] | undefined
  readonly scope: Scope
  /** Of which scheduled backups are made too; absent: the built-in demo. */
  readonly configFile?: string | undefined
  readonly log: Logger
  /** Of the process; absent: threads print to standard output. */
  readonly logs?: Logs
  /** The process cannot go on. */
  readonly onFatal: (reason: string) => void
  /** Ends a start that is under way: it then rejects, and nothing is left running. */
  readonly stopped?: AbortSignal
  /** Why no database can be opened in the data folder; undefined when one can. Absent: asked on Windows only. */
  readonly tryDatabase?: (options: ProbeOptions) => Promise<string | undefined>
  /** Another disk than the real one, for tests. */
  readonly freeBytes?: (folder: string) => Promise<number>
  /** Only tests break things. */
  readonly allowFaults?: boolean
  readonly crashAt?: CrashPoint
  /** What becomes of shares and costs at the embedded broker, for tests. */
  readonly corporateActions?: readonly CorporateAction[]
}

/** Something that the operator has to put right before the service can start: one line, exit code 2. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** A running service, as the command line and tests hold it. */
export interface RunningService {
  /** Base addresses, gateway first. */
  readonly urls: readonly string[]
  readonly system: ActorSystem
  readonly accounts: Accounts
  /** Refuses new requests, makes durable what is under way, closes everything. */
  stop(): Promise<void>
}

/**
 * Starts everything in the order in which it is needed: checks, listeners, threads, accounts. Until
 * the accounts are ready their requests are refused with 503.
 *
 * Errors  rejects with `StartError`, `NativeModuleError`, `ListenError` for a port, or `DamageError` for a database
 *         that the whole process needs; nothing is left running then.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, scope, log } = options
  const chosen = chosenAccounts(config, scope)
  const headKey = await checkBeforehand(options)
  const locks = scope.kind === 'gateway' ? [] : await lockDirect(config, chosen)
  const soundness = new Soundness({
    dataDir: config.data_dir,
    limits: inCamelCase(config.limits.examine),
    log,
  })
  soundness.begin(chosen.map(([account]) => account))
  const undo: (() => Promise<unknown>)[] = [() => Promise.all(locks.map((lock) => lock.release()))]
  try {
    const logs =
      options.logs?.memory ?? createLogMemory(config.log.level, config.limits.log.thread_lines_max)
    const system = await ActorSystem.open({
      ...options,
      logs,
      allowFaults: options.allowFaults ?? false,
    })
    undo.unshift(() => system.close())
    const { freeBytes } = options
    const disk = new DiskWatch({
      dataDir: config.data_dir,
      board: system.board,
      log,
      limits: diskLimits(config.limits),
      ...(freeBytes && { freeBytes }),
    })
    undo.unshift(() => disk.close())
    await disk.start()
    const market: JobKindDeps['market'] = (accountId, request) =>
      accounts.market(accountId, request)
    const {
      pool,
      desk: jobs,
      calculations,
    } = createJobs({ config, scope, system, log, market, disk })
    undo.unshift(async () => {
      await jobs.close()
      await pool.close()
    })
    const heads = new HeadPublisher({
      owned: () => ownedBy(accounts),
      headOf: (accountId) => system.records({ kind: 'head', accountId }),
      nowMs: Date.now,
      log,
      file: config.audit.head_file || undefined,
      key: headKey,
      limits: inCamelCase(config.limits.audit),
    })
    const backups = new BackupDesk({
      dataDir: config.data_dir,
      configFile: options.configFile,
      nowMs: Date.now,
      log,
      limits: inCamelCase(config.limits.backup),
    })
    undo.unshift(() => backups.close())
    const metrics: MetricsDesk = new MetricsDesk({
      system,
      handles: () => accounts.accounts(),
      poolWaiting: () => pool.waiting,
      heads,
      disk,
      dropped: () => options.logs && droppedOf(options.logs),
      backups,
    })
    undo.unshift(async () => metrics.close())
    const liveTokens = openTokens(config, log)
    undo.unshift(async () => liveTokens.close())
    const notes: TokenNotes = new TokenNotes({
      tokens: liveTokens,
      handles: () => accounts.accounts(),
      retryMs: config.limits.http.tokens_note_ms,
      timeoutMs: config.limits.http.command_timeout_ms,
      log,
    })
    undo.unshift(async () => notes.close())
    const ports = new Map<number, number>()
    const accounts: Accounts = new Accounts({
      config,
      system,
      disk,
      soundness,
      jobs,
      calculations,
      metrics,
      logs: { level: levelReader(logs), setLevel: (level) => setLogLevel(logs, level) },
      log,
      allowFaults: options.allowFaults ?? false,
      ...(options.crashAt && { crashAt: options.crashAt }),
      directPortOf: (index) => ports.get(index) ?? portOf(config, index),
    })
    const unlessStopped = raceWith(options.stopped)
    const parts = { system, accounts, chosen, ports, liveTokens }
    const fronts = await unlessStopped(openFronts(options, parts))
    undo.unshift(() => Promise.all(fronts.map((front) => front.close())))
    accounts.add(chosen)
    await unlessStopped(soundness.ofProcess())
    if (scope.kind !== 'direct') await accounts.recall()
    undo.splice(1, 0, async () => {
      const owned = ownedBy(accounts)
      await accounts.stop().finally(() => heads.stop(owned))
    })
    await unlessStopped(accounts.start())
    heads.start()
    notes.start()
    backups.start()
    await jobs.open()
    const stop = () => carryOut(undo.splice(0), log)
    return { urls: fronts.map(urlOf), system, accounts, stop }
  } catch (error) {
    await carryOut(undo.splice(0), log)
    throw error
  }
}

/** All of them, in order. One that fails is told and keeps none of the others from being done. */
async function carryOut(steps: readonly (() => Promise<unknown>)[], log: Logger): Promise<void> {
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      log.error({ reason: String(error) }, 'a part of the stop failed')
    }
  }
}

/** Awaits what may take long, unless the start is ended; what comes of it then, nobody asks. */
function raceWith(stopped: AbortSignal | undefined): <T>(work: Promise<T>) => Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => undefined) // told to those who wait
  const stop = () => reject(new ServiceError('STOPPING', 'stopped before it was ready'))
  stopped?.addEventListener('abort', stop, { once: true })
  if (stopped?.aborted) stop()
  return (work) => Promise.race([work, promise])
}

type Chosen = readonly (readonly [AccountConfig, number])[]

function chosenAccounts({ accounts }: Config, scope: Scope): Chosen {
  const all = accounts.map((account, index) => [account, index] as const)
  if (scope.kind !== 'direct') return all
  const mine = all.filter(([{ account_id }]) => account_id === scope.accountId)
  if (mine.length > 0) return mine
  const known = accounts.map(({ account_id }) => account_id).join(', ') || 'none'
  throw new StartError(`--account ${scope.accountId}: not configured; configured: ${known}`)
}

const ownedBy = (accounts: Accounts): string[] =>
  accounts
    .accounts()
    .filter(({ isOwner }) => isOwner)
    .map(({ accountId }) => accountId)

/** In this thread first: it stays loaded then, whichever threads come and go. Errors  `NativeModuleError`. */
function loadDatabaseLibrary(): void {
  try {
    lmdb()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new NativeModuleError('lmdb', whyNotLoaded(message, false), error)
  }
}

/**
 * LMDB's binary for Windows is a debug build, in which an open that fails may never return. Inside the
 * store's thread that shows only when its heart stands still, without a reason.
 */
const TRY_DATABASE = process.platform === 'win32' ? tryDatabase : undefined

/** Resolves with the key that signs the heads of the journals, where there is one. */
async function checkBeforehand(options: ServiceOptions): Promise<HeadKey | undefined> {
  const { config, log, tryDatabase = TRY_DATABASE } = options
  const { data_dir: dataDir, market } = config
  const folder = openDataFolder(dataDir)
  if (!folder.ok) throw new StartError(folder.error)
  await loadSocketLibrary()
  loadDatabaseLibrary()
  const broken = await tryDatabase?.({ dataDir, silenceMs: config.limits.examine.silence_ms })
  if (broken !== undefined) throw new StartError(broken)
  const headKey = openHeadKey(config)
  if (!headKey.ok) throw new StartError(headKey.error)
  if (market.source === 'replay') {
    const file = await checkReplayFile(market.file)
    if (!file.ok) throw new StartError(`market.file: ${file.error}`)
  }
  const year = Number(exchangeDay(Date.now()).slice(0, 4))
  if (market.source !== 'replay' && !calendarKnown(year)) {
    log.warn({ year }, 'no trading calendar for this year: every weekday counts as a trading day')
  }
  return headKey.value
}

function openTokens({ data_dir: dataDir, tokens, limits }: Config, log: Logger): LiveTokens {
  const checkMs = limits.http.tokens_check_ms
  const opened = LiveTokens.open({ dataDir, configured: tokens, checkMs, log })
  if (!opened.ok) throw new StartError(opened.error)
  return opened.value
}

/** One process at a time serves an account in direct mode; a second one is told which. */
async function lockDirect(config: Config, chosen: Chosen) {
  const locks: Extract<RoleLock, { kind: 'held' }>[] = []
  for (const [{ account_id: accountId }] of chosen) {
    const lock = await acquireRole(config.data_dir, accountId, 'direct')
    if (lock.kind === 'held') {
      locks.push(lock)
      continue
    }
    await Promise.all(locks.map((held) => held.release()))
    const holder = lock.pid === null ? 'another process' : `process ${lock.pid}`
    throw new StartError(`account ${accountId} is already served in direct mode by ${holder}`)
  }
  return locks
}

const proxyPortOf = ({ direct }: Config, index: number): number | undefined =>
  direct.proxy_base_port === 0 ? undefined : direct.proxy_base_port + index

const portOf = ({ direct }: Config, index: number): number =>
  direct.base_port === 0 ? 0 : direct.base_port + index

/** Read beforehand: what is wrong with a file is told in words, not by the socket library. */
function tlsFiles({ gateway }: Config): TlsFiles | undefined {
  const { ssl_certfile: certFile, ssl_keyfile: keyFile } = gateway
  if (certFile === '') return undefined
  try {
    createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(`gateway.ssl_certfile and ssl_keyfile: cannot be used: ${reason}`)
  }
  return { certFile, keyFile }
}

interface FrontParts {
  readonly system: ActorSystem
  readonly accounts: Accounts
  readonly chosen: Chosen
  readonly liveTokens: LiveTokens
  /** Filled with the ports that direct mode really listens on, by place in the configuration. */
  readonly ports: Map<number, number>
}

async function openFronts(
  { config, settings, scope, log }: ServiceOptions,
  parts: FrontParts,
): Promise<Front[]> {
  const { system, accounts, chosen, ports } = parts
  const common = {
    service: accounts,
    clock: system.clock,
    newKey: (accountId: string) => accounts.newKey(accountId),
    log,
    limits: frontLimits(config.limits),
    scans: new ScanBudget(frontLimits(config.limits)),
    connections: new Connections(frontLimits(config.limits), descriptorsMax()),
    tokens: parts.liveTokens,
  }
  const consolePages = loadPages({
    folder: join(PAGES, 'console'),
    mayConnectElsewhere: false,
    hasFallback: false,
  })
  const direct: FrontOptions[] = chosen.map(([{ account_id }, index]) => ({
    ...common,
    backend: 'direct',
    accountId: account_id,
    host: config.direct.host,
    port: portOf(config, index),
    proxyPort: proxyPortOf(config, index),
    token: config.direct.api_token,
    tokenBesideNamed: config.gateway.api_token,
    publicMode: config.direct.public_mode,
    allowedOrigins: config.direct.allowed_origins,
    settings,
    pages: consolePages,
  }))
  const gateway: FrontOptions = {
    ...common,
    backend: 'gateway',
    host: config.gateway.host,
    port: config.gateway.port,
    proxyPort: config.gateway.proxy_port || undefined,
    token: config.gateway.api_token,
    trustProxy: config.gateway.trust_proxy,
    proxies: config.gateway.proxies,
    tls: tlsFiles(config),
    allowedIps: config.gateway.allowed_ips,
    rateLimit: config.gateway.rate_limit,
    pages: loadPages({
      folder: join(PAGES, 'monitor'),
      mayConnectElsewhere: true,
      hasFallback: true,
    }),
    probe: {
      tokens: [config.direct.api_token, config.gateway.api_token],
      directPortOf: ({ configIndex }: AccountLink) =>
        configIndex === undefined
          ? undefined
          : ports.get(configIndex) || portOf(config, configIndex) || undefined,
    },
  }
  const wanted = [
    ...(scope.kind === 'direct' ? [] : [gateway]),
    ...(scope.kind === 'gateway' ? [] : direct),
  ]
  const fronts: Front[] = []
  try {
    for (const options of wanted) {
      const front = await startFront(options)
      fronts.push(front)
      if (front.proxyPort !== undefined) {
        const { backend, proxyPort: port } = front
        log.info({ backend, port }, 'listens for proxies that speak HTTP/1.0')
      }
      const index = chosen.find(
        ([{ account_id }]) => options.backend === 'direct' && account_id === options.accountId,
      )?.[1]
      if (index !== undefined) ports.set(index, front.port)
    }
    return fronts
  } catch (error) {
    await Promise.all(fronts.map((front) => front.close()))
    throw error
  }
}

/** Where a person on this computer finds it. */
function urlOf({ scheme, host, port }: Front): string {
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${scheme}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}
