import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createLogger } from '../../../src/observability/logger.ts'
import { BackupDesk } from '../../../src/service/backups/backup-desk.ts'
import { writePlan } from '../../../src/service/backups/plan.ts'
import { openAccountDatabase } from '../../../src/storage/account-database.ts'
import { hang } from '../../held.ts'
import { inTime } from '../../in-time.ts'
import { runStarved } from '../../starved.ts'

const at = (text: string): number => Date.parse(`${text.replace(' ', 'T')}:00+08:00`)

t.test(
  'F686 a drive of copies that does not answer keeps neither this thread nor the stop, and is told of',
  async (t) => {
    const folder = t.testdir({ data: {}, gone: {} })
    const [dataDir, to] = [join(folder, 'data'), join(folder, 'gone')]
    writePlan(dataDir, { at: '15:40', to, keep: 1 })
    const kept = hang(t, 'gone')
    const told = Promise.withResolvers<string>()
    const desk = new BackupDesk({
      dataDir,
      configFile: undefined,
      log: createLogger({ name: 'test', write: told.resolve }),
      nowMs: () => at('2026-08-11 10:00'), // in the hours of trading
      limits: { checkMs: 10, retryMs: 60_000, copyMs: 60_000 },
      copy: async () => ({ is: 'whole' }),
    })
    desk.start()
    const first = desk.check()
    t.strictSame(kept, [])
    await inTime(
      Promise.race([told.promise, first]).then((line) => t.match(line, /backup_failed.*没有响应/)),
      'a word of it',
    )
    t.match(desk.figures, { failures: 1 })
    await inTime(desk.close(), 'the stop')
    t.strictSame(kept, [])
  },
)

t.test(
  'F706 a drive of copies that stops to answer while one is made is told of, past twice its time',
  async (t) => {
    const folder = t.testdir({ data: {}, copies: {} })
    const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
    writePlan(dataDir, { at: '15:40', to, keep: 1 })
    const told = Promise.withResolvers<string>()
    const begun = Promise.withResolvers<void>()
    let copies = 0
    const desk = new BackupDesk({
      dataDir,
      configFile: undefined,
      log: createLogger({ name: 'test', write: told.resolve }),
      nowMs: () => at('2026-08-11 16:00'),
      limits: { checkMs: 10, retryMs: 60_000, copyMs: 10 },
      copy: () => {
        copies += 1
        begun.resolve()
        return new Promise(() => undefined)
      },
    })
    desk.start()
    t.match(await inTime(told.promise, 'a word of it'), /backup_failed.*没有响应/)
    await inTime(begun.promise, 'the copy, which a slow computer may come to after it')
    t.match({ copies, figures: desk.figures }, { copies: 1, figures: { failures: 1 } })
    await inTime(desk.close(), 'the stop')
  },
)

t.test(
  'F684 a scheduled backup that finds no descriptors fails, and ends nobody',
  { skip: process.platform === 'win32' && 'descriptors do not run out there' },
  async (t) => {
    const folder = t.testdir({ data: {}, copies: {} })
    const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
    writePlan(dataDir, { at: '15:40', to, keep: 2 })
    const source = (path: string) => new URL(`../../../src/${path}`, import.meta.url).href
    const { stdout, stderr, status } = runStarved(
      folder,
      `
      import { BackupDesk } from ${JSON.stringify(source('service/backups/backup-desk.ts'))}
      const desk = new BackupDesk({
        dataDir: ${JSON.stringify(dataDir)},
        configFile: undefined,
        log: { error: ({ reason }) => console.log(reason) },
        nowMs: () => ${at('2026-08-11 16:00')},
        limits: { checkMs: 1_000, retryMs: 60_000, copyMs: 1_000 },
      })
      starve(1)
      await desk.check()
      console.log(desk.figures.failures)
      `,
    )
    t.equal(status, 0, stderr)
    t.match(stdout, /EMFILE\n1\n$/)
    t.strictSame(readdirSync(to), [], 'nothing half is left, which would keep the next one away')
  },
)

t.test(
  'F702 a scheduled backup that finds no memory for its process fails, and is tried again',
  { skip: process.platform === 'win32' && 'its programs have longer names' },
  async (t) => {
    const folder = t.testdir({ data: {}, copies: {} })
    const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
    await openAccountDatabase(dataDir, '10000001').close()
    writePlan(dataDir, { at: '15:40', to, keep: 2 })
    const lines: string[] = []
    let nowMs = at('2026-08-11 16:00')
    const desk = new BackupDesk({
      dataDir,
      configFile: undefined,
      log: createLogger({ name: 'test', write: (line) => lines.push(line) }),
      nowMs: () => nowMs,
      limits: { checkMs: 1_000, retryMs: 60_000, copyMs: 60_000 },
    })
    const { execPath } = process
    process.execPath = 'x'.repeat(5_000) // the system refuses that at once, as where memory is short
    t.teardown(() => {
      process.execPath = execPath
    })
    await desk.check()
    process.execPath = execPath
    t.match(lines.join(''), /backup_failed.*ENAMETOOLONG/)
    nowMs += 60_000
    await desk.check()
    t.strictSame(readdirSync(to), ['steward-20260811-160100'])
  },
)

t.test(
  'F992 a backup on a drive whose folders the system has no name for goes well, and older ones go',
  async (t) => {
    const folder = t.testdir({ data: {}, copies: {} })
    const [dataDir, to] = [join(folder, 'data'), join(folder, 'copies')]
    writePlan(dataDir, { at: '15:40', to, keep: 1 })
    const lines: string[] = []
    let nowMs = at('2026-08-11 16:00')
    const desk = new BackupDesk({
      dataDir,
      configFile: undefined,
      log: createLogger({ name: 'test', write: (line) => lines.push(line) }),
      nowMs: () => nowMs,
      limits: { checkMs: 1_000, retryMs: 60_000, copyMs: 60_000 },
      copy: async () => ({ is: 'whole' }),
      realpath: async () => {
        // As Windows says of drives in memory, and of some that programs make.
        throw Object.assign(new Error('EISDIR: illegal operation, realpath'), { code: 'EISDIR' })
      },
    })
    await desk.check()
    nowMs = at('2026-08-12 16:00')
    await desk.check()
    t.notMatch(lines.join(''), /backup_failed/)
    t.match(desk.figures, { lastMs: nowMs, failures: 0 })
    t.strictSame(readdirSync(to), ['steward-20260812-160000'])
  },
)
