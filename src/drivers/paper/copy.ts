import { join } from 'node:path'
import { ForeignLog } from '../../storage/log/foreign-log.ts'
import { openEnvironment, openReadOnly } from '../../storage/open-environment.ts'
import { logsIn, TABLES } from './book-rows.ts'
import { applyCommits, type BooksCommit, commitsOf, nameLogs } from './books-commit.ts'

/** What the database of an account does not have yet. */
export interface BooksTail {
  readonly commits: readonly BooksCommit[]
  /** Logs that it names. */
  readonly logs: readonly string[]
  /** All of them were read. */
  readonly isWhole: boolean
}

/** Days are kept as the books have them. */
const KEEP_DAYS = Number.MAX_SAFE_INTEGER

/**
 * What logs hold of the books in `<paper>/<accountId>`, also while a process writes both: for a copy of the
 * database that is made afterwards, because what leaves a log meanwhile is in the database by then.
 *
 * Errors  `STORE_FAILED`; of the system.
 */
export async function readBooksTail(paper: string, accountId: string): Promise<BooksTail> {
  const env = openReadOnly(join(paper, accountId, 'db'), TABLES)
  try {
    const logs = logsIn(env)
    const commits: BooksCommit[] = []
    let isWhole = true
    for (const name of logs) {
      const log = ForeignLog.open(join(paper, 'logs'), name)
      const found = await log?.read()
      await log?.close()
      env.refresh()
      if (found !== undefined) commits.push(...commitsOf(found, accountId))
      if (found === undefined ? logsIn(env).includes(name) : found.hole !== undefined)
        isWhole = false
    }
    return { commits: commits.sort((a, b) => a.head.number - b.head.number), logs, isWhole }
  } finally {
    await env.close()
  }
}

/** Brings it into a copy, whose owner need not look for the logs then. `paper` is the folder of the copies. */
export async function absorbBooksTail(
  paper: string,
  accountId: string,
  { commits, logs, isWhole }: BooksTail,
): Promise<void> {
  if (logs.length === 0) return
  const env = openEnvironment(join(paper, accountId, 'db'), TABLES)
  try {
    env.write(() => {
      if (applyCommits(env, commits, KEEP_DAYS) && isWhole) nameLogs(env, [])
    })
  } finally {
    await env.close()
  }
}
