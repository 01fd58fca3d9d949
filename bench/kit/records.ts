import { join } from 'node:path'
import { DAY_MS } from '../../src/domain/exchange-time.ts'
import type { TradeRecord } from '../../src/domain/trade-record.ts'
import { encode } from '../../src/protocol/codec.ts'
import { TABLE } from '../../src/protocol/store.ts'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import { codeAt } from './service.ts'

const BATCH = 10_000

export interface RecordsWanted {
  readonly accountId: string
  readonly count: number
  /** They are spread over so many days until now. */
  readonly days: number
}

/** Fills the records of an account that has never been started. */
export async function writeRecords(
  folder: string,
  { accountId, count, days }: RecordsWanted,
): Promise<void> {
  const database = openAccountDatabase(join(folder, 'data'), accountId)
  const { epoch } = database.claim(0, { pid: process.pid, socket: '' })
  const everyMs = (days * DAY_MS) / count
  const startMs = Date.now() - days * DAY_MS
  for (let from = 0; from < count; from += BATCH) {
    const length = Math.min(BATCH, count - from)
    const changes = Array.from({ length }, (_, at) => {
      const id = from + at + 1
      const record = recordOf(id, Math.floor(startMs + id * everyMs))
      return { table: TABLE.records, key: id, value: encode(record) }
    })
    const [refusal] = database.commit([{ epoch, commit: { entries: [], changes } }])
    if (refusal) throw refusal
  }
  const meta = encode({ day: '', nextRecordId: count + 1, idCounter: 0 })
  database.commit([
    {
      epoch,
      commit: { entries: [], changes: [{ table: TABLE.meta, key: 'account', value: meta }] },
    },
  ])
  database.release()
  await database.close()
}

const recordOf = (id: number, timeMs: number): TradeRecord =>
  ({
    id,
    code: `${codeAt(id % 20)}.SH`,
    name: '测试',
    timeMs,
    side: id % 2 === 0 ? 'buy' : 'sell',
    price: 200_000,
    quantity: 100,
    amount: 20_000_000,
    fee: 50_000,
    dealId: String(id),
    orderId: String(id),
    strategy: 'manual',
  }) as TradeRecord
