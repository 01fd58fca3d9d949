import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import { examine, redact } from '../../../src/service/doctor/doctor.ts'
import { clockFinding, freeFinding, nodeFinding } from '../../../src/service/doctor/machine.ts'
import { SETTINGS, SH } from '../../drivers/fixtures/paper.ts'
import { ACCOUNT, FAKE, needPython, PYTHON } from '../../drivers/xt/rig.ts'
import { Terminal } from '../../drivers/xt/terminal.ts'
import { account, configFile } from '../fixture.ts'

const TOKEN = 'a-token-of-thirty-two-characters'
const NOW_MS = Date.parse('2026-08-11T10:00:00+08:00')

async function openTerminal(t: Test, folder: string): Promise<Terminal> {
  needPython()
  const terminal = await Terminal.open({ accountId: ACCOUNT, settings: SETTINGS, folder })
  t.teardown(() => terminal.close())
  terminal.tick(SH, { last: 36, lastClose: 35.5 })
  terminal.tick('000001.SZ', { last: 11, lastClose: 11 })
  return terminal
}

/** What the doctor says of an account at the terminal, with these settings on top. */
async function findings(folder: string, terminal: Terminal, over: object = {}, xt: object = {}) {
  const sidecar = { python: PYTHON, xtquant_path: FAKE }
  const options = {
    configFile: configFile(folder, {
      accounts: [
        {
          ...account(ACCOUNT, []),
          qmt_path: terminal.clientPath,
          driver: 'xt',
          xt: { ...sidecar, ...xt },
        },
      ],
      market: { source: 'xt', quote_port: terminal.port },
      gateway: { host: '127.0.0.1', port: 0, api_token: TOKEN },
      ...over,
    }),
  }
  const loaded = loadConfig({ cwd: folder, env: {}, options })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const lines: string[] = []
  const reportFile = join(folder, 'report.txt')
  const write = (line: string) => void lines.push(line)
  const common = { loaded: loaded.value, write, reportFile, version: '1.2.3', nowMs: NOW_MS }
  const isSound = await examine(common)
  return { isSound, text: lines.join('\n'), report: readFileSync(reportFile, 'utf8') }
}

t.test('a sound house is found sound, up to the broker', async (t) => {
  const folder = t.testdir()
  const terminal = await openTerminal(t, folder)
  const { isSound, text, report } = await findings(folder, terminal)
  t.ok(isSound, text)
  for (const line of [
    /^ok +node +Node v22/m,
    /^ok +python +.*: 3\.\d+\.\d+, 64 bit$/m,
    /^ok +xtquant +0\.0-fake in /m,
    /^ok +trading client +.*\(connected/m,
    /^ok +query positions +1 行 \(1 rows\)$/m,
    /^ok +orders +.*\(ready; nothing was sent\)$/m,
    /^ok +queue files +.*\(0 of the terminal's sessions, 0 MB\)$/m,
    /^ok +quotes +.*\(000001\.SZ is quoted 11, dated \d{4}-\d\d-\d\d [\d:]{8}, \d+ s old\)$/m,
    /^ok +history +numpy \S+, pandas \S+$/m,
  ]) {
    t.match(text, line)
  }
  t.equal(terminal.orders, 0)
  t.match(report, /steward 1\.2\.3 doctor/)
  t.match(report, /accounts\[0\]\.account_id +"\*{4}0001"/)
  t.notMatch(report, TOKEN)
  t.notMatch(report, ACCOUNT)
  t.notMatch(report, homedir())
})

t.test('everything that is wrong is named, with its mend', async (t) => {
  const folder = t.testdir({ OneDrive: {} })
  const terminal = await openTerminal(t, folder)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const gateway = { host: '127.0.0.1', port }
  const over = { gateway, data_dir: join(folder, 'OneDrive', 'data') }
  const xt = { python: 'no-such-python' }
  const { isSound, text } = await findings(folder, terminal, over, xt)
  t.notOk(isSound)
  t.match(
    text,
    /^fail +data folder .*OneDrive.*\(is synchronized by another program\)\n +→ .*\(move/m,
  )
  t.match(text, /^fail +gateway port .*\(is taken by .*\n +→ .*\(end that program/m)
  if (process.platform === 'linux') t.match(text, `(process ${process.pid})`)
  t.match(
    text,
    /^fail +python +no-such-python: ENOENT\n +→ 请安装 64 位 Python.*install 64-bit Python/m,
  )
})

t.test(
  'a client that is not logged in, or not there, is told from a missing library',
  async (t) => {
    const folder = t.testdir()
    const terminal = await openTerminal(t, folder)
    terminal.fault = (method) => (method === 'connect' ? { answer: -1 } : undefined)
    const loggedOff = await findings(folder, terminal)
    t.match(loggedOff.text, /^fail +trading client .*\n +→ .*\(start the terminal in minimal mode/m)
    const gone = { clientPath: join(folder, 'nowhere', 'userdata_mini'), port: terminal.port }
    const missing = await findings(folder, gone as Terminal, {}, { xtquant_path: folder })
    t.match(missing.text, /^fail +qmt_path \*{4}0001 .*does not exist\)\n +→ .*\(set qmt_path/m)
    t.match(missing.text, /^fail +xtquant +ImportError: no xtquant in .*\n +→ .*\(install/m)
  },
)

const NO_FLOOR = { free_space_floor_mb: 0, write_margin_mb: 4 }

t.test('F964 a disk on which the service refuses orders is told so by the doctor', async (t) => {
  const floor = { free_space_floor_mb: 256, write_margin_mb: 4 }
  t.equal(freeFinding(256, floor).status, 'warn')
  t.match(freeFinding(255, floor), {
    status: 'fail',
    text: /below limits\.store\.free_space_floor_mb \(256\): orders are refused/,
  })
  t.match(freeFinding(3, NO_FLOOR), {
    status: 'fail',
    text: /below .*write_margin_mb \(4\): orders/,
  })
})

t.test('limits of the findings', async (t) => {
  const status = (version: string) => nodeFinding(version, '127', 'linux-x64').status
  t.strictSame(['v22.18.0', 'v22.17.9', 'v24.0.0', 'v20.20.2'].map(status), [
    'ok',
    'fail',
    'fail',
    'fail',
  ])
  t.strictSame(
    [2_048, 2_047, 200, 199].map((mib) => freeFinding(mib, NO_FLOOR).status),
    ['ok', 'warn', 'warn', 'fail'],
  )
  const path = redact('C:\\\\Users\\\\wang\\\\x and wang', [
    ['wang', '<user>'],
    ['C:\\Users\\wang', '~'],
    ['x', 'short texts say nothing'],
  ])
  t.equal(path, '~\\\\x and <user>')
})

t.test('F447 no name is in a report, however a path of Windows is typed', async (t) => {
  const secrets = [
    ['C:\\Users\\张三', '~'],
    ['张三', '<user>'],
    ['DESK-7', '<host>'],
    ['"张总"', '"<alias>"'],
  ] as const
  for (const [said, shown] of [
    ['C:/Users/张三/steward', '~/steward'],
    ['c:\\users\\张三\\steward', '~\\steward'],
    ['C:\\\\Users\\\\张三\\\\steward', '~\\\\steward'],
    ['D:/备份/张三', 'D:/备份/<user>'],
    ['"D:/Users/Li Si/QMT"', '"D:/Users/<user>/QMT"'],
    ['\\\\desk-7\\share', '\\\\<host>\\share'],
    ['accounts[0].alias  "张总"', 'accounts[0].alias  "<alias>"'],
  ] as const) {
    t.equal(redact(said, secrets), shown)
  }
})

t.test(
  'F447 an alias is no part of a report, and one that cannot be written is told',
  async (t) => {
    const folder = t.testdir()
    const hash = `sha256:${'0'.repeat(64)}`
    const file = configFile(folder, {
      accounts: [{ ...account(ACCOUNT, []), alias: '王总' }],
      tokens: [{ name: 'wangs-phone', hash, scope: 'view' }],
    })
    const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
    if (!loaded.ok) throw new Error(loaded.error.join())
    const lines: string[] = []
    const asked = {
      loaded: loaded.value,
      write: (line: string) => lines.push(line),
      version: '0',
      nowMs: NOW_MS,
    }
    const reportFile = join(folder, 'report.txt')
    await examine({ ...asked, reportFile })
    const report = readFileSync(reportFile, 'utf8')
    t.match(report, /alias +"<alias>"/)
    t.notMatch(report, /王总|wangs-phone/)
    t.equal(await examine({ ...asked, reportFile: join(folder, 'nowhere', 'report.txt') }), false)
    t.match(lines.at(-1), /报告未能写入.*nowhere.*ENOENT/)
  },
)

t.test('F975 a report takes the place of no file but a report', async (t) => {
  const folder = t.testdir()
  const file = configFile(folder, { accounts: [account(ACCOUNT, [])] })
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join())
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const reported = async (reportFile: string) => {
    await examine({ loaded: loaded.value, write, reportFile, version: '0', nowMs: NOW_MS })
    return lines.at(-1)
  }
  const before = readFileSync(file, 'utf8')
  t.match(await reported(file), /报告未能写入.*is no report, and stays as it is/)
  t.equal(readFileSync(file, 'utf8'), before)
  const report = join(folder, 'report.txt')
  t.match(await reported(report), /^report: /)
  t.match(await reported(report), /^report: /, 'the one before')
  writeFileSync(report, '')
  t.match(await reported(report), /^report: /, 'an empty file is nobody’s')
})

t.test('a clock that is behind what was written here is named', async (t) => {
  const dataDir = t.testdir({ service: { 'db.mdb': '' } })
  const writtenMs = Date.now()
  t.match(await clockFinding(writtenMs - 4 * 86_400_000, dataDir), {
    status: 'fail',
    name: 'clock',
  })
  t.not((await clockFinding(writtenMs, dataDir)).status, 'fail')
  t.not((await clockFinding(writtenMs, join(dataDir, 'none'))).status, 'fail')
})

/** Of nobody, on every Unix. */
const NOBODY = 65_534

/** As a user to whom something is denied: to root nothing is. */
async function denied<T>(action: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return action()
  process.seteuid(NOBODY)
  try {
    return await action()
  } finally {
    process.seteuid(0)
  }
}

t.test(
  'F681 data that this user may not look at is one finding, and the rest is still looked at',
  { skip: process.platform === 'win32' && 'Windows has other rights' },
  async (t) => {
    for (const closed of ['data', 'data/service']) {
      const folder = mkdtempSync('/tmp/denied-') // where everybody may pass
      t.teardown(() => rmSync(folder, { recursive: true, force: true }))
      mkdirSync(join(folder, 'data', 'service'), { recursive: true, mode: 0o755 })
      const file = configFile(folder, { accounts: [account(ACCOUNT, [])] })
      const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
      if (!loaded.ok) throw new Error(loaded.error.join())
      chmodSync(folder, 0o755)
      chmodSync(join(folder, closed), 0)
      t.teardown(() => chmodSync(join(folder, closed), 0o700))
      const lines: string[] = []
      const write = (line: string) => void lines.push(line)
      const asked = { loaded: loaded.value, reportFile: undefined, version: '0', nowMs: NOW_MS }
      await denied(() => examine({ ...asked, write }))
      const text = lines.join('\n')
      // What may be done is asked for the user who has begun the process.
      if (closed === 'data' && process.getuid?.() !== 0)
        t.match(text, /^fail +data folder .*\n +→ /m)
      t.match(text, /^(ok|warn|fail) +clock /m, 'and goes on')
      t.match(lines.at(-1), /looked at, \d+ to mend/)
    }
  },
)
