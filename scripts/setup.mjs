// npm run setup: brings node_modules to what package-lock.json says, web/dist to what web/ says and the
// bundles to what the code says, and does nothing when all are there.
// Plain JavaScript for any Node from 18 on, without a dependency: it runs before the first install.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasBinaryList, noteBinaries } from './binaries.mjs'
import { lackingPackages } from './packages.mjs'
import { failWith, isStarted, outputOf, ROOT, withLastLines } from './runtime.mjs'
import { setUpBundles, setUpPages } from './setup-builds.mjs'
import { withSetupLock } from './setup-lock.mjs'

const STAMP = '.steward-setup'
const IN_PROGRESS = 'in progress'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const INTERRUPTED =
  'steward: 安装被中断，请再执行一次 (the set-up was interrupted: start it again to finish it)'

/**
 * Not `npm ci`: it removes node_modules first, and with it the Node that may run this, which Windows refuses,
 * the lock of the set-up and what a service beside it runs on. `--no-save` installs the locked versions just so;
 * `checkAgreement`, `checkLock` and `checkComplete` refuse what `npm ci` would refuse. The rest overrides settings of
 * the user under which the result would differ.
 */
const NPM_ARGS = [
  'install',
  '--no-save',
  '--package-lock=true',
  '--ignore-scripts',
  '--include=dev',
  '--include=optional',
  '--engine-strict=false',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  // npm asks for some thirty packages of foreign platforms one after the other: every delay counts thirty times.
  '--fetch-timeout=30000',
  '--fetch-retries=2',
  '--fetch-retry-factor=2',
  '--fetch-retry-mintimeout=200',
]

const MENDS = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/,
    '连不上软件包仓库：请检查网络和 npm 的代理，或换一个镜像，然后重试 (the package registry cannot be reached: check the network and the proxy of npm, then try again)',
  ],
  [
    /ENOSPC/,
    '磁盘已满：请腾出约 1 GB，然后重试 (the disk is full: make room (about 1 GB), then try again)',
  ],
  ...(process.platform === 'win32'
    ? [
        [
          /EBUSY|EPERM|EACCES/,
          'node_modules 中的文件正在使用：请停止从本目录运行的 Steward，关闭打开它的编辑器，然后重试 (a file in node_modules is in use: stop Steward where it runs from this folder, close editors that have it open, then try again)',
        ],
      ]
    : [
        [
          /EACCES|EPERM|EROFS/,
          '无权写入 node_modules：请检查它属于哪个用户，然后重试 (no right to write into node_modules: check its owner, then try again)',
        ],
      ]),
  [
    /EINTEGRITY/,
    '下载的软件包与 package-lock.json 不符：请执行 npm cache verify，然后重试 (a downloaded package is not the one in package-lock.json: run npm cache verify, then try again)',
  ],
]

/** Installs and builds what is missing. Throws an Error whose message says in one line what to do. */
export async function setUp(root = ROOT) {
  const lock = join(root, 'node_modules', `${STAMP}.lock`)
  await setUpPackages(root, lock)
  await setUpPages(root, lock)
  await setUpBundles(root, lock)
}

async function setUpPackages(root, lock) {
  const modules = join(root, 'node_modules')
  const wanted = describeWanted(root)
  if (readStamp(modules) === wanted && hasBinaryList(root)) return
  mkdirSync(modules, { recursive: true })
  await withSetupLock(lock, async (share) => {
    if (readStamp(modules) !== wanted) await install(root, wanted, share)
    else if (!hasBinaryList(root)) noteBinaries(root) // installed by a release that noted nothing
  })
}

async function install(root, wanted, share) {
  const modules = join(root, 'node_modules')
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  checkAgreement(root, lock)
  checkLock(lock)
  process.stdout.write(
    'steward: 正在安装软件包，首次需一两分钟 (installing packages, a minute or two the first time) ...\n',
  )
  // npm takes a package that was cut off half way for a whole one, so a broken install starts over.
  if (readStamp(modules) === IN_PROGRESS) empty(modules)
  writeFileSync(join(modules, STAMP), IN_PROGRESS)
  await runNpm(root, share)
  checkComplete(root, lock)
  noteBinaries(root)
  writeFileSync(join(modules, STAMP), wanted)
}

/** What a finished set-up of this clone on this platform leaves in the stamp. */
function describeWanted(root) {
  const lock = readFileSync(join(root, 'package-lock.json'))
  const digest = createHash('sha256').update(lock).digest('hex')
  return `${digest} ${process.platform}-${process.arch}`
}

function readStamp(modules) {
  const path = join(modules, STAMP)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function empty(modules) {
  for (const name of readdirSync(modules)) {
    const path = join(modules, name)
    const isOurs = name.startsWith(STAMP) || process.execPath.startsWith(path + sep)
    if (!isOurs) rmSync(path, { recursive: true, maxRetries: 3 })
  }
}

function checkAgreement(root, lock) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const locked = lock.packages['']
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    const [ours, theirs] = [manifest[kind] ?? {}, locked[kind] ?? {}]
    const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
    const name = [...names].find((candidate) => ours[candidate] !== theirs[candidate])
    if (name !== undefined) {
      throw new Error(
        `steward: package.json 与 package-lock.json 中的 ${name} 不一致：请执行一次 npm install (package.json and package-lock.json disagree about ${name}: run npm install once)`,
      )
    }
  }
}

/** What a package offers for a platform by a name of its own, and for which platforms we promise to install. */
const OF_A_PLATFORM = /(?:linux|win32|win|darwin)-(?:x64|arm64)(?:-(?:gnu|msvc))?$/
const UNSUPPORTED = /win32-arm64|darwin-x64/

function checkLock(lock) {
  const name = lackingPackages(lock).find(
    (candidate) => OF_A_PLATFORM.test(candidate) && !UNSUPPORTED.test(candidate),
  )
  if (name === undefined) return
  throw new Error(
    `steward: package-lock.json 缺少 ${name}：请重新取得发布版中的这个文件，然后重试 (package-lock.json lacks ${name}: take the file from the release again, then try again)`,
  )
}

/** npm skips an optional package that it cannot fetch without a word; ours are needed on their platform. */
function checkComplete(root, lock) {
  const libc = process.report?.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  const missing = Object.entries(lock.packages).find(
    ([path, entry]) =>
      (entry.os !== undefined || entry.cpu !== undefined) &&
      fits(entry.os, process.platform) &&
      fits(entry.cpu, process.arch) &&
      (process.platform !== 'linux' || fits(entry.libc, libc)) &&
      !existsSync(join(root, path)),
  )
  if (missing === undefined) return
  const name = missing[0].replace(/^.*node_modules\//, '')
  throw new Error(
    `steward: npm 漏装了 ${name}：请检查网络，然后重试 (npm left out ${name}: check the network, then try again)`,
  )
}

function fits(list, value) {
  if (list === undefined) return true
  const names = [list].flat()
  if (names.includes(`!${value}`)) return false
  return names.includes(value) || names.every((name) => name.startsWith('!'))
}

/** npm as the user started it, else the one beside this Node, else the one on the path. */
function findNpm() {
  const started = process.env['npm_execpath'] ?? ''
  if (/npm-cli\.c?js$/.test(started) && existsSync(started)) return [process.execPath, started]
  const folder = dirname(process.execPath)
  for (const library of [folder, join(folder, '..', 'lib')]) {
    const cli = join(library, 'node_modules', 'npm', 'bin', 'npm-cli.js')
    if (existsSync(cli)) return [process.execPath, cli]
  }
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm']
}

const WITH_PARENT = fileURLToPath(new URL('end-with-parent.cjs', import.meta.url))

function runNpm(root, share) {
  const [command, ...first] = findNpm()
  return new Promise((done, fail) => {
    // Windows starts a .cmd file only through its shell; the arguments are constants.
    const shell = command.endsWith('.cmd')
    // A Node that we start ourselves hears that nobody waits for it any more, also after a kill that nobody hears.
    const isOurs = first.length > 0
    const npm = spawn(
      command,
      [...(isOurs ? ['--require', WITH_PARENT] : []), ...first, ...NPM_ARGS],
      {
        cwd: root,
        shell,
        stdio: ['ignore', 'pipe', 'pipe', ...(isOurs ? ['ipc'] : [])],
      },
    )
    if (npm.pid !== undefined) share(npm.pid)
    const log = outputOf(npm)
    npm.on('error', (cause) => {
      const [zh, en] =
        cause.code === 'ENOENT'
          ? ['没有安装 npm', 'npm is not installed']
          : [cause.message, cause.message]
      fail(
        new Error(
          `steward: 无法启动 npm（${zh}）：请安装 npm 9 或更高版本，然后重试 (cannot start npm: ${en}: install npm 9 or later, then try again)`,
        ),
      )
    })
    // Without this npm would go on alone after a kill, into the way of the next set-up.
    let isInterrupted = false
    const interrupt = (signal) => {
      isInterrupted = true
      npm.kill(signal)
    }
    for (const signal of SIGNALS) process.on(signal, interrupt)
    npm.on('close', (code) => {
      for (const signal of SIGNALS) process.off(signal, interrupt)
      if (code === 0) done()
      else fail(new Error(isInterrupted ? INTERRUPTED : describeFailure(log())))
    })
  })
}

function describeFailure(log) {
  const mend =
    MENDS.find(([pattern]) => pattern.test(log))?.[1] ??
    '见下面 npm 的输出 (see what npm says below)'
  return withLastLines(`steward: 无法安装软件包 (cannot install packages): ${mend}`, log)
}

if (isStarted(import.meta.url)) {
  await setUp().catch((error) => failWith(error, 1))
}
