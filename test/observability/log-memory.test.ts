import t from 'tap'
import {
  createLogMemory,
  droppedByThreads,
  linesOf,
  setLogLevel,
} from '../../src/observability/log-memory.ts'
import { createLogger } from '../../src/observability/logger.ts'

const messages = (lines: readonly string[]) =>
  lines.map((line) => (JSON.parse(line) as { msg: string }).msg)

t.test('the level changes while loggers run, those that were made before too', async (t) => {
  const memory = createLogMemory('warn', 1)
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

t.test(
  'a thread drops lines that nobody takes, counts them, and says so once they flow',
  async (t) => {
    const memory = createLogMemory('info', 2)
    const printed: string[] = []
    let taken = 0
    const printer = {
      print: (text: string) => void printed.push(text),
      get unprinted() {
        return printed.length - taken
      },
    }
    const log = createLogger({ name: 'account', memory, write: linesOf(printer, memory) })
    const other = linesOf({ print: () => t.fail('it is full'), unprinted: 2 }, memory)
    for (const text of ['1', '2', '3', '4']) log.info({}, text)
    other('5')
    t.strictSame(messages(printed), ['1', '2'])
    t.equal(droppedByThreads(memory), 3, 'of all threads')
    taken = 2
    log.info({}, '6')
    t.strictSame(messages(printed), ['1', '2', '2 lines dropped', '6'])
    t.match(JSON.parse(printed[2] ?? ''), { level: 'warn', name: 'log', dropped: 2 })
  },
)
