import { join } from 'node:path'
import { encode } from '../../src/protocol/codec.ts'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import { accountAt } from './service.ts'

/** Some two to five years of an account that trades every day. */
export const JOURNAL_ENTRIES = 1_000_000
const BATCH = 10_000
/** As long as a new high with its row. */
const REASON = 'x'.repeat(300)

/** Makes the journal of the first account that long. It has been started once, and nobody runs it. */
export async function writeJournal(folder: string): Promise<void> {
  const database = openAccountDatabase(join(folder, 'data'), accountAt(0))
  const { epoch: expected, clientEpoch = 0 } = database.inspect()
  const next = Math.max(expected, clientEpoch) + 1
  const { epoch } = database.claim(expected, { pid: process.pid, socket: '' }, next)
  const body = encode({ kind: 'disconnected', reason: REASON })
  const timeMs = Date.now()
  const { seq: first } = database.head()
  for (let seq = first; seq < JOURNAL_ENTRIES; seq += BATCH) {
    const length = Math.min(BATCH, JOURNAL_ENTRIES - seq)
    const entries = Array.from({ length }, (_, at) => {
      return { seq: seq + at + 1, timeMs, kind: 'disconnected', body }
    })
    const [refusal] = database.commit([{ epoch, commit: { entries, changes: [] } }])
    if (refusal) throw refusal
  }
  database.release()
  await database.close()
}
