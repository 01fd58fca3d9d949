import { ServiceError } from '../../../src/domain/errors.ts'
import { decode } from '../../../src/protocol/codec.ts'
import type { StoredEntry } from '../../../src/protocol/store.ts'
import type { StoreClient } from '../../../src/storage/store-client.ts'
import { entry, text as textIn } from '../../storage/fixtures/store-thread.ts'
import type { Outcome } from './candidate.ts'

/** More than any test commits. */
const ROWS = 1_000

export async function outcomeOf(work: () => unknown): Promise<Outcome> {
  try {
    return { ok: await work() }
  } catch (error) {
    return { failed: error instanceof ServiceError ? error.code : String(error) }
  }
}

/** Answers the number under which it stands there. */
export async function commitText(client: StoreClient, text: string): Promise<number> {
  const { seq } = await client.open([])
  await client.commit({ entries: [entry(seq + 1, text)], changes: [] })
  return seq + 1
}

/** What stands in the books, in its order. */
export async function textsOf(client: StoreClient): Promise<string[]> {
  await client.open([])
  const rows = await client.range({ table: 'journal', limit: ROWS })
  return rows.map(({ value }) => textIn(decode<StoredEntry>(value).body))
}
