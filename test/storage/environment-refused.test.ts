import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { readdirSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { openEnvironment } from '../../src/storage/open-environment.ts'
import { NEEDS_FILE_LIMITS } from '../platform.ts'

t.test(
  'F1007 a new database whose first pages the system refuses ends nobody',
  NEEDS_FILE_LIMITS,
  async (t) => {
    const program = fileURLToPath(new URL('./fixtures/short-files.process.ts', import.meta.url))
    const command = 'ulimit -f 8; exec "$0" "$@"'
    const args = ['-c', command, process.execPath, program, join(t.testdir(), 'db')]
    const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said, exit] = await Promise.all([text(child.stdout), once(child, 'exit')])
    t.strictSame(exit, [0, null])
    t.match(said, /^STORE_FAILED: .*cannot open the database.*EFBIG/)
  },
)

/** From here on no file takes anything in this process. */
function refuseWrites(t: Test, code: string): void {
  const { writeFileSync } = fs
  fs.writeFileSync = (path) => {
    throw Object.assign(new Error(`${code}: refused, write '${path}'`), { code })
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    Object.assign(fs, { writeFileSync })
    syncBuiltinESMExports()
  })
}

t.test('F1007 a quota that is used up is named, and LMDB never meets it', async (t) => {
  const folder = join(t.testdir(), 'db')
  refuseWrites(t, 'EDQUOT')
  const refused = { code: 'DISK_FULL', message: /磁盘配额.*the disk quota of this user is used up/ }
  t.throws(() => openEnvironment(folder, ['rows']), refused)
  t.strictSame(readdirSync(folder), [], 'nothing is begun')
})
