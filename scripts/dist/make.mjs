// Makes the archives, below `npm run dist`. The same bytes for the same commit: the times are that of the commit,
// the entries are sorted, and what compresses them is the pinned Node.
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BUNDLES } from '../distribution.mjs'
import { readLock } from '../packages.mjs'
import { failWith, outputOf, ROOT, withLastLines } from '../runtime.mjs'
import { sha256Of, writeTarGz, writeZip } from './archive.mjs'
import { nameOf, PLATFORMS, parseDistArguments } from './platforms.mjs'
import { entriesFor } from './stage.mjs'

// A zip keeps local times.
process.env.TZ = 'UTC'

const BYTES_PER_MB = 1_000_000
/** What a user has to download, and to keep. */
const ARCHIVE_MB_MAX = 130
const UNPACKED_MB_MAX = 300
/** Where there is no history. */
const NO_TIME_S = Date.UTC(2020, 0, 1) / 1_000
const SUMS = 'SHA256SUMS'
const WRITERS = { zip: writeZip, 'tar.gz': writeTarGz }
/** What the lock file says, for a platform that need not be this one, and without tools. */
const NPM = [
  'ci',
  '--ignore-scripts',
  '--omit=dev',
  '--include=optional',
  '--libc=glibc',
  '--engine-strict=false',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
]

async function makeAll({ platforms, out: folder, vcRuntime }) {
  const out = resolve(folder)
  const work = join(out, '.work')
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const bundles = join(work, BUNDLES)
  const script = join(ROOT, 'scripts', 'build-bundles.mjs')
  await run([process.execPath, script, bundles, join(ROOT, BUNDLES)], ROOT)
  for (const name of platforms) await make(name, { out, work, bundles, vcRuntime })
  rmSync(work, { recursive: true, force: true })
  await writeSums(out)
}

async function make(name, { out, work, bundles, vcRuntime }) {
  const platform = PLATFORMS[name]
  const lock = readLock(ROOT)
  const modules = join(work, name)
  await install(modules, platform)
  const { version } = lock
  const folder = nameOf(version, name)
  const source = { root: ROOT, lock, platform, modules, bundles, version, vcRuntime }
  const entries = entriesFor(source)
  const file = join(out, `${folder}.${platform.archive}`)
  await WRITERS[platform.archive](
    file,
    entries.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` })),
    timeOfCommit(),
  )
  report(file, entries)
}

async function install(modules, { os, cpu }) {
  mkdirSync(modules)
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    copyFileSync(join(ROOT, name), join(modules, name))
  }
  await run(['npm', ...NPM, `--os=${os}`, `--cpu=${cpu}`], modules)
}

/** Rejects with what the program said last. */
function run([program, ...args], cwd) {
  return new Promise((done, fail) => {
    const env = { ...process.env, NODE_ENV: 'production' }
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = outputOf(child)
    child.on('error', fail)
    child.on('close', (code) => {
      if (code === 0) done()
      else fail(new Error(withLastLines(`steward: ${program} failed: see below`, output())))
    })
  })
}

/** One time for all files: that of the commit, or what SOURCE_DATE_EPOCH says. */
function timeOfCommit() {
  const git = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' })
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] || git.stdout?.trim() || NO_TIME_S)
  return new Date(seconds * 1_000)
}

/** Prints the sizes; throws when one is beyond what a user was promised. */
function report(file, entries) {
  const packed = statSync(file).size / BYTES_PER_MB
  const unpacked = entries.reduce((sum, { bytes }) => sum + bytes.length, 0) / BYTES_PER_MB
  const sizes = `${packed.toFixed(1)} MB, ${unpacked.toFixed(1)} MB in ${entries.length} files unpacked`
  process.stdout.write(`${file}: ${sizes}\n`)
  if (packed > ARCHIVE_MB_MAX || unpacked > UNPACKED_MB_MAX) {
    throw new Error(`steward: more than ${ARCHIVE_MB_MAX} MB, or ${UNPACKED_MB_MAX} MB unpacked`)
  }
}

/** Of every archive in the folder, as `sha256sum -c` takes it. */
async function writeSums(out) {
  const names = readdirSync(out).filter((name) => /^steward-.*\.(zip|tar\.gz)$/.test(name))
  const lines = []
  for (const name of names.sort()) lines.push(`${await sha256Of(join(out, name))}  ${name}\n`)
  writeFileSync(join(out, SUMS), lines.join(''))
}

try {
  await makeAll(parseDistArguments(process.argv.slice(2)))
} catch (error) {
  failWith(error, 1)
}
