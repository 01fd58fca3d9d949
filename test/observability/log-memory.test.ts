import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  createLogMemory,
  LogFile,
  rotateIfLong,
  setLogLevel,
} from '../../src/observability/log-memory.ts'
import { createLogger } from '../../src/observability/logger.ts'

const LIMITS = { bytesMax: 200, filesMax: 3 }
const messages = (lines: readonly string[]) =>
  lines.map((line) => (JSON.parse(line) as { msg: string }).msg)

t.test('the level changes while loggers run, those that were made before too', async (t) => {
  const memory = createLogMemory('warn', null)
  const lines: string[] = []
  const log = createLogger({ name: 'a', memory, write: (line) => lines.push(line) })
  const child = log.child({ account: '10000001' })
  log.info({}, 'hidden')
  child.debug({}, 'hidden')
  setLogLevel(memory, 'debug')
  log.info({}, 'shown')
  child.debug({}, 'shown by the child')
  setLogLevel(memory, 'silent')
  log.error({}, 'hidden')
  t.strictSame(messages(lines), ['shown', 'shown by the child'])
  t.match(lines[1], /"account":"\*\*\*\*0001"/)
})

t.test('lines go to the file too, which only its owner may read', async (t) => {
  const path = join(t.testdir(), 'logs', 'up.log')
  const memory = createLogMemory('info', { path, limits: LIMITS })
  const log = createLogger({ name: 'a', memory, write: () => {} })
  t.notOk(existsSync(path), 'no line, no file')
  log.info({ api_token: 'secret' }, 'first')
  log.info({}, 'second')
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  t.strictSame(messages(lines), ['first', 'second'])
  t.notMatch(lines[0], /secret/)
  if (process.platform !== 'win32') t.equal(statSync(path).mode & 0o777, 0o600)
})

t.test(
  'a long file is put aside, so many are kept, and every writer goes on in the new one',
  async (t) => {
    const folder = t.testdir()
    const path = join(folder, 'up.log')
    const memory = createLogMemory('info', { path, limits: LIMITS })
    const writers = [new LogFile(path, memory), new LogFile(path, memory)]
    for (let round = 1; round <= 5; round++) {
      for (const writer of writers) writer.write(`${round} ${'x'.repeat(120)}\n`)
      t.ok(rotateIfLong(memory))
    }
    t.notOk(rotateIfLong(memory), 'nothing written since')
    for (const writer of writers) writer.write('last\n')
    t.notOk(rotateIfLong(memory), 'a short file stays')
    t.strictSame(readdirSync(folder).sort(), ['up.log', 'up.log.1', 'up.log.2'])
    t.equal(readFileSync(path, 'utf8'), 'last\nlast\n')
    t.match(readFileSync(`${path}.1`, 'utf8'), /^5 x+\n5 x+\n$/)
    t.match(readFileSync(`${path}.2`, 'utf8'), /^4 x+\n4 x+\n$/)
  },
)

t.test('a file that cannot be written costs lines and nothing else', async (t) => {
  const folder = t.testdir({ 'up.log': {} })
  const path = join(folder, 'up.log')
  const memory = createLogMemory('info', { path, limits: LIMITS })
  const lines: string[] = []
  createLogger({ name: 'a', memory, write: (line) => lines.push(line) }).info({}, 'still here')
  t.strictSame(messages(lines), ['still here'])
})
