import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import { silentLogger } from '../../../src/observability/logger.ts'
import { tryAll, tryDatabase } from '../../../src/service/doctor/probe.ts'
import { StartError } from '../../../src/service/process/start-error.ts'
import { startService } from '../../../src/service/service.ts'
import { databasesIn } from '../../../src/storage/backup.ts'
import { hold, holdScript } from '../../held.ts'
import { account, configFile } from '../fixture.ts'

const PATIENT_MS = 60_000

/** A program that tries the things it is told by doing this with each, `say` in hand. */
function program(folder: string, doing: string): string {
  const file = join(folder, 'program.mjs')
  const text = `
    import { mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
    const { things, folder } = JSON.parse(readFileSync(0, 'utf8'))
    const say = (word) => writeSync(1, JSON.stringify(word) + '\\n')
    for (const thing of things) {
      say({ begins: thing })
      if (thing === 'database') { mkdirSync(folder, { recursive: true }); writeFileSync(folder + '/data.mdb', 'half') }
      ${doing}
      say({ about: thing, problem: null })
    }
  `
  writeFileSync(file, text)
  return file
}

t.test('a sound computer: everything loads, and the database is written and read', async (t) => {
  const dataDir = t.testdir()
  const tried = await tryAll({ dataDir, silenceMs: PATIENT_MS })
  t.strictSame(
    tried.map(({ name, problem }) => [name, problem]),
    ['uWebSockets.js', 'lmdb', 'msgpackr-extract', 'database'].map((name) => [name, undefined]),
  )
  t.strictSame(readdirSync(dataDir), [], 'nothing of it is left')
})

t.test('an open that never returns is ended, named and cleared away', async (t) => {
  const dataDir = t.testdir({ data: {} })
  const spins = program(dataDir, `if (thing === 'database') for (;;);`)
  const options = { dataDir: join(dataDir, 'data'), silenceMs: 1_000, program: spins }
  const problem = await tryDatabase(options)
  t.match(problem, /no database can be opened in it\): trying it did not end within 1000 ms/)
  t.match(problem, /move data_dir/)
  t.strictSame(readdirSync(options.dataDir), [])
})

t.test('a module that ends its process is named, and the others are still tried', async (t) => {
  const dataDir = t.testdir({ data: {} })
  const dies = program(dataDir, `if (thing === 'lmdb') process.abort()`)
  const options = { dataDir: join(dataDir, 'data'), silenceMs: PATIENT_MS, program: dies }
  const tried = await tryAll(options)
  t.strictSame(
    tried.map(({ name, problem }) => [name, problem === undefined]),
    [
      ['uWebSockets.js', true],
      ['lmdb', false],
      ['msgpackr-extract', true],
      ['database', true],
    ],
  )
  t.match(tried[1]?.problem?.text, /ends the process/)
})

t.test('F443 a scanner that reads what was tried says nothing of the database', async (t) => {
  const folder = t.testdir({ data: {}, 'scanner.cjs': holdScript('.probe-') })
  const options = { dataDir: join(folder, 'data'), silenceMs: PATIENT_MS }
  const { NODE_OPTIONS: before = '' } = process.env
  const there = (scanner: string) => {
    process.env['NODE_OPTIONS'] = scanner
  }
  t.teardown(() => there(before))
  there(`--require ${JSON.stringify(join(folder, 'scanner.cjs'))}`)
  const letGo = hold(t, '.probe-')
  t.equal(await tryDatabase(options), undefined)
  t.strictSame(readdirSync(options.dataDir), [`.probe-${process.pid}`])
  letGo()
  there(before)
  mkdirSync(join(options.dataDir, '.probe-4194305')) // of a start before, whose process is gone
  mkdirSync(join(options.dataDir, `.probe-${process.ppid}`))
  t.equal(await tryDatabase(options), undefined)
  t.strictSame(readdirSync(options.dataDir), [`.probe-${process.ppid}`], 'one under way stays')
})

t.test('a data folder that is not there is not made by trying', async (t) => {
  const dataDir = join(t.testdir(), 'moved-away')
  const tried = await tryAll({ dataDir, silenceMs: PATIENT_MS })
  t.strictSame(
    tried.map(({ name }) => name),
    ['uWebSockets.js', 'lmdb', 'msgpackr-extract'],
  )
  t.notOk(existsSync(dataDir))
})

t.test('what a killed probe has left is no database of ours', (t) => {
  const dataDir = t.testdir({ '10000001': { db: { 'data.mdb': 'x' } } })
  mkdirSync(join(dataDir, '.probe-123'))
  writeFileSync(join(dataDir, '.probe-123', 'data.mdb'), 'x')
  t.strictSame(databasesIn(dataDir), [join('10000001', 'db')])
  t.end()
})

t.test('where no database can be opened nothing is started, and the reason is told', async (t) => {
  const folder = t.testdir()
  const file = configFile(folder, { accounts: [account('10000001', [])] })
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join())
  const { config } = loaded.value
  const asked: string[] = []
  const starting = startService({
    config,
    scope: { kind: 'up' },
    log: silentLogger,
    onFatal: (reason) => t.fail(reason),
    tryDatabase: async ({ dataDir }) => {
      asked.push(dataDir)
      return 'it never returns; move data_dir'
    },
  })
  await t.rejects(starting, new StartError('it never returns; move data_dir'))
  t.strictSame(asked, [config.data_dir])
  t.strictSame(databasesIn(config.data_dir), [])
})
