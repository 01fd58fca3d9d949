import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { lived } from './backups/fixtures/folders.ts'
import { environment, LAUNCHER } from './fixtures/child.ts'

const NEEDS_FULL = existsSync('/dev/full') ? {} : { skip: 'no device that is always full' }

t.test(
  'F823 a full disk behind standard output and error ends nothing that is under way',
  NEEDS_FULL,
  async (t) => {
    const folder = t.testdir({ data: {} })
    for (const id of ['10000001', '10000002']) await lived(join(folder, 'data'), id, 3)
    const full = openSync('/dev/full', 'w')
    t.teardown(() => closeSync(full))
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [LAUNCHER, ...args, '--data-dir', 'data'], {
        cwd: folder,
        env: environment(),
        stdio: ['ignore', full, full],
      }).status
    t.equal(run('backup', '--to', 'copy'), 1)
    t.ok(existsSync(join(folder, 'copy', 'backup-contents.json')), 'it is whole')
    t.notOk(existsSync(join(folder, 'copy', 'backup-unfinished')))
    t.equal(run('restore', 'nowhere'), 2, 'a refusal stays one')
  },
)
