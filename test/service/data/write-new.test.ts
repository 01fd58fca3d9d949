import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { writeNew } from '../../../src/service/data/write-new.ts'

t.test('F842 a key is on disk under its name before it is told, or not there', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'key')
  const flushed: unknown[] = []
  writeNew(path, 'secret', 0o600, (names) => void flushed.push([names, readFileSync(path, 'utf8')]))
  t.strictSame(flushed, [[folder, 'secret']])
  const other = join(folder, 'other')
  const refusing = () => {
    throw Object.assign(new Error('refused'), { code: 'EIO' })
  }
  t.throws(() => writeNew(other, 'secret', 0o600, refusing), { code: 'EIO' })
  t.notOk(existsSync(other))
})
