// A Windows of its own below a folder, for tests: Wine with the gaps filled that keep the service from running in it.
// What fills them lies in test/wine.
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../runtime.mjs'
import { Patience } from './patience.mjs'

const COMPILER = 'x86_64-w64-mingw32-gcc'
const BOOT_MS_MAX = 200_000
const COMMAND_MS_MAX = 120_000
const LOOK_MS = 500
const PRELOAD = 'C:\\preload.cjs'
/** What Node takes from the surroundings and a Windows user does not have. */
const FOREIGN = /^(STEWARD_|NODE_|npm_|INIT_CWD$)/

/** Why nothing can be tried here, or undefined. */
export function whyNoWine() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'only on linux-x64'
  const missing = ['wine', COMPILER].filter(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  )
  if (missing.length === 0) return undefined
  const packages = 'wine wine64 gcc-mingw-w64-x86-64-win32'
  return `${missing.join(' and ')} not found: apt-get install -y --no-install-recommends ${packages}`
}

/** Makes it. `drive` is its drive C: as a folder of this computer; `env` what its programs run with. */
export async function makePrefix(work) {
  const prefix = join(work, 'prefix')
  const drive = join(prefix, 'drive_c')
  const ours = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name))
  const env = {
    ...Object.fromEntries(ours),
    WINEPREFIX: prefix,
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    DISPLAY: '',
  }
  const wine = { work, drive, env }
  await finish(runIn(wine, ['wine', 'wineboot', '-i'], { log: 'boot', cwd: work }), BOOT_MS_MAX)
  await finish(
    runIn(wine, ['wine', 'winecfg', '-v', 'win10'], { log: 'boot', cwd: work }),
    COMMAND_MS_MAX,
  )
  const source = (name) => join(ROOT, 'test', 'wine', name)
  // Bindings that are written in Rust ask for this library, which Wine 8 lacks.
  compile(source('bcryptprimitives.c'), join(drive, 'windows/system32/bcryptprimitives.dll'), [
    '-ladvapi32',
  ])
  compile(source('lmdbwine.c'), join(drive, 'lmdbwine.dll'), ['-static-libgcc'])
  copyFileSync(source('preload.cjs'), join(drive, 'preload.cjs'))
  wine.env.NODE_OPTIONS = `--require ${PRELOAD}`
  return wine
}

function compile(source, library, more) {
  const args = ['-shared', '-O1', '-o', library, source, ...more]
  const { status, stderr } = spawnSync(COMPILER, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`steward: ${source} cannot be compiled:\n${stderr}`)
}

/**
 * Starts a program; all that it prints goes into a file, because Node under Wine cannot write to a pipe.
 * `text` reads that file, `ended` resolves with the exit code.
 */
export function runIn(wine, [program, ...args], { log, cwd = wine.drive, env = {} }) {
  const file = join(wine.work, `${log}.log`)
  const output = openSync(file, 'w')
  const child = spawn(program, args, {
    cwd,
    env: { ...wine.env, ...env },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const ended = new Promise((done, fail) => {
    child.on('error', fail)
    child.on('exit', (code) => done(code ?? 1))
  })
  ended.catch(() => undefined) // told to whoever waits
  return { child, ended, text: () => readFileSync(file, 'utf8') }
}

/** Runs `cmd.exe /c` with a line, to its end. */
export function runCommand(wine, line, options) {
  return finish(runIn(wine, ['wine', 'cmd', '/c', line], options), COMMAND_MS_MAX)
}

/** The exit code and the text of a program that ends; one that does not is ended, and said to hang. */
async function finish({ child, ended, text }, msMax) {
  const patience = new Patience(msMax)
  let code
  const done = ended.then((ownCode) => (code = ownCode))
  while (code === undefined && !patience.isOver) await Promise.race([done, sleep(LOOK_MS)])
  if (code !== undefined) return { code, text: text() }
  child.kill('SIGKILL')
  throw new Error(`${child.spawnargs.join(' ')}: it does not end\n${text()}`)
}

const CPP_RUNTIME = ['vcruntime140', 'vcruntime140_1', 'msvcp140']

/** Runs a line on what a new Windows is: without the runtime of C++, of which Wine has a copy of its own. */
export async function runWithoutRuntime(wine, line, options) {
  const files = CPP_RUNTIME.map((name) => join(wine.drive, 'windows/system32', `${name}.dll`))
  for (const file of files) renameSync(file, `${file}.away`)
  try {
    const env = { WINEDLLOVERRIDES: `${CPP_RUNTIME.join(',')}=n` }
    return await runCommand(wine, line, { ...options, env })
  } finally {
    for (const file of files) renameSync(`${file}.away`, file)
  }
}

/** Ends everything that runs in this Windows, and only there. */
export const endPrefix = ({ env }) => void spawnSync('wineserver', ['-k'], { env })
