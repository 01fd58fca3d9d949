import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { ListenError } from '../http/server.ts'
import { SocketFolderError } from './cluster/socket-path.ts'
import { type Arguments, parseArguments, type TokenAsked } from './config/arguments.ts'
import { formatEffective } from './config/effective.ts'
import { type LoadedConfig, loadConfig } from './config/load.ts'
import { ServiceError } from './domain/errors.ts'
import { checkReplayFile } from './market/replay-cursor.ts'
import { createLogger, type Logger } from './observability/logger.ts'
import { type AuditCommand, verifyAudit } from './service/audit-command.ts'
import { backUpAll } from './service/backup-command.ts'
import { openDataFolder } from './service/data-folder.ts'
import { examine } from './service/doctor/doctor.ts'
import { exposedWarnings } from './service/exposed-files.ts'
import { inCamelCase } from './service/limits.ts'
import { openLogs } from './service/logs.ts'
import { restore } from './service/restore-command.ts'
import type { Scope } from './service/scope.ts'
import { type RunningService, StartError, startService } from './service/service.ts'
import { DamageError } from './service/soundness.ts'
import { carryOut, newSecret } from './service/token-command.ts'

/** Takes every right from group and others. */
const OWNER_ONLY = 0o077
const EXIT = { stopped: 0, failed: 1, wrong: 2 } as const
/** A stop that takes longer is given up: the next start recovers. */
const STOP_MS_MAX = 4_800
/** Two signals closer together than this are one Ctrl-C. */
const SAME_SIGNAL_MS = 1_000

const write = (line: string) => void process.stdout.write(`${line}\n`)

/** Wrong usage or configuration: lines for standard error. */
function refuse(lines: readonly string[]): never {
  for (const line of lines) process.stderr.write(`steward: ${line}\n`)
  process.exit(EXIT.wrong)
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}

async function check(loaded: LoadedConfig): Promise<void> {
  const { market } = loaded.config
  const file = market.source === 'replay' ? await checkReplayFile(market.file) : undefined
  if (file?.ok === false) refuse([`market.file: ${file.error}`])
  const warnings = [...loaded.warnings, ...exposedWarnings(loaded.config)]
  write(formatEffective({ ...loaded, warnings }))
}

/** Exit code 0 when nothing is to mend, 1 when something is. */
async function doctor(loaded: LoadedConfig, reportFile: string | undefined): Promise<void> {
  const options = { loaded, write, reportFile, version: version(), nowMs: Date.now() }
  process.exitCode = (await examine(options)) ? EXIT.stopped : EXIT.failed
}

type AuditArguments = Pick<AuditCommand, 'accountId' | 'headsFile' | 'publicKeyFile'>

/** Exit code 0 when every journal is sound, as far as it was asked; 1 when one is not. */
async function auditVerify({ config }: LoadedConfig, asked: AuditArguments): Promise<void> {
  const { accountId, headsFile, publicKeyFile } = asked
  const sound = await verifyAudit({
    config,
    ...(accountId !== undefined && { accountId }),
    ...(headsFile !== undefined && { headsFile }),
    ...(publicKeyFile !== undefined && { publicKeyFile }),
    write,
  })
  if (!sound.ok) refuse([sound.error])
  process.exitCode = sound.value ? EXIT.stopped : EXIT.failed
}

async function backup({ config }: LoadedConfig, target: string): Promise<void> {
  const limits = inCamelCase(config.limits.examine)
  const done = await backUpAll({ dataDir: config.data_dir, target, limits, write })
  if (!done.ok) refuse([done.error])
}

async function restoreFrom({ config }: LoadedConfig, folder: string): Promise<void> {
  const done = await restore({ config, backup: folder, at: new Date(), write })
  if (done.ok) return
  process.stderr.write(`steward: ${done.error.text}\n`)
  process.exitCode = done.error.isWrong ? EXIT.wrong : EXIT.failed
}

function changeTokens({ config }: LoadedConfig, command: TokenAsked): void {
  const done = carryOut(config, command)
  if (!done.ok) refuse([done.error])
  process.stdout.write(done.value)
}

async function run(loaded: LoadedConfig, scope: Scope): Promise<void> {
  const { config, settings, warnings } = loaded
  const folder = openDataFolder(config.data_dir) // before the first line of the log, which goes there
  if (!folder.ok) refuse([folder.error])
  const logs = openLogs(config, scope)
  const log = createLogger({ memory: logs, name: 'main' })
  for (const warning of [...warnings, ...exposedWarnings(config)]) log.warn({}, warning)
  let service: RunningService | undefined
  const stopping = stopOnSignals(log, () => service)
  try {
    service = await startService({
      config,
      settings,
      scope,
      log,
      logs,
      stopped: stopping.signal,
      onFatal: (reason) => fatal(log, reason),
    })
  } catch (error) {
    if (stopping.hasBegun) return stopping.stop() // what was started has been ended
    if (error instanceof DamageError) {
      process.stderr.write(`steward: ${error.message}\n`)
      process.exit(EXIT.failed)
    }
    if (isOperators(error)) refuse([error.message])
    throw error
  }
  if (stopping.hasBegun) return stopping.stop()
  log.info(
    { urls: service.urls, version: version(), node: process.version, pid: process.pid },
    'ready',
  )
}

/** What the operator has to put right: one line instead of a stack. */
const isOperators = (error: unknown): error is Error =>
  error instanceof StartError ||
  error instanceof ListenError ||
  error instanceof SocketFolderError ||
  error instanceof ServiceError

/** A vital thread is gone: what is durable is durable, and the next start recovers. */
function fatal(log: Logger, reason: string): void {
  log.error({ reason }, 'the service ends')
  // A thread stuck in native code keeps an orderly exit waiting for ever.
  if (/does not|stuck|hung|heart/.test(reason)) process.kill(process.pid, 'SIGKILL')
  process.exit(EXIT.failed)
}

/**
 * The first signal stops in good order within five seconds, also a start that is under way. At a
 * terminal the same Ctrl-C may arrive twice, from the terminal and from the launcher; one a moment
 * later means that the user insists. Whoever sends SIGTERM again is told nothing else by that.
 */
function stopOnSignals(log: Logger, running: () => RunningService | undefined) {
  const abort = new AbortController()
  const stopping = {
    hasBegun: false,
    sinceMs: 0,
    signal: abort.signal,
    async stop(): Promise<void> {
      const timer = setTimeout(() => {
        log.error({}, 'the stop took too long')
        process.exit(EXIT.failed)
      }, STOP_MS_MAX)
      await running()?.stop()
      clearTimeout(timer)
      log.info({}, 'stopped')
      process.exit(EXIT.stopped)
    },
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const nowMs = performance.now()
      const isInsisting = signal === 'SIGINT' && nowMs - stopping.sinceMs >= SAME_SIGNAL_MS
      if (stopping.hasBegun && isInsisting) process.exit(EXIT.failed)
      if (stopping.hasBegun) return
      stopping.hasBegun = true
      stopping.sinceMs = nowMs
      log.info({ signal }, 'stopping')
      if (running() !== undefined) return void stopping.stop()
      abort.abort()
      // A start that does not even end by that: what it has not finished, nobody relies on yet.
      setTimeout(() => {
        log.warn({}, 'stopped before it was ready')
        process.exit(EXIT.stopped)
      }, STOP_MS_MAX)
    })
  }
  return stopping
}

/** A token nobody can guess, shown once, and the entry of the file that lets it in. */
function newToken({ name, scope }: { readonly name: string; readonly scope: string }): string {
  const { token, hash } = newSecret()
  return [
    '令牌，只显示这一次 (the token, shown this once):',
    `  ${token}`,
    '写入 steward.config.json 的 "tokens" (the entry for "tokens" of steward.config.json):',
    `  ${JSON.stringify({ name, hash, scope })}`,
    '可选字段 (optional): "accounts": ["10000001"], "expires": "2027-12-31"',
    '无需改文件、立即生效 (without the file, and at once): steward token add --name N',
    '',
  ].join('\n')
}

/** Writes both halves of a key; an existing file is never replaced. */
function newKey(file: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const publicFile = `${file}.pub`
  try {
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), {
      flag: 'wx',
      mode: 0o600,
    })
    writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), { flag: 'wx' })
  } catch (error) {
    refuse([`--to ${file}: cannot be written (${Reflect.get(Object(error), 'code')})`])
  }
  return [
    `私钥，只有本服务可读 (private key, for audit.key_file): ${file}`,
    `公钥，请另存他处用于校验 (public key, keep it elsewhere, for --public-key): ${publicFile}`,
    '',
  ].join('\n')
}

async function main(): Promise<void> {
  const wanted = parseArguments(process.argv.slice(2))
  if (wanted.kind === 'wrong') refuse([wanted.message])
  if (wanted.kind === 'help') return void process.stdout.write(wanted.text)
  if (wanted.kind === 'version') return void process.stdout.write(`${version()}\n`)
  if (wanted.kind === 'token') return void process.stdout.write(newToken(wanted))
  if (wanted.kind === 'key') return void process.stdout.write(newKey(wanted.file))
  const { options } = wanted
  const loaded = loadConfig({ cwd: process.cwd(), env: process.env, options })
  if (!loaded.ok) refuse(loaded.error)
  return obey(loaded.value, wanted)
}

/** A command that knows its configuration. */
async function obey(
  loaded: LoadedConfig,
  wanted: Extract<Arguments, { kind: 'run' }>,
): Promise<void> {
  // Whatever is made from here on, by the database too, is for this user alone. Windows knows no such thing.
  process.umask(OWNER_ONLY)
  if (wanted.command === 'check') return check(loaded)
  if (wanted.command === 'token') return changeTokens(loaded, wanted.asked)
  if (wanted.command === 'doctor') return doctor(loaded, wanted.reportFile)
  if (wanted.command === 'audit') return auditVerify(loaded, wanted)
  if (wanted.command === 'restore') return restoreFrom(loaded, wanted.backup)
  if (wanted.command === 'backup') return backup(loaded, wanted.target)
  if (wanted.command === 'direct')
    return run(loaded, { kind: 'direct', accountId: wanted.accountId })
  return run(loaded, { kind: wanted.command })
}

await main()
