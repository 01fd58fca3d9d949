import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Launched, SidecarHeld, type SidecarLog } from '../terminal/launched.ts'

const BRIDGE = fileURLToPath(new URL('./sidecar/bridge.py', import.meta.url))
const LINE_CHARS_MAX = 65_536
/** The folder is still held by the sidecar of an earlier process. */
const EXIT_HELD = 76

/** What the sidecar says before it imports the library: Python runs, whatever follows. */
const IMPORTING = /^info importing xtquant/

/** Python runs, but the library that it imports keeps it waiting: another Python would not help. */
export const isImporting = (lines: string): boolean =>
  lines.split(/\r?\n/).some((line) => IMPORTING.test(line))

/** What is to be done about a library that does not load in time. */
export const SLOW_IMPORT_MEND =
  '请再启动一次；仍然慢就检查杀毒软件、xtquant 所在的网络盘，或调大 limits.xt.launch_timeout_ms (start it once more; if that is as slow, look for a virus scanner or a network drive in the way of the folder of xtquant, or raise limits.xt.launch_timeout_ms)'

/** What a sidecar is started with; it travels over standard input, so that no one else reads it. */
export interface SidecarSettings {
  readonly role: 'trade' | 'market'
  readonly token: string
  /** Folder of the journal; for the role `trade`. */
  readonly folder?: string
  /** Folder that holds the package xtquant; empty: wherever Python finds it. */
  readonly xtquant_path: string
  readonly quote_port?: number
  readonly limits: Readonly<Record<string, number>>
}

export interface LaunchOptions {
  readonly python: string
  readonly settings: SidecarSettings
  /** Text that must not be shown, and what is shown instead. */
  readonly masked: readonly (readonly [text: string, shown: string])[]
  readonly timeoutMs: number
  readonly log: SidecarLog
}

const STOP_MS = 3_000

/**
 * Starts a sidecar of our own. It ends when this process does, because its standard input ends.
 *
 * Errors  rejects with `SidecarHeld`, or with one line: no Python, no xtquant, too slow.
 */
export async function launchSidecar(options: LaunchOptions): Promise<Launched> {
  const { python, settings, timeoutMs, log } = options
  const child = spawnPython(python, ['--spawned'])
  const started = Promise.withResolvers<Launched>()
  const ended = Promise.withResolvers<void>()
  let last = ''
  let begun = ''
  const timer = setTimeout(() => {
    child.kill('SIGKILL')
    started.reject(new Error(tooSlow(timeoutMs, begun)))
  }, timeoutMs)
  readLines(child.stderr, (line) => {
    if (isImporting(line)) begun = line
    last = mask(line, options.masked)
    const [level = '', ...rest] = last.split(' ')
    const text = rest.join(' ')
    if (level === 'error') log.error({ pid: child.pid }, text)
    else if (level === 'warning') log.warn({ pid: child.pid }, text)
    else log.info({ pid: child.pid }, level === 'info' ? text : last)
  })
  readLines(child.stdout, (line) => {
    clearTimeout(timer)
    const place = placeIn(line)
    if (place !== undefined) {
      started.resolve({ ...place, stop: () => end(child, ended.promise) })
      return
    }
    started.reject(new Error(`cannot start Python (${python}): it said "${line.slice(0, 200)}"`))
    child.kill('SIGKILL')
  })
  child.on('error', (error) => {
    clearTimeout(timer)
    started.reject(cannotStart(python, error))
  })
  // A program that its library has started may have its pipes for long, but none of its locks.
  child.on('exit', () => ended.resolve())
  child.on('close', (code, signal) => {
    clearTimeout(timer)
    log.info({ pid: child.pid, code, signal }, 'a sidecar has ended')
    const reason = last === '' ? `exit code ${code ?? signal}` : last
    started.reject(code === EXIT_HELD ? new SidecarHeld(reason) : new Error(`sidecar: ${reason}`))
  })
  child.stdin?.on('error', () => undefined) // its end is told by `close`
  child.stdin?.write(`${JSON.stringify(settings)}\n`)
  return started.promise
}

/** Why a sidecar was given up, by what it had said until then. */
export const tooSlow = (timeoutMs: number, said: string): string =>
  isImporting(said)
    ? `接口库 xtquant 未能在 ${timeoutMs} ms 内加载完毕 (Python runs, but xtquant was not loaded within ${timeoutMs} ms); ${SLOW_IMPORT_MEND}`
    : `sidecar 未能在 ${timeoutMs} ms 内就绪 (the sidecar was not ready within ${timeoutMs} ms)`

/** Where a sidecar listens; undefined when another program has the word, such as a stub under Python's name. */
function placeIn(line: string): Pick<Launched, 'port' | 'pid'> | undefined {
  try {
    const { port, pid } = JSON.parse(line) as { port?: unknown; pid?: unknown }
    return typeof port === 'number' && typeof pid === 'number' ? { port, pid } : undefined
  } catch {
    return undefined
  }
}

/**
 * Python on the sidecar's program, three pipes, no window.
 *
 * @param env further variables; a Python that was unpacked from a zip file heeds none of its own
 *
 * Errors  throws one line for what the system will not even try to run; what fails later is an event.
 */
export function spawnPython(
  python: string,
  parameters: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  try {
    return spawn(python, ['-u', '-B', BRIDGE, ...parameters], {
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      env: { ...process.env, PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8', ...env },
    })
  } catch (error) {
    throw cannotStart(python, error as NodeJS.ErrnoException)
  }
}

/**
 * Why a program did not start, as an error code or text. A search through PATH that found nothing ends
 * with the last thing it met, and that may be a folder which this user may not read (EACCES): a
 * program that is in none of the folders is missing, whatever the search met on its way.
 */
export function spawnFailure(program: string, error: NodeJS.ErrnoException): string {
  const isSearched = !/[\\/]/.test(program)
  if (error.code === 'EACCES' && isSearched && !isOnPath(program)) return 'ENOENT'
  return error.code ?? error.message
}

/** Python did not start, in words that say how to mend it where that is known. */
export function cannotStart(python: string, error: NodeJS.ErrnoException): Error {
  const [zh, en] = whyNotStarted(python, error)
  return new Error(`无法启动 Python（${python}）：${zh} (cannot start Python (${python}): ${en})`)
}

/** Of a path below a file, too. */
const MISSING: readonly string[] = ['ENOENT', 'ENOTDIR']
/** As pyenv and conda put them on the path of Windows. */
const BATCH = /\.(bat|cmd)$/i

function whyNotStarted(
  python: string,
  error: NodeJS.ErrnoException,
): readonly [zh: string, en: string] {
  if (MISSING.includes(spawnFailure(python, error))) {
    return [
      '没有这个程序，请把 python 设为 python.exe 的路径',
      'no such program; set "python" to python.exe',
    ]
  }
  if (BATCH.test(python)) {
    return [
      '这是批处理文件，请把 python 设为 python.exe 的路径',
      'that is a batch file; set "python" to python.exe',
    ]
  }
  return [error.message, error.message]
}

const isOnPath = (program: string): boolean =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, program)))

/** The interpreter that is tried when none is configured. */
export const defaultPython = (platform: string): string =>
  platform === 'win32' ? 'python' : 'python3'

function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return ended
  child.stdin?.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  child.once('exit', () => clearTimeout(timer))
  return ended
}

function readLines(stream: ChildProcess['stdout'], take: (line: string) => void): void {
  let kept = ''
  stream?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (kept + text).split(/\r?\n/)
    kept = (lines.pop() ?? '').slice(-LINE_CHARS_MAX)
    for (const line of lines) if (line !== '') take(line)
  })
}

const mask = (line: string, masked: LaunchOptions['masked']): string =>
  masked.reduce((text, [secret, shown]) => text.replaceAll(secret, shown), line)
