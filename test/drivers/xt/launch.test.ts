import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cannotStart, spawnFailure } from '../../../src/drivers/xt/launch.ts'

const failed = (code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`spawn failed: ${code}`), { code })

t.test('a program that no folder of PATH holds is missing, whatever the search met', async (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'python-kept'), '')
  const { PATH } = process.env
  process.env['PATH'] = folder
  t.teardown(() => {
    process.env['PATH'] = PATH ?? ''
  })
  t.equal(spawnFailure('no-such-python', failed('EACCES')), 'ENOENT')
  t.equal(spawnFailure('python-kept', failed('EACCES')), 'EACCES', 'it is there, and not for us')
  t.equal(spawnFailure(join(folder, 'none'), failed('EACCES')), 'EACCES', 'a path is not searched')
  t.equal(spawnFailure('no-such-python', failed('ENOENT')), 'ENOENT')
  t.match(cannotStart('no-such-python', failed('EACCES')), { message: /no such program/ })
  t.match(cannotStart('python-kept', failed('EACCES')), { message: /spawn failed: EACCES/ })
})
