import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { StoredEntry } from '../../../src/protocol/store.ts'
import { findTail, tailBehind, tailInWords } from '../../../src/service/audit/audit-tail.ts'
import { logsFinding } from '../../../src/service/doctor/machine.ts'
import { openAccountReader } from '../../../src/storage/account-reader.ts'
import { verifyChain } from '../../../src/storage/journal-chain.ts'
import { crashed, decided, logDesk, logOf } from '../../storage/fixtures/log-desk.ts'

/** What an auditor finds beyond the database of account 1. */
async function tailIn(dataDir: string, spoil: (log: StoredEntry[]) => void = () => undefined) {
  const reader = openAccountReader(dataDir, '1')
  const found = await findTail(dataDir, '1', reader)
  reader.refresh()
  const entries = [...reader.journal(1, 100)]
  spoil(entries)
  const head = verifyChain(entries)
  await reader.close()
  if (!head.ok) throw new Error(head.error.problem)
  return tailBehind(found, head.value, 1)
}

t.test('F126 what only the log holds is found beside a process and after a kill', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const one = await desk.own('1')
  await one.commit(decided(1))
  await desk.store.control({ kind: 'head', accountId: '1' })
  t.match(await tailIn(desk.dataDir), { entries: 0, problem: undefined })
  for (let seq = 2; seq <= 3; seq++) await one.commit(decided(seq))
  const tail = await tailIn(desk.dataDir)
  t.match(tail, { entries: 2, problem: undefined })
  t.match(tailInWords(tail), /2 more still in the log, chain ok/)
  const killed = crashed(desk.dataDir, join(dir, 'killed'))
  t.match(await tailIn(killed), { entries: 2, problem: undefined })
})

t.test('F126 a log that is gone, or does not follow, is no sound journal', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  const one = await desk.own('1')
  for (let seq = 1; seq <= 3; seq++) {
    await one.commit(decided(seq))
    if (seq === 2) await desk.store.control({ kind: 'head', accountId: '1' })
  }
  const short = await tailIn(desk.dataDir, (entries) => entries.pop())
  t.match(short, { entries: 2 }, 'the log still has what the database has by now')
  const copy = crashed(desk.dataDir, join(dir, 'copy'))
  rmSync(logOf(copy), { recursive: true })
  const lost = await tailIn(copy)
  t.match(lost, { entries: 0, problem: /is gone/ })
  t.match(tailInWords(lost), /may be missing/)
})

t.test('the doctor names the log of a process that was killed, and no other', async (t) => {
  const dir = t.testdir()
  const desk = logDesk(t, join(dir, 'live'))
  t.strictSame(logsFinding(desk.dataDir), [], 'nothing has run here')
  await (await desk.own('1')).commit(decided(1))
  t.strictSame(logsFinding(desk.dataDir), [], 'its process lives')
  const isDead = () => true
  t.match(logsFinding(desk.dataDir, isDead), [{ status: 'warn', mend: /start the service/ }])
})
