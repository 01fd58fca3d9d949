import { LIFE_EXIT } from './cluster/watch-over.ts'
import { parseArguments, type RunAsked, type RunName } from './config/arguments.ts'
import type { Limits } from './config/limits.ts'
import { type LoadedConfig, loadConfig } from './config/load.ts'
import { printThrough } from './observability/log-writer.ts'
import { createLogger, type Logger } from './observability/logger.ts'
import { unnamedWarnings } from './service/accounts/unnamed-accounts.ts'
import { closedDaysWarnings } from './service/calendar/closed-days-look.ts'
import {
  COMMANDS_DONE,
  type Conclusion,
  DONE,
  type Doing,
  newKey,
  newToken,
  refusedBySystem,
} from './service/commands/commands.ts'
import { startExit } from './service/commands/start-exit.ts'
import { openDataFolder } from './service/data/data-folder.ts'
import { refusalOfDemo } from './service/data/demo-data.ts'
import { halfCopies } from './service/data/restore-place.ts'
import { exposedWarnings } from './service/doctor/exposed-files.ts'
import { initialize } from './service/init/init-command.ts'
import { descriptorWarnings, servedBy } from './service/process/descriptors.ts'
import type { OnFatal } from './service/process/fatal.ts'
import { leave, leaveInOrder } from './service/process/leave.ts'
import { ownVersion } from './service/process/program-folder.ts'
import { type RunningService, startService } from './service/service.ts'
import { watchLimits } from './service/settings/cluster-limits.ts'
import { type Logs, openLogs, tellOfLostFile } from './service/settings/logs.ts'
import type { Scope } from './service/settings/scope.ts'
import type { StoreWatch } from './service/threads/store-watch.ts'
import { outliveTerminal, STOPPING } from './service/watchdog/stop-signals.ts'
import { watchOver } from './service/watchdog/watchdog.ts'
import { Watched } from './service/watchdog/watched.ts'

/** Takes every right from group and others. */
const OWNER_ONLY = 0o077
/** What its watchdog goes by, where the process is a node of a cluster. */
const EXIT = { ...LIFE_EXIT, failed: 1 } as const
/** Two signals closer together than this are one Ctrl-C. */
const SAME_SIGNAL_MS = 1_000

const DEMO =
  '这里没有 steward.config.json，现在运行的是演示；steward init 可生成配置 (no steward.config.json here: this is the demo; steward init makes one)'

/** Undefined where this process is no child of a watchdog. */
const watched = Watched.find()

const write = (line: string) => void process.stdout.write(`${line}\n`)

/** What a reader who has gone away leaves behind; Windows has a word of its own. */
const HAS_GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EOF'])

/**
 * Who reads no further (`steward check | head`) has had enough, and ends nothing that is under way; nor does a file that
 * takes no more, but whoever was to read it hears of that.
 */
function outliveReaders(): void {
  let isTold = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isTold || HAS_GONE.has(error.code)) return
    isTold = true
    process.stderr.write(
      `steward: 标准输出无法写入 (standard output cannot be written: ${error.message})\n`,
    )
    process.on('exit', (code) => {
      if (code === EXIT.stopped) process.exitCode = EXIT.failed
    })
  })
}

/** Wrong usage or configuration: lines for standard error. */
function refuse(lines: readonly string[]): never {
  for (const line of lines) process.stderr.write(`steward: ${line}\n`)
  process.exit(EXIT.wrong)
}

async function run(loaded: LoadedConfig, scope: Scope): Promise<void> {
  const { config, settings, warnings } = loaded
  const folder = openDataFolder(config.data_dir) // before the first line of the log, which goes there
  if (!folder.ok) refuse([folder.error])
  const notDemo = refusalOfDemo(loaded)
  if (notDemo !== undefined) refuse([notDemo])
  const logs = openLogs(config, scope)
  const { memory, writer } = logs
  printThrough(writer)
  const log = createLogger({ memory, name: 'main', write: (line) => writer.write(line) })
  let service: RunningService | undefined
  let store: Pick<StoreWatch, 'isSilent'> | undefined
  const isStoreSilent = () => store?.isSilent === true
  const told = { log, logs, isStoreSilent }
  tellOfAccidents(told)
  tellOfLostFile(logs, log)
  const ofSystem = descriptorWarnings(servedBy(config.accounts, config.cluster))
  const closedDays = closedDaysWarnings(config, Date.now())
  for (const warning of [...warnings, ...exposedWarnings(config), ...ofSystem, ...closedDays]) {
    log.warn({}, warning)
  }
  if (loaded.file === undefined) log.info({}, DEMO)
  beginLife(loaded, log)
  const stopping = stopOnSignals(told, config.limits.runtime, () => service)
  try {
    for (const warning of await unnamedWarnings(config)) log.warn({}, warning)
    service = await startService({
      config,
      settings,
      scope,
      configFile: loaded.file,
      log,
      logs,
      stopped: stopping.signal,
      onFatal: (...why) => fatal(told, ...why),
      onLease: (untilMs) => watched?.lease(untilMs),
      onStore: (watch) => {
        store = watch
      },
    })
  } catch (error) {
    if (stopping.hasBegun) return stopping.stop() // what was started has been ended
    const code = startExit(error)
    if (code === undefined) throw error
    return end(logs, code, `steward: ${(error as Error).message}`)
  }
  if (stopping.hasBegun) return stopping.stop()
  watched?.ready()
  tellOfHalfCopies(config.data_dir, log)
  log.info(
    {
      urls: service.urls,
      version: ownVersion(),
      node: process.version,
      pid: process.pid,
      ...(watched && { watchdog: process.ppid }),
    },
    'ready',
  )
}

/** Of a process that has the data: no restore is under way. */
function tellOfHalfCopies(dataDir: string, log: Logger): void {
  for (const path of halfCopies(dataDir)) log.warn({ path }, HALF_COPY)
}
const HALF_COPY =
  'a restore that was cut off has left its copy: run steward restore again to restore, or delete it'

/** Below a watchdog there are signs of life from here on. */
function beginLife({ config }: LoadedConfig, log: Logger): void {
  watched?.begin(watchLimits(config))
  const reason = watched?.after
  if (reason === undefined) return
  log.warn({ alert: 'node_restarted', reason }, 'the life before this one has ended')
}

/** Where a running service speaks. */
interface Voice {
  readonly log: Logger
  readonly logs: Logs
  /** The thread of the store may stand in its disk. */
  readonly isStoreSilent: () => boolean
}

/** Says a last word to the person who started it, and ends. Resolves never. */
async function end({ writer }: Logs, code: number, word: string): Promise<never> {
  writer.printError(word)
  await writer.close()
  return leaveInOrder(code)
}

/** Now, with what was logged. */
function leaveNow({ logs, isStoreSilent }: Voice, code: number): never {
  logs.writer.flush()
  return leave(code, isStoreSilent())
}

/** What is durable is durable, and the next start recovers. */
function fatal(voice: Voice, ...[reason, why]: Parameters<OnFatal>): void {
  voice.log.error({ reason }, 'the service ends')
  voice.logs.writer.flush()
  // A thread stuck in native code keeps an orderly exit waiting for ever; so does LMDB, when the store is ended while it
  // writes beside its thread. A node that is over must make room for its next life, which its parent begins.
  const isStuck = /does not|stuck|hung|heart/.test(reason)
  if (isStuck || why === 'over') process.kill(process.pid, 'SIGKILL')
  leaveNow(voice, EXIT.failed)
}

/**
 * Node would print an error that nobody caught itself, with a write that waits. The process ends at once:
 * who does not know in what state it is must not trade.
 */
function tellOfAccidents(voice: Voice): void {
  const { log, logs } = voice
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'the service ends: nobody caught an error')
    logs.writer.printError(error instanceof Error ? String(error.stack) : String(error))
    leaveNow(voice, EXIT.failed)
  })
  process.on('exit', () => logs.writer.flush())
}

/**
 * The first signal stops in good order within the limit, also a start that is under way; the last lines of the log come
 * after it, which makes five seconds of what is shipped. A stop that takes longer is given up: the next start recovers. At a
 * terminal the same Ctrl-C may arrive twice, from the terminal and from the launcher; one a moment
 * later means that the user insists. Whoever sends SIGTERM again is told nothing else by that.
 */
function stopOnSignals(
  voice: Voice,
  { process_stop_timeout_ms: timeoutMs }: Limits['runtime'],
  running: () => RunningService | undefined,
) {
  const { log, logs } = voice
  const abort = new AbortController()
  const stopping = {
    hasBegun: false,
    sinceMs: 0,
    signal: abort.signal,
    async stop(): Promise<void> {
      const timer = setTimeout(() => {
        log.error({}, 'the stop took too long')
        leaveNow(voice, EXIT.failed)
      }, timeoutMs)
      await running()?.stop()
      watched?.done()
      clearTimeout(timer)
      log.info({}, 'stopped')
      await logs.writer.close()
      await leaveInOrder(EXIT.stopped)
    },
  }
  for (const signal of STOPPING) {
    process.on(signal, () => {
      const nowMs = performance.now()
      const isInsisting = signal === 'SIGINT' && nowMs - stopping.sinceMs >= SAME_SIGNAL_MS
      if (stopping.hasBegun && isInsisting) leaveNow(voice, EXIT.failed)
      if (stopping.hasBegun) return
      stopping.hasBegun = true
      stopping.sinceMs = nowMs
      log.info({ signal }, 'stopping')
      if (running() !== undefined) return void stopping.stop()
      abort.abort()
      // A start that does not even end by that: what it has not finished, nobody relies on yet.
      setTimeout(() => {
        log.warn({}, 'stopped before it was ready')
        leaveNow(voice, EXIT.stopped)
      }, timeoutMs)
    })
  }
  return stopping
}

/** Those that serve; what the others do is in `service/commands/commands.ts`. */
const SERVING: Doing<'up' | 'gateway' | 'direct'> = {
  up: (loaded) => serve(loaded, { kind: 'up' }),
  gateway: (loaded) => serve(loaded, { kind: 'gateway' }),
  direct: (loaded, { accountId }) => serve(loaded, { kind: 'direct', accountId }),
}

/** A node of a cluster runs below a watchdog, which this process becomes. */
async function serve(loaded: LoadedConfig, scope: Scope): Promise<Conclusion> {
  const { config } = loaded
  if (config.cluster === undefined || watched !== undefined) {
    return run(loaded, scope).then(() => DONE)
  }
  return { code: await watchOver() }
}

/** What became of a command: lines for standard error, and the exit code. */
function conclude({ lines = [], code }: Conclusion): void {
  for (const line of lines) process.stderr.write(`steward: ${line}\n`)
  if (code !== undefined) process.exitCode = code
}

async function main(): Promise<void> {
  outliveTerminal()
  outliveReaders()
  const wanted = parseArguments(process.argv.slice(2))
  if (wanted.kind === 'wrong') refuse([wanted.message])
  if (wanted.kind === 'help') return void process.stdout.write(wanted.text)
  if (wanted.kind === 'version') return void process.stdout.write(`${ownVersion()}\n`)
  if (wanted.kind === 'token') return void process.stdout.write(newToken(wanted))
  if (wanted.kind === 'init') {
    process.umask(OWNER_ONLY)
    return conclude(await initialize(wanted, { write, version: ownVersion() }))
  }
  if (wanted.kind === 'key') return conclude(newKey(wanted.file, write))
  const loaded = loadConfig({ cwd: process.cwd(), env: process.env, options: wanted.options })
  if (!loaded.ok) refuse(loaded.error)
  // Whatever is made from here on, by the database too, is for this user alone. Windows knows no such thing.
  process.umask(OWNER_ONLY)
  return obey(loaded.value, wanted.command, wanted)
}

/** A command that knows its configuration. */
async function obey<C extends RunName>(
  loaded: LoadedConfig,
  command: C,
  asked: RunAsked[C],
): Promise<void> {
  const doing: Doing<RunName> = { ...SERVING, ...COMMANDS_DONE }
  const done = async () => doing[command](loaded, asked, { write, version: ownVersion() })
  conclude(await (command in SERVING ? done() : done().catch(refusedBySystem)))
}

await main()
