import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { heard } from '../in-time.ts'
import { NEEDS_SOCKET_FILES } from '../platform.ts'
import { serve } from './fixture.ts'

const HOLDER = fileURLToPath(new URL('../cluster/fixtures/holder.ts', import.meta.url))
const ID = '10000001'
/** Of nobody, on every Unix. */
const NOBODY = 65_534

/** To root nothing is denied. */
async function asNobody(path: string, action: () => Promise<unknown>): Promise<void> {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return void (await action())
  for (const name of ['.', ...readdirSync(path, { recursive: true, encoding: 'utf8' })]) {
    chownSync(join(path, name), NOBODY, NOBODY)
  }
  process.seteuid(NOBODY)
  try {
    await action()
  } finally {
    process.seteuid(0)
  }
}

t.test(
  'F607 what a service of another user has left when it was killed is no other process',
  NEEDS_SOCKET_FILES,
  async (t) => {
    const folder = mkdtempSync('/tmp/denied-') // where everybody may pass
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const holder = fork(HOLDER, [join(folder, 'data'), ID])
    await heard(holder, 'message')
    const exited = once(holder, 'exit')
    holder.kill('SIGKILL')
    await exited
    chmodSync(join(folder, 'data', ID, 'direct.sock'), 0)
    await asNobody(folder, () =>
      t.rejects(serve(t, { folder }), {
        name: 'StartError',
        message: /无权访问 .*direct\.sock.*所有文件的所有者.*may not use it.*all files in .*data/,
      }),
    )
  },
)
