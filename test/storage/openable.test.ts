import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'

// Before the module is loaded: it asks once on which system it runs.
const { platform } = process
Object.defineProperty(process, 'platform', { value: 'win32' })
const { openEnvironment, openReadOnly } = await import('../../src/storage/open-environment.ts')
Object.defineProperty(process, 'platform', { value: platform })

t.test(
  'F993 no thread stands in a database that another program has open on Windows',
  async (t) => {
    const folder = t.testdir()
    await openEnvironment(folder, ['rows']).close()
    const { openSync } = fs
    const opened: string[] = []
    fs.openSync = (path, flags, mode) => {
      opened.push(`${path} ${flags}`)
      if (`${path}` !== join(folder, 'lock.mdb')) return openSync(path, flags, mode)
      throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' })
    }
    syncBuiltinESMExports()
    t.teardown(() => {
      fs.openSync = openSync
      syncBuiltinESMExports()
    })
    for (const open of [openEnvironment, openReadOnly]) {
      const refused = { code: 'STORE_FAILED', message: /lock\.mdb 被另一个程序占用/ }
      t.throws(() => open(folder, ['rows']), refused)
    }
    t.ok(opened.includes(`${join(folder, 'data.mdb')} r+`), 'as LMDB opens it')
  },
)
