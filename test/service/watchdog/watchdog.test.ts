import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { Watchdog } from '../../../src/service/watchdog/watchdog.ts'
import { inTime } from '../../in-time.ts'
import { NEEDS_SIGNALS, NEEDS_SUSPENSION } from '../../platform.ts'
import { until } from '../fixture.ts'
import type { Life } from './fixtures/lives.ts'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'] as const

/** A plan for the lives of a node, and what it wrote down of them. */
function play(t: Test, lives: readonly Life[]) {
  const diary = join(t.testdir(), 'diary')
  writeFileSync(diary, '')
  return {
    command: [...NODE, fixture('node.process.ts'), diary, JSON.stringify(lives)] as const,
    lines: async () => readFileSync(diary, 'utf8').split('\n').slice(0, -1),
  }
}

async function watch(t: Test, lives: readonly Life[]) {
  const { command, lines } = play(t, lives)
  const printed: string[] = []
  const watchdog = new Watchdog({ command, print: (line) => printed.push(line) })
  const code = await inTime(watchdog.run(), 'the last life to end')
  const afters = (await lines())
    .filter((line) => line.startsWith('life'))
    .map((line) => line.split(' ').slice(2).join(' '))
  return { code, afters, printed }
}

t.test(
  'a node that stands still beyond its lease is killed, and lives again',
  NEEDS_SUSPENSION,
  async (t) => {
    const { code, afters, printed } = await watch(t, [
      { leaseMs: 100, does: 'stand' },
      { does: 'exit 0' },
    ])
    t.equal(code, 0)
    t.equal(afters.length, 2)
    t.match(
      afters[1],
      /^killed: silent for \d+ ms, \d+ ms past its lease$/,
      'the next life can say why',
    )
    t.match(printed, [/重新启动 .*killed: silent/])
  },
)

t.test('a node that only cannot renew its lease goes on speaking, and lives', async (t) => {
  const { code, afters } = await watch(t, [{ leaseMs: 1, does: 'speak' }])
  t.equal(code, 0)
  t.strictSame(afters, ['first'])
})

t.test('codes: a stop and a wrong configuration end it, all else is lived through', async (t) => {
  const cases: readonly (readonly [string, readonly Life[], number, number])[] = [
    ['wrong', [{ isReady: false, does: 'exit 2' }], 2, 1],
    ['a start that fails', [{ isReady: false, does: 'exit 1' }], 1, 1],
    ['over before it was ready', [{ isReady: false, does: 'exit 7' }, { does: 'exit 0' }], 0, 2],
    [
      'over, crashed, crashed at its start, stopped',
      [
        { does: 'exit 7' },
        { does: 'exit 1' },
        { isReady: false, does: 'exit 1' },
        { does: 'exit 0' },
      ],
      0,
      4,
    ],
  ]
  for (const [name, lives, wanted, count] of cases) {
    const { code, afters } = await watch(t, lives)
    t.equal(code, wanted, name)
    t.equal(afters.length, count, name)
  }
})

t.test('who kills the watchdog ends its node too, in order', NEEDS_SIGNALS, async (t) => {
  for (const does of ['serve', 'outlive'] as const) {
    const { command, lines } = play(t, [{ does }])
    const parent = spawn(NODE[0], [NODE[1], fixture('parent.process.ts'), ...command], {
      stdio: 'ignore',
    })
    t.teardown(() => parent.kill('SIGKILL'))
    await until(lines, ({ length }) => length > 0)
    parent.kill('SIGKILL')
    await until(lines, (said) => said.includes('stopped'))
    t.pass(does === 'serve' ? 'at once' : 'also where its next sign of life comes first')
  }
})

t.test(
  'a signal to the watchdog stops the node, and both end with its code',
  NEEDS_SIGNALS,
  async (t) => {
    const { command, lines } = play(t, [{ does: 'serve' }])
    const parent = spawn(NODE[0], [NODE[1], fixture('parent.process.ts'), ...command], {
      stdio: 'ignore',
    })
    const ended = once(parent, 'exit')
    t.teardown(() => parent.kill('SIGKILL'))
    await until(lines, ({ length }) => length > 0)
    parent.kill('SIGTERM')
    t.strictSame(await inTime(ended, 'the watchdog to end'), [0, null])
    t.equal((await lines()).at(-1), 'stopped')
  },
)

t.test(
  'F703 a life for which there is no memory is tried again, and the watchdog stays',
  { skip: process.platform === 'win32' && 'its programs have longer names' },
  async (t) => {
    const { command, lines } = play(t, [{ does: 'exit 1' }, { does: 'exit 0' }])
    const [program, ...args] = command
    const asked: [string, ...string[]] = [program, ...args]
    const printed: string[] = []
    const print = (line: string) => {
      // The system refuses so long a name at once, as anything where memory is short.
      asked[0] = printed.push(line) === 1 ? 'x'.repeat(5_000) : program
    }
    t.equal(await inTime(new Watchdog({ command: asked, print }).run(), 'the last life to end'), 0)
    t.match(printed, [/exit code 1/, /ENAMETOOLONG/])
    t.match(await lines(), [/^life/, /^life .*ENAMETOOLONG/])
    asked[0] = 'x'.repeat(5_000)
    const first = new Watchdog({ command: asked, print: (line) => printed.push(line) })
    t.equal(await inTime(first.run(), 'the start to fail'), 1)
    t.match(printed.at(-1), /无法启动.*ENAMETOOLONG/, 'and why, where it is the first one')
  },
)

t.test('F823 a watchdog whose errors nobody reads any more starts the next life', async (t) => {
  const diary = join(t.testdir(), 'diary')
  writeFileSync(diary, '')
  const lives: readonly Life[] = [{ does: 'exit 1' }, { does: 'exit 0' }]
  const words = [fixture('watch.process.ts'), diary, JSON.stringify(lives)]
  const parent = spawn(NODE[0], [NODE[1], ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(() => parent.kill('SIGKILL'))
  const ended = once(parent, 'exit')
  parent.stderr.destroy()
  t.strictSame(await inTime(ended, 'the last life to end'), [0, null])
  const begun = readFileSync(diary, 'utf8').match(/^life /gm)
  t.equal(begun?.length, 2)
})
