import { decode } from '../protocol/codec.ts'
import { TABLE } from '../protocol/store.ts'
import type { Environment } from './environment.ts'
import { OWN, type OwnRows } from './own-rows.ts'
import { changedRows } from './pending-rows.ts'
import { follows, type PlannedCommit, type StoredHead } from './planned-commit.ts'

/** What became of commits that a database may have, or not. */
export interface CaughtUp {
  /** Those that it did not have. */
  readonly commits: number
  /** Why the account counts as put back from a backup; undefined: it does not. */
  readonly problem: string | undefined
}

/**
 * Inside a transaction: commits of a log, in order, come into the database if they follow what is there. All are
 * written that it does not have, or those before the first that does not fit.
 */
export function follow(
  env: Environment,
  rows: OwnRows,
  planned: readonly PlannedCommit[],
): CaughtUp {
  const start = rows.head()
  let head = start
  let problem: string | undefined
  const fresh: PlannedCommit[] = []
  for (const commit of planned) {
    if (commit.head.commits <= start.commits) continue // written before
    if (commit.head.commits <= head.commits) continue // told twice
    if (!follows(commit, head)) {
      problem = `commit ${commit.head.commits} does not follow commit ${head.commits}`
      break
    }
    fresh.push(commit)
    head = commit.head
  }
  problem ??= contradiction(env, planned, start)
  writeCommits(env, rows, fresh)
  return { commits: fresh.length, problem }
}

/** Inside a transaction: commits that are known to follow what is there. */
export function writeCommits(
  env: Environment,
  rows: OwnRows,
  planned: readonly PlannedCommit[],
): void {
  for (const [table, changed] of changedRows(planned)) {
    for (const [key, value] of changed) {
      if (value === null) env.remove(table, key)
      else env.put(table, key, value)
    }
  }
  const last = planned.at(-1)
  if (last !== undefined) rows.put(OWN.head, last.head)
}

/** The newest that is written already must be the entry that lies there, or these are other books. */
function contradiction(
  env: Environment,
  planned: readonly PlannedCommit[],
  { commits }: StoredHead,
): string | undefined {
  const last = planned.findLast(({ head }) => head.commits <= commits)
  const row = last && env.get(TABLE.journal, last.head.seq)
  if (last === undefined || row === undefined) return undefined
  const { hash } = decode<{ readonly hash: Uint8Array }>(row)
  if (Buffer.compare(hash, last.head.hash) === 0) return undefined
  return `commit ${last.head.commits} is another one`
}
