import { decode } from '../../protocol/codec.ts'
import type { StoredEntry } from '../../protocol/store.ts'
import { AccountLogs } from '../../storage/account-logs.ts'
import type { AccountReader } from '../../storage/account-reader.ts'
import { type JournalHead, verifyChain } from '../../storage/journal-chain.ts'
import type { FoundInLogs } from '../../storage/take-over.ts'

/** What only logs hold of a journal: its last seconds while a process runs, its last moments when one was killed. */
export interface Tail {
  /** That follow the last one of the database, number by number and hash by hash. */
  readonly entries: number
  /** Why more may be missing; undefined: it is not. */
  readonly problem: string | undefined
}

/** Read before the database is: what leaves a log meanwhile is there by then. Errors  `STORE_FAILED`. */
export async function findTail(
  dataDir: string,
  accountId: string,
  reader: AccountReader,
): Promise<FoundInLogs> {
  const logs = new AccountLogs(dataDir)
  try {
    const isNamed = (name: string): boolean => reader.logs().includes(name)
    return await logs.find(accountId, reader.logs(), isNamed)
  } finally {
    await logs.close()
  }
}

/** What follows `head`, in whose epoch or a later one it must have been written. */
export function tailBehind(
  { commits, doubt }: FoundInLogs,
  head: JournalHead,
  epoch: number,
): Tail {
  const entries: StoredEntry[] = []
  let last = head.seq
  for (const { seq, row } of commits.flatMap((commit) => commit.entries)) {
    if (seq <= last) continue // in the database by now, or told twice
    entries.push(decode<StoredEntry>(row))
    last = seq
  }
  const chain = verifyChain(entries, head, epoch)
  if (chain.ok) return { entries: entries.length, problem: doubt }
  const { seq } = chain.error
  const sound = entries.findIndex((entry) => entry.seq === seq)
  return { entries: sound, problem: doubt ?? `entry ${seq} in the log does not follow` }
}

/** One line without its account; undefined: there is nothing to say. */
export function tailInWords({ entries, problem }: Tail): string | undefined {
  if (problem !== undefined) {
    return `最后答复的内容可能缺失 (what was answered last may be missing: ${problem})`
  }
  if (entries === 0) return undefined
  return `另有 ${entries} 条仍在日志文件中，链完整；运行中的进程几秒内写入数据库，否则由下次启动读取 (${entries} more still in the log, chain ok: a process that runs writes them to the database within seconds, else the next start reads them)`
}
