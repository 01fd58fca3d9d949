import { join } from 'node:path'
import { type Key, open } from 'lmdb'
import type { Holding, Ledger, PaperDeal, PaperOrder } from '../../src/drivers/paper/books.ts'
import { decode } from '../../src/protocol/codec.ts'

/** Rows begin with the checksum of the rest. */
const SEAL_BYTES = 4

export interface PaperBooks {
  readonly ledger: Ledger
  readonly holdings: readonly Holding[]
  readonly orders: readonly PaperOrder['row'][]
  readonly deals: readonly PaperDeal['row'][]
}

/** What the trading client itself has written down about an account. Only reads; its process may be running. */
export async function readPaperBooks(dataDir: string, accountId: string): Promise<PaperBooks> {
  const path = join(dataDir, 'paper', accountId, 'db')
  const root = open<Uint8Array, Key>({ path, readOnly: true, noSubdir: false, encoding: 'binary' })
  const table = <T>(name: string): T[] => {
    const rows = root.openDB<Uint8Array, Key>({ name, encoding: 'binary' })
    return [...rows.getRange()].map(({ value }) =>
      decode<T>(Buffer.from(value).subarray(SEAL_BYTES)),
    )
  }
  try {
    const ledger = table<Ledger | number>('meta').find((row) => typeof row === 'object')
    if (ledger === undefined) throw new Error(`${path} has no ledger`)
    const orders = table<PaperOrder>('orders').map(({ row }) => row)
    const deals = table<PaperDeal>('deals').map(({ row }) => row)
    return { ledger, holdings: table<Holding>('holdings'), orders, deals }
  } finally {
    await root.close()
  }
}
