import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openAccountDatabase } from '../../../src/storage/account-database.ts'
import { ACCOUNT } from '../../cluster/fixtures/protocol.ts'
import { inTime } from '../../in-time.ts'

const CLAIMANTS = 6
const EPOCHS = 1_500
const ENTRY = fileURLToPath(new URL('claimant.process.ts', import.meta.url))

t.test('of processes that claim an account at once one is given each epoch', async (t) => {
  const dataDir = t.testdir()
  await openAccountDatabase(dataDir, ACCOUNT).close()
  const claimants = Array.from({ length: CLAIMANTS }, () => fork(ENTRY, [dataDir, `${EPOCHS}`]))
  t.teardown(() => {
    for (const claimant of claimants) claimant.kill('SIGKILL')
  })
  await inTime(Promise.all(claimants.map((each) => once(each, 'message'))), 'all to be ready')
  const won = claimants.map((each) => once(each, 'message') as Promise<[readonly number[]]>)
  for (const claimant of claimants) claimant.send('go')
  const given = (await inTime(Promise.all(won), 'all epochs')).flatMap(([epochs]) => epochs)
  t.strictSame(
    given.toSorted((a, b) => a - b),
    Array.from({ length: EPOCHS }, (_, index) => index + 1),
    'none twice, none to nobody',
  )
})
