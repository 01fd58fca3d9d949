import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { announce, isUsed } from '../../src/cluster/presence.ts'

/** Short, and the place of temporary files meanwhile: what is too long for a folder lies there. */
function baseOf(t: Test): string {
  const short = process.platform === 'win32' ? tmpdir() : '/tmp'
  const base = realpathSync(mkdtempSync(join(short, 'present-')))
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = base
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
    rmSync(base, { recursive: true, force: true })
  })
  return base
}

t.test('F350 a process is seen in a data folder of any length', async (t) => {
  const base = baseOf(t)
  for (let chars = base.length + 2; chars < 100; chars++) {
    const dataDir = join(base, 'd'.repeat(chars - base.length - 1))
    mkdirSync(dataDir)
    const presence = await announce(dataDir)
    if (typeof presence === 'string') throw new Error(presence)
    if (!(await isUsed(dataDir))) t.fail(`nobody is seen where the path has ${chars} characters`)
    await presence.release()
    if (await isUsed(dataDir)) t.fail(`somebody is left where the path has ${chars} characters`)
  }
})
