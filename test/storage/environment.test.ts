import t from 'tap'
import { openEnvironment } from '../../src/storage/environment.ts'
import { lmdb } from '../../src/storage/lmdb.ts'

const TABLES = Array.from({ length: 12 }, (_, at) => `table${at}`)

/** Of whoever has written the environment; each had its flushes. */
async function transactionsIn(folder: string): Promise<number> {
  const root = lmdb().open({ path: folder, noSubdir: false, encoding: 'binary', readOnly: true })
  const { lastTxnId } = root.getStats() as { readonly lastTxnId: number }
  await root.close()
  return lastTxnId
}

t.test(
  'all tables of a new environment are one transaction, and none is written again',
  async (t) => {
    const folder = t.testdir()
    const made = openEnvironment(folder, TABLES)
    made.write(() => {
      for (const table of TABLES) made.put(table, 'key', Buffer.from(table))
    })
    await made.close()
    const count = await transactionsIn(folder)
    t.ok(count <= 3, `the root, the tables, the rows: ${count}`)
    const opened = openEnvironment(folder, [...TABLES, 'later'])
    for (const table of TABLES)
      t.strictSame(opened.get(table, 'key'), new Uint8Array(Buffer.from(table)))
    t.ok(opened.has('later'), 'one of a later release comes in')
    await opened.close()
    t.equal(await transactionsIn(folder), count + 1, 'only that one was written')
  },
)
