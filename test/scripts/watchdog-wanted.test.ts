import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
// @ts-expect-error: plain JavaScript, without types
import { isWatchdogWanted } from '../../scripts/watchdog-wanted.mjs'

t.test('what runs a node gets a small parent from the first, nothing else does', async (t) => {
  const cwd = t.testdir({ other: {} })
  const cluster = { cluster: { node: 'node-a' } }
  writeFileSync(join(cwd, 'steward.config.json'), JSON.stringify(cluster))
  writeFileSync(join(cwd, 'alone.json'), JSON.stringify({ limits: cluster }))
  writeFileSync(join(cwd, 'wrong.json'), '{ "cluster": ')
  const elsewhere = join(cwd, 'other')
  const cases: readonly (readonly [string, string[], Record<string, string>, string, boolean])[] = [
    ['a node', ['up'], {}, cwd, true],
    ['its direct mode', ['direct', '--account', 'x'], {}, cwd, true],
    ['its gateway', ['gateway'], {}, cwd, true],
    ['a question', ['doctor'], {}, cwd, false],
    ['no command', [], {}, cwd, false],
    ['the node below it', ['up'], { STEWARD_WATCHED: 'first' }, cwd, false],
    ['no file: the demo', ['up'], {}, elsewhere, false],
    ['a file by name', ['up', '--config', '../steward.config.json'], {}, elsewhere, true],
    ['in one word', ['up', '--config=../steward.config.json'], {}, elsewhere, true],
    ['one computer', ['up', '--config', 'alone.json'], {}, cwd, false],
    ['a file that cannot be read', ['up', '--config', 'wrong.json'], {}, cwd, false],
    ['a name without a file', ['up', '--config'], {}, cwd, false],
    ['a place of its own', ['up'], { STEWARD_PLACE: cwd }, elsewhere, true],
  ]
  for (const [name, argv, env, at, expected] of cases) {
    t.equal(isWatchdogWanted(argv, { cwd: at, env }), expected, name)
  }
})
