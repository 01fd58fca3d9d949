import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { decode, encode } from '../../protocol/codec.ts'
import type { Environment } from '../../storage/environment.ts'
import type { LogContents } from '../../storage/log/batch.ts'
import { META, metaIn, putMeta, putRows, type RowChange } from './book-rows.ts'

/** Where the commits of one account's books end. */
export interface Head {
  /** Drawn for them: those of an account that was begun anew are others. */
  readonly books: string
  /** Of the last commit: 1, 2, 3 …; 0 before the first. */
  readonly number: number
  /** CRC-32 of its bytes, which hold the one of the commit before. */
  readonly seal: number
}

/** What one account changed in one turn, as it lies in the log. */
interface Body {
  readonly books: string
  readonly number: number
  /** Seal of the commit before. */
  readonly after: number
  readonly rows: readonly RowChange[]
}

/** A commit, and where the books end with it. */
export interface BooksCommit {
  readonly head: Head
  readonly after: number
  readonly rows: readonly RowChange[]
  /** All of it, for the log. */
  readonly body: Uint8Array
}

/** The commit that follows. */
export function commitAfter(head: Head, rows: readonly RowChange[]): BooksCommit {
  const { books, seal: after } = head
  const number = head.number + 1
  const body = encode({ books, number, after, rows } satisfies Body)
  return { head: { books, number, seal: crc32(body) }, after, rows, body }
}

/** What a log holds for an account. */
export const commitsOf = ({ batches }: LogContents, accountId: string): readonly BooksCommit[] =>
  batches.flatMap(({ records }) =>
    records.filter(({ key }) => key === accountId).map(({ body }) => commitOf(body)),
  )

function commitOf(body: Uint8Array): BooksCommit {
  const { books, number, after, rows } = decode<Body>(body)
  return { head: { books, number, seal: crc32(body) }, after, rows, body }
}

const SCHEMA_VERSION = 1
/** While a log is named: a release that knows of none must not open the books without what is in it. */
export const LOGGED_VERSION = 2

/** Throws when another release wrote the books. */
export function checkSchema(env: Environment): void {
  const schema = metaIn<number>(env, META.schema) ?? SCHEMA_VERSION
  if (schema === SCHEMA_VERSION || schema === LOGGED_VERSION) return
  throw new Error(`paper books: unknown schema ${String(schema)}`)
}

/**
 * Says which logs may hold what the database does not have. Where there is none the books are those that a
 * release without logs would have left: a number that begins anew comes with another name, and what happened
 * decides every byte of them. Inside a transaction only.
 */
export function nameLogs(env: Environment, names: readonly string[]): void {
  putMeta(env, META.schema, names.length > 0 ? LOGGED_VERSION : SCHEMA_VERSION)
  if (names.length > 0) return putMeta(env, META.logs, names)
  env.remove('meta', META.logs)
  env.remove('meta', META.head)
}

/** Where the books in the database end. Those of a release that numbered nothing end at 0. */
export function headIn(env: Environment): Head {
  return metaIn<Head>(env, META.head) ?? { books: '', number: 0, seal: 0 }
}

/**
 * Gives the books a name: when they have none, and when they go on without something that was told, so that
 * nothing of it ever comes after what follows. Inside a transaction only.
 */
export function nameBooks(env: Environment): void {
  putHead(env, { books: randomUUID(), number: 0, seal: 0 })
}

const putHead = (env: Environment, head: Head) => putMeta(env, META.head, head)

/**
 * Brings commits into the database that it does not have yet, in order. What is there already, and what other
 * books wrote, is passed over. True when all of them are in it now; false when some do not follow what is
 * there: then something between them is lost. Inside a transaction only.
 */
export function applyCommits(
  env: Environment,
  commits: readonly BooksCommit[],
  keepDays: number,
): boolean {
  const before = headIn(env)
  const rows: RowChange[] = []
  let head = before
  let isWhole = true
  for (const commit of commits) {
    if (commit.head.books !== head.books || commit.head.number <= head.number) continue
    isWhole = commit.head.number === head.number + 1 && commit.after === head.seal
    if (!isWhole) break
    rows.push(...commit.rows)
    head = commit.head
  }
  if (head !== before) {
    putRows(env, rows, keepDays)
    putHead(env, head)
  }
  return isWhole
}
