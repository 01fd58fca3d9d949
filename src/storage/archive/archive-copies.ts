import { dirname } from 'node:path'
import { mayBeAccount } from '../../domain/ids.ts'
import type { JournalMark } from '../../protocol/store.ts'
import { databaseFolder } from '../account-database.ts'
import { openAccountReader } from '../account-reader.ts'
import { isNext, type JournalGap } from './gaps.ts'
import { SegmentFiles } from './segment-files.ts'

/** The account whose database lies in this folder, relative to the data folder; undefined: it is another one. */
export function accountOf(folder: string): string | undefined {
  const accountId = dirname(folder)
  return mayBeAccount(accountId) && folder === databaseFolder('', accountId) ? accountId : undefined
}

/**
 * Copies the segments of an account's journal that the target has not. Called before its database is copied and
 * again afterwards: what is deleted meanwhile was copied before, what left the database meanwhile is copied after.
 * How many.
 */
export function copySegments(accountId: string, from: string, to: string): number {
  const source = new SegmentFiles(from, accountId)
  const target = new SegmentFiles(to, accountId)
  const there = new Set(target.list().map(({ name }) => name))
  const news = source.list().filter(({ name }) => !there.has(name))
  return news.filter((file) => source.copyTo(target, file)).length
}

/** Removes the segments of a copy that were written after its database was copied: they go beyond its journal. */
export async function dropLater(accountId: string, target: string): Promise<void> {
  const reader = openAccountReader(target, accountId)
  const { seq } = reader.head()
  await reader.close()
  const files = new SegmentFiles(target, accountId)
  for (const file of files.list()) if (file.last > seq) files.remove(file)
}

/**
 * For a database that was put back without all of its segments: those of the folder that it replaces, as far as they
 * are of the same journal. Returns how many entries then are in no segment.
 */
export async function fillSegments(accountId: string, from: string, to: string): Promise<number> {
  const reader = openAccountReader(to, accountId)
  try {
    const { base, kept, gaps } = reader.parts()
    if (reader.archiveProblem()?.isMissing !== true) return 0
    const source = new SegmentFiles(from, accountId)
    const target = new SegmentFiles(to, accountId)
    const there = new Set(target.list().map(({ name }) => name))
    for (const file of source.list()) {
      const isMeant = file.first > kept.seq && file.last <= base.seq && !there.has(file.name)
      if (isMeant) source.copyTo(target, file)
    }
    reader.refresh()
    if (reader.archiveProblem() === undefined && isOneChain(target, base, gaps)) return 0
    // Of another journal, or not all of them: what is of no use is not kept beside what is.
    for (const file of target.list()) if (!there.has(file.name)) target.remove(file)
    return base.seq - kept.seq
  } finally {
    await reader.close()
  }
}

/** Whether each segment goes on where the one before ends, up to the last entry that left the database. */
function isOneChain(files: SegmentFiles, base: JournalMark, gaps: readonly JournalGap[]): boolean {
  let hash: Uint8Array | undefined
  for (const file of files.list().filter(({ last }) => last <= base.seq)) {
    const { before, end } = files.read(file).head
    if (hash !== undefined && !isNext(hash, before.hash, gaps)) return false
    hash = end.hash
  }
  return hash !== undefined && Buffer.compare(hash, base.hash) === 0
}
