import { decode, encode } from '../protocol/codec.ts'
import type { ClusterMark, JournalMark, OwnerRecord, Restored } from '../protocol/store.ts'
import type { JournalGap } from './archive/gaps.ts'
import { JOURNAL_BEGIN } from './archive/segment.ts'
import type { Environment } from './environment.ts'
import type { JournalHead } from './journal-chain.ts'
import { EMPTY_HEAD, type StoredHead } from './planned-commit.ts'

/** The store's own table: schema version, owner, end of the journal. No account sees it. */
export const OWN_TABLE = 'store'
export const OWN = {
  schema: 'schema',
  owner: 'owner',
  head: 'head',
  /** The last entry that has left for a segment: the journal of the database begins behind it. */
  base: 'base',
  /** The last entry whose segment has been deleted: the kept chain begins behind it. */
  kept: 'kept',
  /** Entries in between that were never here. */
  gaps: 'gaps',
  /** Highest epoch that the trading client has seen, when the owner found it ahead of its own. */
  client: 'client',
  restored: 'restored',
  /** How the account stands to a cluster. */
  cluster: 'cluster',
} as const

/** As it lies in the database. */
export interface StoredOwnership {
  /** 0 before the first claim. Only ever rises. */
  readonly epoch: number
  readonly owner: OwnerRecord | null
  /** Logs that may hold what this database does not have yet; absent: none. */
  readonly logs?: readonly string[]
}

/**
 * Added to the version while logs may hold more than the database: releases that know no logs, and would go
 * on from too early a state, then refuse it as one of a newer release.
 */
const LOGGED = 1_000_000
/** The version of the rows, with or without logs. */
export const plainSchema = (stored: number): number => stored % LOGGED

/**
 * The rows that the store keeps for itself in the database of an account, each with its type.
 *
 * Reads show the turn's state of the database, or that of the transaction they are made in; writes are made
 * in one. Errors  `STORE_FAILED` for damaged rows.
 */
export class OwnRows {
  readonly #env: Environment
  /** Of the rows, as this release writes them. */
  readonly #version: number

  constructor(env: Environment, version: number) {
    this.#env = env
    this.#version = version
  }

  ownership(): StoredOwnership {
    return this.read<StoredOwnership>(OWN.owner) ?? { epoch: 0, owner: null }
  }

  /** As its bytes lie there: whoever claims leaves others. */
  ownerRow(): Uint8Array | undefined {
    return this.#env.get(OWN_TABLE, OWN.owner)
  }

  /** Who owns it, and which logs belong to it. */
  putOwnership(ownership: Pick<StoredOwnership, 'epoch' | 'owner'>, logs: readonly string[]): void {
    const { epoch, owner } = ownership
    const row: StoredOwnership = { epoch, owner, ...(logs.length > 0 && { logs }) }
    this.put(OWN.owner, row)
    this.put(OWN.schema, this.#version + (logs.length > 0 ? LOGGED : 0))
  }

  head(): StoredHead {
    return { ...EMPTY_HEAD, ...this.read<JournalHead>(OWN.head) }
  }

  mark(key: typeof OWN.base | typeof OWN.kept): JournalMark {
    return this.read<JournalMark>(key) ?? JOURNAL_BEGIN
  }

  gaps(): readonly JournalGap[] {
    return this.read<readonly JournalGap[]>(OWN.gaps) ?? []
  }

  markRestored(restored: Restored): void {
    this.put(OWN.restored, restored)
  }

  cluster(): ClusterMark | null {
    return this.read<ClusterMark | null>(OWN.cluster) ?? null
  }

  read<T>(key: string): T | undefined {
    const bytes = this.#env.get(OWN_TABLE, key)
    return bytes === undefined ? undefined : decode<T>(bytes)
  }

  put(key: string, value: unknown): void {
    this.#env.put(OWN_TABLE, key, encode(value))
  }
}
