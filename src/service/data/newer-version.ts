import { LOGGED_VERSION } from '../../drivers/paper/books-commit.ts'
import type { Examined } from '../../storage/examine.ts'
import { SCHEMA_VERSION } from '../../storage/migrations.ts'
import { plainSchema } from '../../storage/own-rows.ts'

/** The highest version of rows that this release reads, by whose they are. */
const KNOWN = { account: SCHEMA_VERSION, books: LOGGED_VERSION } as const

/**
 * Why this release must leave a database alone that nothing is wrong with, and how that is mended; undefined: it
 * need not. Of an account, or the books of its embedded client.
 */
export function newerVersion(
  whose: keyof typeof KNOWN,
  { schema }: Pick<Examined, 'schema'>,
): string | undefined {
  const version = whose === 'account' ? plainSchema(schema ?? 0) : (schema ?? 0)
  const known = KNOWN[whose]
  if (version <= known) return undefined
  return `由更新版本的 Steward 写入，请使用该版本或更新的版本 (was written by a newer version of Steward, schema ${version}, and this one reads ${known}: use that version, or a later one)`
}
