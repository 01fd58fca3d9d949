import type { CrashPoint } from '../../actors/account/faults.ts'
import { loadSocketLibrary } from '../../http/sockets/socket-library.ts'
import { announce } from '../cluster/presence.ts'
import { acquireRole, NODE_LOCK, type RoleLock } from '../cluster/role-lock.ts'
import { SocketFolderError } from '../cluster/socket-path.ts'
import { inCamelCase } from '../config/camel-case.ts'
import type { Config } from '../config/schema.ts'
import type { Setting } from '../config/settings-list.ts'
import { ServiceError } from '../domain/errors.ts'
import type { CorporateAction } from '../drivers/paper/corporate-action.ts'
import { giveClosedDays } from '../market/closed-days.ts'
import { checkReplayFile } from '../market/replay-cursor.ts'
import { createLogMemory, levelReader, setLogLevel } from '../observability/log-memory.ts'
import type { Logger } from '../observability/logger.ts'
import { NativeModuleError, whyNotLoaded } from '../runtime/native-module.ts'
import { lmdb } from '../storage/lmdb.ts'
import type { HeadKey } from '../storage/published-head.ts'
import { certificateWatch } from './access/certificate-watch.ts'
import { type Chosen, chosenAccounts } from './access/chosen.ts'
import { openFronts, urlOf } from './access/fronts.ts'
import { LiveTokens } from './access/live-tokens.ts'
import { TokenNotes } from './access/token-notes.ts'
import { Accounts } from './accounts/accounts.ts'
import { ArchiveDesk, archiveLine } from './accounts/archive-desk.ts'
import { openHeadKey } from './audit/head-key.ts'
import { HeadPublisher } from './audit/head-publisher.ts'
import { BackupDesk } from './backups/backup-desk.ts'
import { CalendarWatch, livesByCalendar } from './calendar/calendar-watch.ts'
import { clusterSight, otherNodes } from './cluster/cluster-sight.ts'
import { RulesWatch } from './cluster/rules-watch.ts'
import { halfwayIn, openDataFolder } from './data/data-folder.ts'
import { Soundness } from './data/soundness.ts'
import { REPLACED, STRANGERS } from './data/stopped.ts'
import { type ProbeOptions, tryDatabase } from './doctor/probe.ts'
import { withinShare } from './metrics/all-metrics.ts'
import { clusterFamilies } from './metrics/cluster-metrics.ts'
import { MetricsDesk } from './metrics/metrics.ts'
import { DiskWatch } from './process/disk-watch.ts'
import type { OnFatal } from './process/fatal.ts'
import { StartError } from './process/start-error.ts'
import { diskLimits } from './settings/limits.ts'
import { droppedOf, type Logs } from './settings/logs.ts'
import type { Scope } from './settings/scope.ts'
import { ActorSystem } from './threads/actor-system.ts'
import type { JobKindDeps } from './threads/job-kinds.ts'
import { createJobs } from './threads/jobs.ts'
import type { StoreWatch } from './threads/store-watch.ts'

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
  readonly onFatal: OnFatal
  /** In a cluster, with each renewal: the steady time until which this process may act. */
  readonly onLease?: ((untilMs: number) => void) | undefined
  /** As soon as there is a store: whoever ends the process meanwhile has to know whether it answers. */
  readonly onStore?: (watch: Pick<StoreWatch, 'isSilent'>) => void
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
  giveClosedDays(config.closed_days)
  const chosen = chosenAccounts(config, scope)
  const headKey = await checkBeforehand(options)
  const locks = [await announced(config.data_dir)]
  locks.push(...(await lockNode(config, locks)))
  if (scope.kind !== 'gateway') locks.push(...(await lockDirect(options, chosen, locks)))
  const soundness = new Soundness({
    dataDir: config.data_dir,
    limits: inCamelCase(config.limits.examine),
    log,
  })
  soundness.begin(chosen.map(([account]) => account))
  const undo: (() => Promise<unknown>)[] = [() => Promise.all(locks.map((lock) => lock.release()))]
  /** Closed with everything else, before what was opened earlier. */
  const opened = <P extends { close(): unknown }>(part: P): P => {
    undo.unshift(async () => part.close())
    return part
  }
  try {
    const logs =
      options.logs?.memory ?? createLogMemory(config.log.level, config.limits.log.thread_lines_max)
    const allowFaults = options.allowFaults ?? false
    const system = opened(await ActorSystem.open({ ...options, logs, allowFaults }))
    options.onStore?.(system.storeWatch)
    const { freeBytes } = options
    const disk = opened(
      new DiskWatch({
        dataDir: config.data_dir,
        board: system.board,
        log,
        limits: diskLimits(config.limits),
        onChange: (isLow) => system.cluster?.setFull(isLow),
        ...(freeBytes && { freeBytes }),
      }),
    )
    await disk.start()
    if (livesByCalendar(config)) opened(new CalendarWatch({ log, nowMs: Date.now })).start()
    const certificate = certificateWatch(options)
    if (certificate !== undefined) opened(certificate).start()
    const market: JobKindDeps['market'] = (accountId, request) =>
      accounts.market(accountId, request)
    const made = createJobs({ config, scope, system, log, market, disk })
    const { calculations } = made
    const pool = opened(made.pool)
    const jobs = opened(made.desk)
    const heads = new HeadPublisher({
      owned: () => ownedBy(accounts),
      headOf: (accountId) => system.records({ kind: 'head', accountId }),
      nowMs: Date.now,
      log,
      file: config.audit.head_file || undefined,
      key: headKey,
      limits: inCamelCase(config.limits.audit),
    })
    const backups = opened(
      new BackupDesk({
        dataDir: config.data_dir,
        configFile: options.configFile,
        nowMs: Date.now,
        log,
        limits: inCamelCase(config.limits.backup),
      }),
    )
    const archive = new ArchiveDesk({
      line: archiveLine(system),
      owned: () => ownedBy(accounts),
      isDiskLow: () => disk.isLow,
      nowMs: Date.now,
      log,
      limits: inCamelCase(config.limits.store),
    })
    const cluster = clusterSight(system, config, () => accounts.known)
    if (cluster !== undefined) opened(new RulesWatch({ log, view: () => cluster.view() })).start()
    const metrics: MetricsDesk = new MetricsDesk({
      system,
      handles: () => accounts.known,
      poolWaiting: () => pool.waiting,
      heads,
      disk,
      dropped: () => options.logs && droppedOf(options.logs),
      backups,
      certificate: () => certificate?.families ?? [],
      cluster: async (sees) =>
        cluster === undefined || system.cluster === undefined
          ? []
          : clusterFamilies(await cluster.read(), { sees, appends: system.cluster.appends }),
      others: otherNodes(system, config),
    })
    system.cluster?.serveMetrics(
      async (timeoutMs) => (await metrics.tellAll(withinShare(timeoutMs))).text,
    )
    opened(metrics)
    const liveTokens = opened(openTokens(config, log))
    const notes: TokenNotes = opened(
      new TokenNotes({
        tokens: liveTokens,
        handles: () => accounts.known,
        retryMs: config.limits.http.tokens_note_ms,
        timeoutMs: config.limits.http.command_timeout_ms,
        log,
      }),
    )
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
      cluster,
      log,
      allowFaults,
      ...(options.crashAt && { crashAt: options.crashAt }),
      consolePorts: ports,
    })
    const unlessStopped = raceWith(options.stopped)
    const parts = { system, accounts, chosen, ports, liveTokens }
    const fronts = await unlessStopped(openFronts(options, parts))
    certificate?.exchangeBy(() => {
      for (const front of fronts) front.renewCertificate()
    })
    let isAnswered = false
    undo.unshift(async () => {
      const closed = await Promise.all(fronts.map((front) => front.close()))
      isAnswered = closed.every(Boolean)
    })
    accounts.add(chosen)
    await unlessStopped(soundness.ofProcess())
    if (scope.kind !== 'direct') await accounts.recall()
    undo.splice(1, 0, async () => {
      const owned = ownedBy(accounts)
      await archive.close()
      await accounts.stop({ isAnswered }).finally(() => heads.stop(owned))
    })
    await unlessStopped(accounts.start())
    heads.start()
    notes.start()
    backups.start()
    archive.start()
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

const ownedBy = (accounts: Accounts): string[] =>
  accounts.known.filter(({ isOwner }) => isOwner).map(({ accountId }) => accountId)

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
  const { config, tryDatabase = TRY_DATABASE } = options
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
  return headKey.value
}

function openTokens({ data_dir: dataDir, tokens, limits }: Config, log: Logger): LiveTokens {
  const checkMs = limits.http.tokens_check_ms
  const opened = LiveTokens.open({ dataDir, configured: tokens, checkMs, log })
  if (!opened.ok) throw new StartError(opened.error)
  return opened.value
}

type Held = Extract<RoleLock, { kind: 'held' }>
type Taken = Extract<RoleLock, { kind: 'taken' }>

const NO_SOCKET =
  '进程之间无法在此相互联系，请将 data_dir 移到本机磁盘上的普通文件夹 (processes cannot find each other there: move data_dir to a plain folder on a local disk)'

/**
 * Whoever puts a backup in place sees this process, also while it runs no account: it would go on in what is put
 * aside. It ends by itself, so the start may be tried again. Errors  `STOPPING`; `StartError`: see {@link STRANGERS}, or
 * one was cut off.
 */
async function announced(dataDir: string): Promise<Held> {
  const presence = await announce(dataDir).catch((error: unknown) => {
    if (error instanceof SocketFolderError) throw error
    throw new StartError(`data_dir ${dataDir}: ${NO_SOCKET} (${String(error)})`)
  })
  if (presence === 'replaced')
    throw new ServiceError('STOPPING', `data_dir ${dataDir}: ${REPLACED}`)
  if (presence === 'strangers') throw new StartError(`data_dir ${dataDir}: ${STRANGERS}`)
  const halfway = halfwayIn(dataDir) // since it was looked at first
  if (halfway === undefined) return presence
  await presence.release()
  throw new StartError(halfway)
}

/**
 * In a cluster one process at a time works on a data folder: it proves that the life of this node before is over.
 * Its lock goes with it, whatever ends it.
 */
async function lockNode(
  { cluster, data_dir: dataDir }: Config,
  before: readonly Held[],
): Promise<Held[]> {
  if (cluster === undefined) return []
  const lock = await acquireRole(dataDir, NODE_LOCK.folder, NODE_LOCK.role)
  if (lock.kind === 'held') return [lock]
  await Promise.all(before.map((held) => held.release()))
  mustBeAsked(lock, dataDir)
  const holder = lock.pid === null ? 'another process' : `process ${lock.pid}`
  throw new StartError(
    `数据目录 ${dataDir} 已由另一个节点进程使用，请先结束它 (data folder ${dataDir} is in use by another node of a cluster, ${holder}: end it first, or give this one a data_dir of its own)`,
  )
}

/** Of a service of another user that was ended hard, nobody has to be stopped: its files keep this one out. */
function mustBeAsked({ deniedPath }: Taken, dataDir: string): void {
  if (deniedPath === undefined) return
  throw new StartError(
    `当前用户无权访问 ${deniedPath}，可能曾以管理员（root）身份运行服务：它若仍在运行，请先结束它；否则请改回 ${dataDir} 内所有文件的所有者和权限，再启动 (this user may not use it, as after a run as administrator or root: end that one if it still runs; if not, mend the owner and the rights of all files in ${dataDir}, and start again; delete none of them)`,
  )
}

/**
 * One process at a time serves an account in direct mode; a second one is told which. An account whose folder cannot
 * be used has nothing that could be locked, and the others do not wait for it.
 */
async function lockDirect(
  { config, log }: Pick<ServiceOptions, 'config' | 'log'>,
  chosen: Chosen,
  before: readonly Held[],
) {
  const locks: Held[] = []
  for (const [{ account_id: accountId }] of chosen) {
    const lock = await acquireRole(config.data_dir, accountId, 'direct').catch((error: unknown) => {
      if (error instanceof SocketFolderError) throw error
      log.warn({ accountId, err: error }, 'the folder of an account cannot be used')
    })
    if (lock === undefined) continue
    if (lock.kind === 'held') {
      locks.push(lock)
      continue
    }
    await Promise.all([...before, ...locks].map((held) => held.release()))
    mustBeAsked(lock, config.data_dir)
    const holder = lock.pid === null ? 'another process' : `process ${lock.pid}`
    throw new StartError(
      `账户 ${accountId} 的直连模式已由另一个进程提供，请先停止它 (account ${accountId} is already served in direct mode by ${holder})`,
    )
  }
  return locks
}
