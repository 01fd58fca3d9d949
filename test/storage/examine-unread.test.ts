import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { examineDatabases } from '../../src/storage/examine.ts'
import { openEnvironment } from '../../src/storage/open-environment.ts'

const LIMITS = { readMs: 10_000, silenceMs: 60_000 }
const EXAMINE = new URL('../../bin/examine.mjs', import.meta.url).href

/** The program that looks, where the system does not give it what it looks at. */
function onFailingDisk(t: Test, code: string): string {
  const path = join(t.testdir(), 'examine.mjs')
  const program = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { openSync } = fs
    fs.openSync = (path, ...others) => {
      if (!String(path).endsWith('data.mdb')) return openSync(path, ...others)
      throw Object.assign(new Error('${code}: i/o error, open'), { code: '${code}' })
    }
    syncBuiltinESMExports()
    await import('${EXAMINE}')
  `
  writeFileSync(path, program)
  return path
}

t.test('F1009 a database that the disk does not read now is not called damaged', async (t) => {
  const program = onFailingDisk(t, 'EIO')
  const folder = join(t.testdirName, 'db')
  const database = openEnvironment(folder, ['rows'])
  database.write(() => database.put('rows', 'a', new Uint8Array(1)))
  await database.close()
  const found = await examineDatabases([folder], LIMITS, program)
  t.match(found.get(folder), {
    problem: /EIO: i\/o error, open.*where that stays so, replace the disk/,
    isUnread: true,
    isAbsent: false,
  })
})
