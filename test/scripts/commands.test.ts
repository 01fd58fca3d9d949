import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const COMMANDS = [
  ['test/hostile/fixtures/run.ts', '--nope', /^Unknown option '--nope'\n\nnpm run hostile -- /],
  ['test/hostile/fixtures/run.ts', '--seconds=x', /^--seconds x is no number above 0\n/],
  ['test/days/fixtures/year-command.ts', '--nope', /^Unknown option '--nope'\n\nnpm run prove -- /],
  [
    'test/cluster/soak/fixtures/prove.ts',
    '--nope',
    /^Unknown option '--nope'\n\nnpm run prove -- /,
  ],
] as const

for (const [file, option, said] of COMMANDS) {
  t.test(`F800 an option that a command does not know is told in a line: ${file} ${option}`, (t) =>
    t.rejects(run(process.execPath, [join(ROOT, file), option]), { code: 2, stderr: said }),
  )
}

t.test('F953 a seed beyond the last one is told, and is no proof of no histories', (t) => {
  const args = ['--seed=5100000000', '--histories=1', '--threads=1']
  const file = join(ROOT, 'test/simulation/fixtures/prove.ts')
  const stderr = /^--seed 5100000000 is no whole number below 4294967296\n/
  return t.rejects(run(process.execPath, [file, ...args]), { code: 2, stderr })
})
