import { err, ok, type Result } from '../domain/result.ts'

/** Version of the rows this code writes. Raised with a migration whenever their meaning changes. */
export const SCHEMA_VERSION = 1

/** What a migration may touch: the tables of one account inside one transaction. Values are unsealed. */
export interface MigrationTables {
  rows(table: string): readonly (readonly [key: string | number, value: Uint8Array])[]
  put(table: string, key: string | number, value: Uint8Array): void
  remove(table: string, key: string | number): void
}

/** Brings a database from version `from` to `from + 1`. Must not read anything but the tables. */
export interface Migration {
  readonly from: number
  readonly run: (tables: MigrationTables) => void
}

/** In order, without a gap. Version 1 is the first that was ever released. */
export const MIGRATIONS: readonly Migration[] = []

/** What must run to come from `stored` to `wanted`, or why that is impossible. */
export function planMigrations(
  stored: number,
  wanted: number,
  known: readonly Migration[],
): Result<readonly Migration[], string> {
  if (stored > wanted) {
    return err(
      `由更新的版本写成：格式 ${stored}，本版本只认到 ${wanted}，请用那个版本 (was written by a newer release: schema ${stored}, and this one knows ${wanted}; use that one)`,
    )
  }
  const plan: Migration[] = []
  for (let version = stored; version < wanted; version++) {
    const migration = known.find(({ from }) => from === version)
    if (migration === undefined) {
      return err(
        `是格式 ${stored}，本版本读不了 (has schema ${stored}, which this release cannot read)`,
      )
    }
    plan.push(migration)
  }
  return ok(plan)
}
