import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { acquireRole } from '../../../src/cluster/role-lock.ts'
import { loadConfig } from '../../../src/config/load.ts'
import {
  calendarFinding,
  clockFinding,
  dataFindings,
  descriptorsFinding,
  halfCopyFinding,
  readW32tm,
} from '../../../src/service/doctor/machine.ts'
import { listenerIn, portFindings, takenFinding } from '../../../src/service/doctor/ports.ts'
import { heard } from '../../in-time.ts'
import { account, configFile } from '../fixture.ts'

const NOW_MS = Date.parse('2026-08-11T10:00:00+08:00')
const STATUS = (leap: string, source: string) =>
  `Leap Indicator: ${leap}\r\nStratum: 4\r\nRoot Delay: 0.0416702s\r\nReferenceId: 0x0A000001\r\nSource: ${source}\r\n`

t.test('a clock of which nothing is known is no sound one', async (t) => {
  const folder = t.testdir()
  const asked = (answer: boolean | undefined) => clockFinding(NOW_MS, folder, async () => answer)
  t.match(await asked(true), { status: 'ok', text: /, synchronized\)$/ })
  t.match(await asked(false), { status: 'warn', text: /not synchronized/ })
  t.match(await asked(undefined), { status: 'warn', text: /is unknown\)$/, mend: /compare it/ })
})

t.test('F441 a letter of Windows behind which there is a network is no place for data', (t) => {
  const folder = t.testdir()
  const floor = { free_space_floor_mb: 0, write_margin_mb: 0 }
  const found = (name: string) => dataFindings(folder, floor, () => name)[0]
  t.match(found('\\\\nas\\steward\\data'), { status: 'fail', text: /network/, mend: /local disk/ })
  t.match(found('C:\\Users\\me\\OneDrive\\data'), { status: 'fail', text: /synchronized/ })
  t.match(found(folder), { status: 'ok' })
  t.end()
})

t.test('F896 a limit of open files that the accounts do not fit into is named', (t) => {
  t.strictSame(descriptorsFinding({ own: 8, foreign: 0 }, 256), [])
  t.match(descriptorsFinding({ own: 8, foreign: 0 }, 255), [
    {
      status: 'warn',
      text: /open 255 files and connections;.*\(8\) it needs about 256/,
      mend: /ulimit -n/,
    },
  ])
  t.end()
})

t.test('F277 a calendar that ends soon, or has ended, is named', (t) => {
  const at = (day: string) => calendarFinding(Date.parse(`${day}T10:00:00+08:00`))
  t.match(at('2026-08-11'), { status: 'ok', text: /2026/ })
  t.match(at('2026-12-01'), { status: 'warn', text: /2027.*in 31 days/, mend: /update/ })
  t.match(at('2027-01-04'), { status: 'warn', text: /2027/, mend: /every weekday/ })
  t.end()
})

t.test('what Windows says of its clock is understood in any language', (t) => {
  t.equal(readW32tm(STATUS('0(no warning)', 'ntp.example,0x9')), true)
  t.equal(readW32tm(STATUS('3(not synchronized)', 'ntp.example,0x9')), false)
  t.equal(readW32tm(STATUS('0(no warning)', 'Local CMOS Clock')), false)
  t.equal(readW32tm(STATUS('0(no warning)', 'Free-running System Clock')), false)
  t.equal(readW32tm(`Leap ָʾ��: 3(δͬ��)\r\n����: 0 (δָ��)\r\n0x00000000\r\n`), false)
  t.equal(readW32tm('服务尚未启动。 (0x80070426)'), false, 'the service is not started')
  t.equal(readW32tm(''), undefined)
  t.equal(readW32tm('拒绝访问。'), undefined)
  t.end()
})

t.test('who has a port is found in what netstat says, over both protocols', (t) => {
  const table = [
    '活动连接',
    '  协议  本地地址          外部地址        状态           PID',
    '  TCP    127.0.0.1:8888         127.0.0.1:50000        ESTABLISHED     11',
    '  TCP    0.0.0.0:18888          0.0.0.0:0              LISTENING       22',
    '  TCP    0.0.0.0:8888           0.0.0.0:0              侦听            33',
    '  TCP    [::1]:9999             [::]:0                 LISTENING       44',
  ].join('\r\n')
  t.strictSame(
    [8888, 9999, 50_000, 888].map((port) => listenerIn(table, port)),
    [33, 44, undefined, undefined],
  )
  t.end()
})

t.test('a port that this service has while it runs is no fault', (t) => {
  const own = new Set([7])
  const finding = (holder: { name: string; pid: number } | undefined, pids = own) =>
    takenFinding('gateway port', '127.0.0.1:1', { holder, own: pids })
  t.match(finding({ name: 'node', pid: 7 }), { status: 'ok', text: /by this service/ })
  t.match(finding({ name: 'other', pid: 8 }), { status: 'fail', text: /by other \(process 8\)/ })
  t.match(finding(undefined), { status: 'warn', text: /it seems by this service.*process 7/ })
  t.match(finding(undefined, new Set()), { status: 'fail', text: /may not see/ })
  t.end()
})

t.test(
  'the doctor knows its own service by the lock that it holds',
  { skip: process.platform !== 'linux' && 'who listens is read from /proc: only on Linux' },
  async (t) => {
    const folder = t.testdir()
    const server = createServer().listen(0, '127.0.0.1')
    await heard(server, 'listening')
    t.teardown(() => server.close())
    const { port } = server.address() as { port: number }
    const file = configFile(folder, {
      accounts: [account('10000001', [])],
      gateway: { host: '127.0.0.1', port },
    })
    const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
    if (!loaded.ok) throw new Error(loaded.error.join())
    const { config } = loaded.value
    t.match(await portFindings(config), [{ status: 'fail', text: `(process ${process.pid})` }])
    t.notOk(existsSync(config.data_dir), 'asking makes no folder')
    mkdirSync(config.data_dir)
    const lock = await acquireRole(config.data_dir, '10000001', 'direct')
    t.teardown(() => (lock.kind === 'held' ? lock.release() : undefined))
    t.match(await portFindings(config), [{ status: 'ok', text: /is served by this service/ }])
  },
)

t.test('F734 the half copy of a restore that was killed is named, and what to do with it', (t) => {
  const folder = t.testdir({ data: { '10000001': {} } })
  const dataDir = join(folder, 'data')
  t.strictSame(halfCopyFinding(dataDir), [])
  for (const left of [`${dataDir}.restoring`, join(dataDir, '.restoring')]) {
    mkdirSync(left)
    const [found] = halfCopyFinding(dataDir)
    t.match(found, { status: 'warn', mend: /steward restore/ })
    t.ok(found?.text.includes(left))
    rmSync(left, { recursive: true })
  }
  t.end()
})
