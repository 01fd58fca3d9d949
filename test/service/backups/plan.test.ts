import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ok } from '../../../src/domain/result.ts'
import { createLogger, silentLogger } from '../../../src/observability/logger.ts'
import { BackupDesk, type Copied } from '../../../src/service/backups/backup-desk.ts'
import {
  copyMs,
  copyName,
  isDue,
  newestMs,
  readPlan,
  surplus,
  timeProblem,
  writePlan,
} from '../../../src/service/backups/plan.ts'
import { scheduleBackups } from '../../../src/service/backups/schedule-command.ts'
import { openAccountDatabase } from '../../../src/storage/account-database.ts'
import { hold } from '../../held.ts'
import { fillDisk, freeDisk, smallDisk } from '../fixtures/small-disk.ts'

/** A moment at the exchange. 2026-08-11 is a Tuesday, 2026-08-15 a Saturday. */
const at = (text: string): number => Date.parse(`${text.replace(' ', 'T')}:00+08:00`)
const WHOLE: Copied = { is: 'whole' }
const PLAN = { at: '15:40', to: '/backups', keep: 3 }

t.test(
  'a copy is due once after each time of the plan, and a missed one is caught up with',
  async (t) => {
    const table: readonly [last: string, now: string, isDue: boolean][] = [
      ['2026-08-10 15:41', '2026-08-11 15:39', false],
      ['2026-08-10 15:41', '2026-08-11 15:40', true],
      ['2026-08-11 15:41', '2026-08-11 15:42', false],
      ['2026-08-11 15:41', '2026-08-12 08:00', false],
      ['2026-08-07 15:41', '2026-08-11 08:59', true], // the computer was off: before the market opens
      ['2026-08-07 15:41', '2026-08-11 09:00', false], // never in the hours of trading
      ['2026-08-07 15:41', '2026-08-11 15:09', false],
      ['2026-08-07 15:41', '2026-08-11 15:10', true],
      ['2026-08-07 15:41', '2026-08-15 10:00', true], // no trading on a Saturday
      ['2030-01-01 00:00', '2026-08-11 16:00', true], // made under a wrong clock
    ]
    for (const [last, now, due] of table)
      t.equal(isDue(PLAN, at(last), at(now)), due, `${last} ${now}`)
    t.ok(isDue(PLAN, 0, at('2026-08-11 16:00')), 'the first one at once')
  },
)

t.test('names tell the time, and only such folders are ever removed', async (t) => {
  const ms = at('2026-08-11 15:40')
  t.equal(copyName(ms), 'steward-20260811-154000')
  t.equal(copyMs('steward-20260811-154000'), ms)
  const names = [
    'photos',
    'steward.part',
    ...[11, 9, 12, 10].map((d) => copyName(at(`2026-08-${String(d).padStart(2, '0')} 15:40`))),
  ]
  t.equal(newestMs(names, ms), at('2026-08-12 15:40'))
  t.strictSame(surplus(names, 3, ms), ['steward-20260809-154000'])
  t.strictSame(surplus(names, 9, ms), [])
  t.equal(newestMs([], ms), 0)
})

t.test('the time is one after the close', async (t) => {
  for (const good of ['15:10', '23:59', '00:00', '08:59'])
    t.equal(timeProblem(good), undefined, good)
  for (const bad of ['9:30', '24:00', '15:60', 'noon', '']) t.match(timeProblem(bad), /HH:MM/, bad)
  for (const bad of ['09:00', '14:59', '15:09']) t.match(timeProblem(bad), /收盘后/, bad)
})

t.test('the command writes a plan that the next look goes by', async (t) => {
  const folder = t.testdir({ data: {} })
  const [data, to] = [join(folder, 'data'), join(folder, 'copies')]
  const table: readonly [asked: object, error: RegExp][] = [
    [{ schedule: '10:00', to }, /收盘后/],
    [{ schedule: '15:40' }, /--to/],
    [{ schedule: '15:40', to, keep: 'x' }, /--keep/],
    [{ schedule: '15:40', to, keep: '0' }, /--keep/],
    [{ schedule: '15:40', to: join(data, 'copies') }, /数据目录/],
    [{ schedule: '15:40', to: data }, /数据目录/],
  ]
  for (const [asked, error] of table) {
    t.match(scheduleBackups(data, asked as never), { error: { text: error, isWrong: true } })
    t.strictSame(readPlan(data), ok(undefined))
  }
  t.match(scheduleBackups(data, { schedule: '15:40', to }), { ok: true })
  t.strictSame(readPlan(data), ok({ at: '15:40', to, keep: 14 }))
  t.match(scheduleBackups(data, { schedule: '20:00', keep: '5' }), { ok: true })
  t.strictSame(readPlan(data), ok({ at: '20:00', to, keep: 5 }), 'what is not said stays')
  writeFileSync(join(data, 'backup-plan.json'), '{')
  t.match(readPlan(data), { ok: false, error: /backup-plan.json 无法读取/ })
  t.match(scheduleBackups(data, { schedule: 'off' }), { ok: true })
  t.strictSame(readPlan(data), ok(undefined))
})

t.test(
  'copies are made when they are due, whole or not at all, and so many are kept',
  async (t) => {
    const folder = t.testdir({ data: {}, copies: { photos: {} } })
    const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
    let nowMs = at('2026-08-11 16:00')
    const results: Copied[] = [WHOLE, { is: 'failed', reason: 'no space' }, WHOLE, WHOLE]
    const desk = new BackupDesk({
      dataDir,
      configFile: undefined,
      log: silentLogger,
      nowMs: () => nowMs,
      limits: { checkMs: 1_000, retryMs: 60_000, copyMs: 60_000 },
      copy: async (target) => {
        writeFileSync(join(target, 'data.mdb'), '')
        return results.shift() ?? WHOLE
      },
    })
    await desk.check()
    t.match(desk.figures, { isScheduled: false, lastMs: 0 })
    writePlan(dataDir, { at: '15:40', to, keep: 2 })
    await Promise.all([desk.check(), desk.check()])
    await desk.check()
    t.strictSame(readdirSync(to), ['photos', 'steward-20260811-160000'])
    t.match(desk.figures, { isScheduled: true, lastMs: nowMs, failures: 0 })
    nowMs = at('2026-08-12 15:40')
    await desk.check()
    t.match(desk.figures, { failures: 1 })
    t.strictSame(readdirSync(to), ['photos', 'steward-20260811-160000'], 'nothing half is left')
    await desk.check()
    t.equal(results.length, 2, 'not tried again at once')
    nowMs += 60_000
    await desk.check()
    nowMs = at('2026-08-13 18:00')
    await desk.check()
    t.strictSame(readdirSync(to), ['photos', 'steward-20260812-154100', 'steward-20260813-180000'])
    nowMs = at('2026-08-14 18:00')
    mkdirSync(join(to, 'steward.part'))
    await desk.check()
    t.equal(readdirSync(to).length, 4, 'another process makes this one')
    await desk.close()
  },
)

/** A desk whose copies are empty; how many it has made. */
function counting(
  dataDir: string,
  nowMs: () => number,
  results: Copied[] = [],
  flush: (path: string) => Promise<void> = async () => undefined,
  log = silentLogger,
) {
  const made: string[] = []
  const desk = new BackupDesk({
    dataDir,
    configFile: undefined,
    log,
    nowMs,
    limits: { checkMs: 1_000, retryMs: 60_000, copyMs: 60_000 },
    copy: async (target) => {
      made.push(target)
      return results.shift() ?? WHOLE
    },
    flush,
  })
  return { desk, made }
}

t.test('F321 an older copy goes when the name of the new one is on disk', async (t) => {
  const folder = t.testdir({ data: {}, copies: {} })
  const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
  const [older, newer] = ['steward-20260810-160000', 'steward-20260811-160000']
  mkdirSync(join(to, older))
  writePlan(dataDir, { at: '15:40', to, keep: 1 })
  const flushed: (readonly [path: string, names: readonly string[]])[] = []
  const { desk } = counting(
    dataDir,
    () => at('2026-08-11 16:00'),
    [],
    async (path) => void flushed.push([path, readdirSync(to)]),
  )
  await desk.check()
  t.strictSame(flushed, [[to, [older, newer]]])
  t.strictSame(readdirSync(to), [newer])
})

t.test(
  'F295 a copy that was made under a wrong clock is not made again at every look',
  async (t) => {
    const folder = t.testdir({ data: {}, copies: { 'steward-20300101-000000': {} } })
    const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
    writePlan(dataDir, { at: '15:40', to, keep: 2 })
    let nowMs = at('2026-08-11 16:00')
    const { desk, made } = counting(dataDir, () => nowMs)
    for (let look = 0; look < 3; look++) {
      await desk.check()
      nowMs += 1_000
    }
    t.equal(made.length, 1)
    t.match(desk.figures, { lastMs: at('2026-08-11 16:00') })
    nowMs = at('2026-08-12 16:00')
    await desk.check()
    t.strictSame(readdirSync(to), ['steward-20260811-160000', 'steward-20260812-160000'])
  },
)

t.test('F295 a clock that was ahead keeps no later copy from being made', async (t) => {
  const folder = t.testdir({ data: {}, copies: { 'steward.part': {} } })
  const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
  const ahead = new Date(Date.now() + 365 * 86_400_000)
  utimesSync(join(to, 'steward.part'), ahead, ahead)
  writeFileSync(join(dataDir, 'backup-plan.json'), '{')
  let nowMs = at('2027-08-11 16:00')
  const { desk, made } = counting(dataDir, () => nowMs)
  await desk.check()
  t.match(desk.figures, { failures: 1 })
  writePlan(dataDir, { at: '15:40', to, keep: 2 })
  nowMs = at('2026-08-11 16:00')
  await desk.check()
  t.equal(made.length, 1)
})

t.test(
  'F682 a service whose copies can be made nowhere says so, and does not stand still',
  { skip: process.platform !== 'linux' && 'such a folder is known there' },
  async (t) => {
    const dataDir = t.testdir()
    writePlan(dataDir, { at: '15:40', to: '/proc/steward/copies', keep: 2 })
    const { desk, made } = counting(dataDir, () => at('2026-08-11 16:00'))
    await desk.check()
    t.match(desk.figures, { failures: 1 })
    t.strictSame(made, [])
  },
)

t.test('F296 a copy that a service runs on is never removed as an old one', async (t) => {
  const folder = t.testdir({
    copies: { 'steward-20260801-160000': {}, 'steward-20260802-160000': {} },
  })
  const to = join(folder, 'copies')
  const dataDir = join(to, 'steward-20260801-160000')
  writePlan(dataDir, { at: '15:40', to, keep: 1 })
  const { desk } = counting(dataDir, () => at('2026-08-11 16:00'))
  await desk.check()
  t.strictSame(readdirSync(to), ['steward-20260801-160000', 'steward-20260811-160000'])
})

t.test(
  'F437 an old copy that somebody has open keeps no other one, and fails nothing',
  async (t) => {
    const [first, second, third] = ['01', '02', '03'].map((day) => `steward-202608${day}-160000`)
    const copies = Object.fromEntries([first, second, third].map((name) => [name, {}]))
    const folder = t.testdir({ data: {}, copies })
    const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
    writePlan(dataDir, { at: '15:40', to, keep: 1 })
    hold(t, join(to, first ?? ''))
    const { desk } = counting(dataDir, () => at('2026-08-11 16:00'))
    await desk.check()
    t.strictSame(readdirSync(to), [first, 'steward-20260811-160000'])
    t.match(desk.figures, { failures: 0, lastMs: at('2026-08-11 16:00') })
  },
)

t.test('F437 a half copy that cannot be removed does not hide why it is one', async (t) => {
  const folder = t.testdir({ data: {}, copies: {} })
  const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
  writePlan(dataDir, { at: '15:40', to, keep: 1 })
  hold(t, join(to, 'steward.part'))
  const lines: string[] = []
  const log = createLogger({ name: 'test', write: (line) => lines.push(line) })
  const full: Copied = { is: 'failed', reason: 'the disk is full' }
  const { desk } = counting(dataDir, () => at('2026-08-11 16:00'), [full], undefined, log)
  await desk.check()
  t.match(lines.join(''), /"reason":"the disk is full"/)
  t.match(desk.figures, { failures: 1 })
})

t.test('F690 a folder of copies that is gone is told, and not made anew', async (t) => {
  const folder = t.testdir({ data: {}, disk: {} })
  const [dataDir, to] = [join(folder, 'data'), join(folder, 'disk', 'copies')]
  t.match(scheduleBackups(dataDir, { schedule: '15:40', to }), { ok: true })
  renameSync(join(folder, 'disk'), join(folder, 'elsewhere'))
  mkdirSync(join(folder, 'disk')) // where it was mounted
  const lines: string[] = []
  const log = createLogger({ name: 'test', write: (line) => lines.push(line) })
  let nowMs = at('2026-08-11 16:00')
  const { desk, made } = counting(dataDir, () => nowMs, [], undefined, log)
  await desk.check()
  t.match(lines.join(''), /backup_failed.*没有挂载.*not mounted/)
  t.match({ made, figures: desk.figures }, { made: [], figures: { failures: 1 } })
  t.strictSame(readdirSync(join(folder, 'disk')), [], 'nothing lies beside the data')
  rmdirSync(join(folder, 'disk'))
  renameSync(join(folder, 'elsewhere'), join(folder, 'disk'))
  nowMs += 60_000
  await desk.check()
  t.strictSame(readdirSync(to), ['steward-20260811-160100'])
})

t.test('a copy is made by the program itself, in a process of its own', async (t) => {
  const folder = t.testdir({ data: {}, copies: {} })
  const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
  await openAccountDatabase(dataDir, '10000001').close()
  writePlan(dataDir, { at: '15:40', to, keep: 2 })
  const desk = new BackupDesk({
    dataDir,
    configFile: undefined,
    log: silentLogger,
    nowMs: () => at('2026-08-11 16:00'),
    limits: { checkMs: 1_000, retryMs: 60_000, copyMs: 120_000 },
  })
  await desk.check()
  t.match(desk.figures, { failures: 0 })
  t.ok(existsSync(join(to, 'steward-20260811-160000', '10000001', 'db', 'data.mdb')))
  await desk.close()
})

t.test('F311 what is damaged keeps no copy of all the rest from being made', async (t) => {
  const folder = t.testdir({ data: {}, copies: { 'steward-20260810-160000': {} } })
  const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
  writePlan(dataDir, { at: '15:40', to, keep: 1 })
  const lacking: Copied = { is: 'partial', reason: '10000002: damaged' }
  let nowMs = at('2026-08-11 16:00')
  const { desk, made } = counting(dataDir, () => nowMs, [lacking, lacking, lacking])
  await desk.check()
  t.strictSame(readdirSync(to), ['steward-20260810-160000', 'steward-20260811-160000.partial'])
  t.match(desk.figures, { failures: 1, lastMs: at('2026-08-10 16:00') })
  for (let look = 0; look < 5; look++) {
    nowMs += 60_000
    await desk.check()
  }
  t.equal(made.length, 2, 'tried once more, and then no more on that day')
  nowMs = at('2026-08-12 16:00')
  await desk.check()
  await desk.check()
  t.strictSame(
    readdirSync(to),
    ['steward-20260810-160000', 'steward-20260812-160000.partial'],
    'the last that has the damaged one stays',
  )
  nowMs = at('2026-08-13 16:00')
  await desk.check()
  t.strictSame(readdirSync(to), ['steward-20260813-160000'])
  await desk.close()
})

t.test('F613 a plan that a full disk refuses leaves the one before', async (t) => {
  const dataDir = smallDisk(t, 1)
  if (dataDir === undefined) return void t.pass('this system mounts no disk for a test')
  const to = join(t.testdir(), 'copies')
  const schedule = (at: string) => scheduleBackups(dataDir, { schedule: at, to })
  t.match(schedule('15:40'), { ok: true })
  fillDisk(dataDir, 0)
  const text = /backup-plan\.json .*ENOSPC.*scheduled backups are as before/
  t.match(schedule('16:40'), { error: { text, isWrong: false } })
  t.match(readPlan(dataDir), { ok: true, value: { at: '15:40' } })
  freeDisk(dataDir)
  t.strictSame(readdirSync(dataDir), ['backup-plan.json'], 'nothing stays of it')
})

t.test('F842 a plan of backups is on disk before it is told', async (t) => {
  const dataDir = t.testdir()
  const plan = { at: '15:40', to: '/copies', keep: 2 }
  const flushed: unknown[] = []
  const note = (path: string) => void flushed.push([path === dataDir, readPlan(dataDir)])
  writePlan(dataDir, plan, note)
  t.strictSame(flushed.splice(0), [
    [false, ok(undefined)],
    [true, ok(plan)],
  ])
  writePlan(dataDir, undefined, note)
  t.strictSame(flushed, [[true, ok(undefined)]])
})

t.test('F897 a plan whose name the disk does not confirm is told as in force', async (t) => {
  const folder = t.testdir({ data: {} })
  const [data, to] = [join(folder, 'data'), join(folder, 'copies')]
  const refusing = (path: string) => {
    if (path === data) throw Object.assign(new Error('no'), { code: 'EIO' })
  }
  const inForce = { error: { text: /已生效.*EIO.*in force.*power cut/, isWrong: false } }
  t.match(scheduleBackups(data, { schedule: '15:40', to }, refusing), inForce)
  t.match(readPlan(data), { ok: true, value: { at: '15:40' } })
  t.match(scheduleBackups(data, { schedule: 'off' }, refusing), inForce)
  t.strictSame(readPlan(data), ok(undefined))
})

t.test('F897 a plan that cannot be removed is told in one line', async (t) => {
  const data = t.testdir({ 'backup-plan.json': {} })
  const text = /backup-plan\.json .*cannot be written.*scheduled backups are as before/
  t.match(scheduleBackups(data, { schedule: 'off' }), { error: { text, isWrong: false } })
})
