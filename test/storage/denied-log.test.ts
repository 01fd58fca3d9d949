import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { AccountLogs, logsFolder } from '../../src/storage/account-logs.ts'
import { NEEDS_USER } from '../platform.ts'

/** Of a process that is gone. */
const NAME = '999999999-1795951752857-9879eebc'
const OTHER = '999999999-1795951752857-9879eebd'

t.test('F608 a log of another user is not gone', NEEDS_USER, async (t) => {
  const dataDir = t.testdir()
  const folder = join(logsFolder(dataDir), NAME)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '0.log'), '')
  chmodSync(folder, 0)
  t.teardown(() => chmodSync(folder, 0o700))
  const found = (name: string) => new AccountLogs(dataDir).find('1', [name], () => true)
  await t.rejects(found(NAME), { code: 'STORE_FAILED', message: /9879eebc cannot be read: EACCES/ })
  t.match(await found(OTHER), { doubt: /is gone/ })
})
