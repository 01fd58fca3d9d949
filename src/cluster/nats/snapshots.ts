import { decode } from '../../protocol/codec.ts'
import type { SnapshotName } from '../node/engine.ts'
import type { Kv } from './kv.ts'

/** Stands under the account: where the parts of its newest snapshot are. */
export interface SnapshotNote extends SnapshotName {
  readonly parts: number
}

export const partKey = (acct: string, name: string, part: number): string =>
  `${acct}.${name}.${part}`

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

/** Errors  what stands there is no such note. What says nothing about the journal makes nothing of it dispensable. */
export function noteIn(bytes: Uint8Array): SnapshotNote {
  const { name, from = 0, parts } = Object(decode<unknown>(bytes)) as Partial<SnapshotNote>
  if (typeof name === 'string' && isCount(from) && isCount(parts) && parts > 0)
    return { name, from, parts }
  throw new Error('what stands there is no note of a snapshot')
}

/** The newest snapshot of an account; undefined: there is none. Errors  EngineError, or one that names what is wrong with it. */
export async function readSnapshot(
  bucket: Pick<Kv, 'read'>,
  acct: string,
  timeoutMs: number,
): Promise<(SnapshotName & { readonly parts: readonly Uint8Array[] }) | undefined> {
  const note = await bucket.read(acct, timeoutMs)
  if (note === undefined) return undefined
  const { name, from, parts } = noteIn(note.bytes)
  const read: Uint8Array[] = []
  for (let part = 0; part < parts; part++) {
    const entry = await bucket.read(partKey(acct, name, part), timeoutMs)
    if (entry === undefined) throw new Error(`part ${part} of snapshot ${name} is not there`)
    read.push(entry.bytes)
  }
  return { name, from, parts: read }
}
