import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const NEEDS_LIMIT =
  process.platform === 'win32' ? { skip: 'Windows has no such limit, and opens no folder' } : {}

/** What the program says and how it ends, where the system lets it open few files. */
async function played(t: Test, program: string) {
  const path = fileURLToPath(new URL(`./fixtures/${program}.process.ts`, import.meta.url))
  const command = 'ulimit -n 120; exec "$0" "$@"'
  const args = ['-c', command, process.execPath, path, t.testdir()]
  const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said, exit] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { said, exit }
}

t.test(
  'F887 however few descriptors are left, a database that cannot be opened ends nobody',
  NEEDS_LIMIT,
  async (t) => {
    const { said, exit } = await played(t, 'few-descriptors')
    t.strictSame(exit, [0, null])
    t.equal(said, JSON.stringify([[false, false], [true, true], true]))
  },
)

t.test(
  'F888 an account that is taken while no descriptor is left is refused alone',
  NEEDS_LIMIT,
  async (t) => {
    const { said, exit } = await played(t, 'claim-without-descriptors')
    t.strictSame(exit, [0, null])
    t.equal(said, JSON.stringify(['EMFILE', 'OVERLOADED', false, true]))
  },
)

t.test(
  'F894 a log whose folder cannot be listed without a descriptor does not count as empty',
  NEEDS_LIMIT,
  async (t) => {
    const { said, exit } = await played(t, 'foreign-log-without-descriptors')
    t.strictSame(exit, [0, null])
    const whole = [1, 'no doubt']
    t.equal(said, JSON.stringify([whole, ['OVERLOADED', 'OVERLOADED'], whole]))
  },
)
