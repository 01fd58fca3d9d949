import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { refusedBySystem } from '../../../src/service/commands/commands.ts'
import { heard } from '../../in-time.ts'
import { NEEDS_SIGNALS, NEEDS_USER } from '../../platform.ts'
import { account, configFile, get, post, settings, until } from '../fixture.ts'
import { Child, type Exit, environment, LAUNCHER, SOURCES } from '../fixtures/child.ts'

const PACKAGE = join(import.meta.dirname, '..', '..', '..', 'package.json')
const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }
const CONFIG = 'steward.config.json'
/** One account only: fewer threads to start. */
const ONE = { accounts: [account('10000001', [])] }

const ended = (t: Test, folder: string, args: readonly string[]): Promise<Exit> =>
  new Child(t, folder, args).exit

/** Not started: exit code 2, exactly these lines on standard error. */
function isRefusal(t: Test, exit: Exit, lines: readonly RegExp[]): void {
  t.match(exit, { code: 2, signal: null }, lines.join())
  t.notMatch(exit.stdout.join(), '"ready"')
  t.equal(exit.stderr.length, lines.length, exit.stderr.join('\n'))
  for (const [i, line] of lines.entries()) {
    t.match(exit.stderr[i], /^steward: /)
    t.match(exit.stderr[i], line)
  }
}

/** A port of this computer that another program has. */
async function takenPort(t: Test): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await heard(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

t.test('help and version are told on standard output', async (t) => {
  const folder = t.testdir()
  const asked: readonly (readonly [readonly string[], RegExp])[] = [
    [['--help'], /Commands[\s\S]+steward up[\s\S]+Exit codes: 0 /],
    [['direct', '--help'], /^steward direct --account ID[\s\S]+--account ID/],
    [['--version'], new RegExp(`^${version.replaceAll('.', '\\.')}$`)],
  ]
  const exits = await Promise.all(asked.map(([args]) => ended(t, folder, args)))
  for (const [i, exit] of exits.entries()) {
    t.match(exit, { code: 0, stderr: [] })
    t.match(exit.stdout.join('\n'), asked[i]?.[1])
  }
})

t.test('who reads no further, such as head, makes no command fail', async (t) => {
  const folder = t.testdir()
  const commands = [['check'], ['--help'], ['where']].map((args) => new Child(t, folder, args))
  for (const command of commands) command.stopReading()
  const exits = await Promise.all(commands.map(({ exit }) => exit))
  for (const exit of exits) t.match(exit, { code: 0, signal: null, stderr: [] })
})

const NEEDS_FULL = existsSync('/dev/full') ? {} : { skip: 'no device that is always full' }

t.test(
  'F808 a full disk behind standard output is one line, and no stack',
  NEEDS_FULL,
  async (t) => {
    const full = openSync('/dev/full', 'w')
    t.teardown(() => closeSync(full))
    const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, 'check'], {
      cwd: t.testdir(),
      env: environment(),
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    t.equal(status, 1)
    t.match(stderr, /^steward: .*\(.*ENOSPC.*\)\n$/)
  },
)

t.test('a wrong command line is one line on standard error', async (t) => {
  const folder = t.testdir()
  const asked: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /no command; try "steward up"/],
    [['chek'], /unknown command "chek"; did you mean check\?/],
    [['up', '--confg', 'x'], /unknown option "--confg"; did you mean --config\?/],
    [['up', '--config', 'absent.json'], /absent\.json: .*\(no such file/],
    [['direct'], /steward direct needs --account ID/],
  ]
  const exits = await Promise.all(asked.map(([args]) => ended(t, folder, args)))
  for (const [i, exit] of exits.entries()) isRefusal(t, exit, [asked[i]?.[1] ?? /never/])
})

t.test(
  'F733 check, too, refuses a data folder that no start can use, and makes none',
  async (t) => {
    const folder = t.testdir({
      taken: 'a file',
      cut: { 'backup-unfinished': '' },
      'lost.restoring': {},
    })
    const checked = (dataDir: string) => {
      const data_dir = join(folder, dataDir)
      const place = join(folder, `of-${dataDir.replace('/', '-')}`)
      mkdirSync(place)
      return ended(t, folder, ['check', '--config', configFile(place, { ...ONE, data_dir })])
    }
    for (const dataDir of ['taken', 'taken/data']) {
      isRefusal(t, await checked(dataDir), [
        /data_dir .*taken.* \(is no folder\); .*choose another folder/,
      ])
    }
    isRefusal(t, await checked('cut'), [/data_dir .*cut .*\(is a backup that was cut off/])
    isRefusal(t, await checked('lost'), [/data_dir .*lost .*a restore was interrupted/])
    t.match(await checked('absent'), { code: 0, stderr: [] })
    t.notOk(existsSync(join(folder, 'absent')))
  },
)

t.test('check prints every setting with value and source, and starts nothing', async (t) => {
  const folder = t.testdir({
    [CONFIG]: `{ // comments are allowed
      "accounts": [{ "account_id": "10000001", "qmt_path": "C:/qmt" }],
      "gateway": { "port": 9999, "api_token": "0123456789abcdef0123456789abcdef" }, }`,
    '.env': 'STEWARD_HOME=elsewhere\n',
  })
  const { code, stdout, stderr } = await ended(t, folder, ['check', '--log-level', 'warn'])
  t.match({ code, stderr }, { code: 0, stderr: [] })
  const sourceOf = (path: string) =>
    stdout.find((line) => line.startsWith(`${path} `))?.split(/ {2,}/)
  t.strictSame(sourceOf('gateway.port'), ['gateway.port', '9999', 'file'])
  t.strictSame(sourceOf('direct.base_port'), ['direct.base_port', '5000', 'default'])
  t.match(sourceOf('data_dir'), ['data_dir', /elsewhere"$/, '.env STEWARD_HOME'])
  t.match(sourceOf('log.level'), ['log.level', '"warn"', /command line|--log-level/])
  t.match(sourceOf('accounts[0].driver'), ['accounts[0].driver', '"paper"', 'default'])
  t.notMatch(stdout.join('\n'), /0123456789abcdef/, 'the token is not shown')
  t.ok(stdout.includes('配置有效 (configuration is valid)'))
})

t.test('a wrong configuration names what is wrong and where, all of it at once', async (t) => {
  const account = { account_id: '10000001', qmt_path: 'C:/qmt' }
  const good = { accounts: [account], direct: { base_port: 0 }, gateway: { port: 0 } }
  const folder = t.testdir({
    'unknown.json': JSON.stringify({ ...good, gatway: {}, direct: { base_prt: 0 } }),
    'line.json': '{\n  "accounts": [],\n  "gateway": { "port": }\n}',
    'xt.json': JSON.stringify({ ...good, accounts: [{ ...account, driver: 'xt' }] }),
    'replay.json': JSON.stringify({ ...good, market: { source: 'replay', file: 'gone.ndjson' } }),
  })
  const asked: readonly (readonly [string, readonly RegExp[]])[] = [
    [
      'unknown.json',
      [
        /gatway: .*unknown key; did you mean gateway\?/,
        /base_prt: .*unknown key; did you mean base_p/,
      ],
    ],
    ['line.json', [/line\.json:3/]],
    ['xt.json', [/driver: .*\("xt" needs market\.source "xt" or .*; it is "simulated"\)/]],
    ['replay.json', [/market\.file: 回放文件 .*gone\.ndjson 不存在 \(does not exist\)/]],
  ]
  const exits = await Promise.all(asked.map(([file]) => ended(t, folder, ['up', '--config', file])))
  for (const [i, exit] of exits.entries()) isRefusal(t, exit, asked[i]?.[1] ?? [])
  const [file = '', lines = []] = asked.at(-1) ?? []
  isRefusal(t, await ended(t, folder, ['check', '--config', file]), lines)
})

t.test('F448 what the system refuses is one line, and no stack', async (t) => {
  const folder = t.testdir({ data: { 'backup-plan.json': {} } })
  const exit = await ended(t, folder, ['backup', '--schedule', 'off'])
  t.match(exit, { code: 1, stderr: [/^steward: .*backup-plan\.json .*EISDIR/] })
  t.equal(exit.stderr.length, 1)
})

t.test('what it refuses on Windows is told with its mend, and a bug with its stack', async (t) => {
  const { platform } = process
  Object.defineProperty(process, 'platform', { value: 'win32' })
  t.teardown(() => Object.defineProperty(process, 'platform', { value: platform }))
  const held = Object.assign(new Error('EBUSY: open'), { code: 'EBUSY', syscall: 'open' })
  t.match(refusedBySystem(held), { code: 1, lines: [/^EBUSY: open；请关闭/] })
  const bug = new TypeError('no such function')
  t.throws(() => refusedBySystem(bug), bug)
})

t.test(
  'F681 and what is denied to this user is wrong usage, with what helps',
  { skip: process.platform === 'win32' && 'there it may be held by another program' },
  async (t) => {
    for (const code of ['EACCES', 'EPERM']) {
      const denied = Object.assign(new Error(`${code}: scandir '/data'`), {
        code,
        syscall: 'scandir',
      })
      t.match(refusedBySystem(denied), {
        code: 2,
        lines: [/^E.*；请用服务所属的用户执行.*user of the service/],
      })
    }
    const gone = Object.assign(new Error('ENOENT: no such file'), {
      code: 'ENOENT',
      syscall: 'open',
    })
    t.strictSame(refusedBySystem(gone), { code: 1, lines: ['ENOENT: no such file'] })
  },
)

t.test('a port in use and a data folder that is none stop the start', async (t) => {
  const folder = t.testdir({ data: 'a file' })
  const port = await takenPort(t)
  const file = (name: string, overrides: object) => {
    const path = join(folder, name)
    const data_dir = join(folder, name.replace('.json', ''))
    writeFileSync(path, JSON.stringify({ data_dir, ...settings({ ...ONE, ...overrides }) }))
    return path
  }
  const host = '127.0.0.1'
  const inUse = new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use; `)
  const taken = { gateway: { host, port } }
  isRefusal(t, await ended(t, folder, ['up', '--config', file('gw.json', taken)]), [inUse])
  isRefusal(t, await ended(t, folder, ['gateway', '--config', file('gw.json', taken)]), [inUse])
  const direct = { direct: { base_port: port } }
  isRefusal(t, await ended(t, folder, ['up', '--config', file('dr.json', direct)]), [inUse])
  const notFolder = file('file.json', { data_dir: join(folder, 'data') })
  isRefusal(t, await ended(t, folder, ['up', '--config', notFolder]), [
    /data_dir .*data .*is no folder\); .*choose another folder/,
  ])
  const inFile = file('in-file.json', { data_dir: join(folder, 'file.json', 'data') })
  isRefusal(t, await ended(t, folder, ['up', '--config', inFile]), [/is no folder/])
  if (process.platform !== 'linux') return
  // Nothing can be made there, which a `mkdir` with `recursive` would find out for ever.
  const nowhere = file('proc.json', { data_dir: '/proc/steward/data' })
  isRefusal(t, await ended(t, folder, ['up', '--config', nowhere]), [/cannot be written \(ENO/])
  t.equal((await ended(t, folder, ['doctor', '--config', nowhere])).code, 1)
})

t.test('F548 direct mode takes a configured account, and only once', async (t) => {
  const folder = t.testdir()
  const config = configFile(folder, ONE)
  const direct = (id: string) => ['direct', '--account', id, '--config', config]
  isRefusal(t, await ended(t, folder, direct('10000009')), [
    /--account 10000009: 没有配置这个账户；已配置 10000001 \(not configured; configured: 10000001\)/,
  ])
  const first = new Child(t, folder, direct('10000001'))
  const [url] = await first.ready()
  isRefusal(t, await ended(t, folder, direct('10000001')), [
    new RegExp(
      `账户 10000001 .*account 10000001 is already served in direct mode by process ${first.pid}`,
    ),
  ])
  t.equal((await get(`${url}/api/status`)).status, 200, 'the first one goes on')
  await first.kill()
  const third = new Child(t, folder, direct('10000001'), SOURCES)
  const [again] = await third.ready()
  t.equal((await get(`${again}/api/status`)).status, 200, 'the name is free when its holder died')
})

const ORDER = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5, price: 0 }

/** Windows knows no signals: what is ended there is ended hard, and must be found again all the same. */
const STOPS =
  process.platform === 'win32'
    ? (['SIGKILL', 'SIGKILL'] as const)
    : (['SIGTERM', 'SIGINT', 'SIGTERM'] as const)

t.test(
  'a second start finds what the first one left, in whatever way it was stopped',
  async (t) => {
    const folder = t.testdir()
    const config = configFile(folder, ONE)
    const key = { 'Idempotency-Key': 'kept' }
    const seen: unknown[] = []
    for (const signal of STOPS) {
      const child = new Child(t, folder, ['up', '--config', config])
      const [gateway] = await child.ready()
      const mine = `${gateway}/api/v1/accounts/10000001`
      await until(
        () => get(`${mine}/status`),
        ({ body }) => String(body['data']?.['ready']) === 'true',
      )
      const placed = await post(`${mine}/orders`, ORDER, key)
      t.equal(placed.status, 201)
      t.equal(placed.headers.get('Idempotency-Replayed'), seen.length === 0 ? null : 'true')
      const trades = await until(
        () => get(`${mine}/trades`),
        ({ body }) => Number(body['data']?.['trades']?.['length']) === 1,
      )
      const asset = await until(
        () => get(`${mine}/asset`),
        ({ body }) => Number(body['data']?.['cash']) < 1_000_000,
      )
      seen.push([placed.body['data']?.['order_id'], trades.body, asset.body['data']?.['cash']])
      child.signal(signal)
      const exit = await child.exit
      if (signal === 'SIGKILL') continue
      t.match(exit, { code: 0, signal: null, stderr: [] }, signal)
      t.equal(child.said('stopped').length, 1)
    }
    for (const again of seen.slice(1)) t.strictSame(again, seen[0])
  },
)

// Exit code 0 proves the five seconds: a stop that takes longer ends with 1.
t.test(
  'an open event stream and pending requests do not keep it from stopping',
  NEEDS_SIGNALS,
  async (t) => {
    const folder = t.testdir()
    const slow = {
      ...account('10000001', []),
      call_timeout: 60,
      paper: { cash: 1_000_000, latency_ms: 500 },
    }
    const config = configFile(folder, { accounts: [slow] })
    const child = new Child(t, folder, ['up', '--config', config])
    const [gateway = '', direct = ''] = await child.ready()
    const mine = `${gateway}/api/v1/accounts/10000001`
    await until(
      () => get(`${mine}/status`),
      ({ body }) => String(body['data']?.['ready']) === 'true',
    )
    const stream = await fetch(`${direct}/api/sse`)
    const reader = stream.body?.getReader()
    t.match(await reader?.read(), { done: false })

    const half = connect(Number(new URL(gateway).port), '127.0.0.1')
    half.on('error', () => undefined)
    half.write('POST /api/v1/accounts/10000001/orders HTTP/1.1\r\nHost: 127.0.0.1\r\n')
    half.write('Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{')
    const halfClosed = once(half, 'close')
    const key = { 'Idempotency-Key': 'pending' }
    const order = post(`${mine}/orders`, ORDER, key)
    await until(
      () => get(`${mine}/orders`),
      ({ body }) => Number(body['data']?.['orders']?.['length']) === 1,
    )
    child.signal('SIGTERM')
    t.match(await child.exit, { code: 0, signal: null, stderr: [] })
    t.equal((await order).status, 201, 'what was under way is still answered')
    await halfClosed
    await t.resolves(drained(reader))
  },
)

t.test(
  'a stop while it starts is a stop, also when the start would never end',
  NEEDS_SIGNALS,
  async (t) => {
    const folder = t.testdir()
    const config = configFile(folder, {
      market: { source: 'simulated', interval_ms: 3_600_000 }, // it sleeps with no lock in its hand
      limits: { cluster: { owner_timeout_ms: 3_600_000, attempts_max: 1_000 } },
    })
    const sleeper = new Child(t, folder, ['direct', '--account', '10000001', '--config', config])
    await sleeper.ready()
    sleeper.signal('SIGSTOP')
    const waiting = new Child(t, folder, ['gateway', '--config', config])
    await until(
      async () => waiting.said('account is up'), // the other account: this one waits for the sleeper
      (lines) => lines.length > 0,
    )
    waiting.signal('SIGTERM')
    t.match(await waiting.exit, { code: 0, signal: null, stderr: [] })
    sleeper.signal('SIGTERM')
    sleeper.signal('SIGCONT')
    t.match(await sleeper.exit, { code: 0, signal: null, stderr: [] })
  },
)

t.test('a data folder without rights is refused', NEEDS_USER, async (t) => {
  const folder = t.testdir()
  const config = configFile(folder, ONE)
  mkdirSync(join(folder, 'data'), { mode: 0o500 })
  isRefusal(t, await ended(t, folder, ['up', '--config', config]), [/cannot be written \(EACCES/])
})

/** Reads to the end, which may be a broken connection. */
async function drained(reader: ReadableStreamDefaultReader | undefined): Promise<void> {
  try {
    while ((await reader?.read())?.done === false);
  } catch {
    // The other side is gone, which is an end too.
  }
}
