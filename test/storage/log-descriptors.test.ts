import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const PROGRAM = fileURLToPath(new URL('./fixtures/without-descriptors.process.ts', import.meta.url))
const NEEDS_LIMIT =
  process.platform === 'win32' ? { skip: 'Windows has no such limit, and opens no folder' } : {}

t.test('F876 the log takes what is decided when no descriptor is left', NEEDS_LIMIT, async (t) => {
  const command = 'ulimit -n 120; exec "$0" "$@"'
  const args = ['-c', command, process.execPath, PROGRAM, t.testdir()]
  const child = spawn('sh', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  t.strictSame(await once(child, 'exit'), [null, 'SIGUSR2'])
})
