import { createHash } from 'node:crypto'
import { decode } from '../../protocol/codec.ts'
import {
  type JournalRecord,
  type NodeRecord,
  type PlacementRecord,
  parseJournalRecord,
  parseNodeRecord,
  parsePlacementRecord,
} from '../protocol/records.ts'
import { parseControlKey } from '../protocol/subjects.ts'

/** Hex SHA-256: records are chained by it. */
export const hashOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

/** The record in these bytes; undefined when there is none that this version reads. */
export function readRecord(bytes: Uint8Array): JournalRecord | undefined {
  const parsed = parseJournalRecord(decoded(bytes))
  return parsed.ok ? parsed.value : undefined
}

/** What stands under a key of a node or a placement; undefined when it is nothing that this version reads. */
export function readControl(
  key: string,
  bytes: Uint8Array,
): NodeRecord | PlacementRecord | undefined {
  const kind = parseControlKey(key)?.kind
  const value = decoded(bytes)
  const parsed = kind === 'node' ? parseNodeRecord(value) : parsePlacementRecord(value)
  return parsed.ok ? parsed.value : undefined
}

/** Nodes that may run an account that was registered at run time; none where this version does not read the registration. */
export function readEligible(bytes: Uint8Array): readonly string[] {
  const registration: unknown = Reflect.get(Object(decoded(bytes)), 'registration')
  const eligible: unknown = Reflect.get(Object(registration), 'eligible')
  return Array.isArray(eligible) ? eligible.filter((node) => typeof node === 'string') : []
}

/** The epoch under which another node says that it has answered; undefined: it has said nothing that can be read. */
export function readEpoch(reply: Uint8Array): number | undefined {
  const epoch: unknown = Reflect.get(Object(decoded(reply)), 'epoch')
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) && epoch >= 0 ? epoch : undefined
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return decode(bytes)
  } catch {
    return undefined
  }
}
