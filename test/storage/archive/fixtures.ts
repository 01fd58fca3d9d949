import { mkdirSync } from 'node:fs'
import type { Test } from 'tap'
import { encode } from '../../../src/protocol/codec.ts'
import type { JournalEntry, StoredEntry } from '../../../src/protocol/store.ts'
import { type AccountDatabase, openAccountDatabase } from '../../../src/storage/account-database.ts'
import { type AccountReader, openAccountReader } from '../../../src/storage/account-reader.ts'
import { Archivist } from '../../../src/storage/archive/archivist.ts'
import { SegmentFiles, type WriteStep } from '../../../src/storage/archive/segment-files.ts'
import { chainEntry, EMPTY_JOURNAL } from '../../../src/storage/journal-chain.ts'

export const ACCOUNT = '10000001'
/** Thursday, 2026-08-20, 10:00 at the exchange. */
export const NOW_MS = Date.parse('2026-08-20T02:00:00Z')
export const OWNER = { pid: process.pid, socket: '' }
export const LIMITS = { segmentEntries: 10, segmentBytes: 1_048_576, page: 4 }
/** Everything but the last five entries may go. */
export const FIVE = { keepDays: 3_650, keepEntries: 5 }

const bodyOf = (seq: number) => new Uint8Array(encode({ seq }))

/** Chained entries 1 to `count`, a minute apart, the last one now. */
export function entriesTo(
  count: number,
  epochOf: (seq: number) => number = () => 1,
): StoredEntry[] {
  const entries: StoredEntry[] = []
  for (let seq = 1; seq <= count; seq++) {
    const last = entries.at(-1) ?? EMPTY_JOURNAL
    const timeMs = NOW_MS - (count - seq) * 60_000
    const entry = { seq, timeMs, kind: 'connected', body: bodyOf(seq) }
    entries.push(chainEntry(last, entry, epochOf(seq)))
  }
  return entries
}

/** An account database with a journal, owned here, and whoever archives it. */
export class Books {
  readonly dataDir: string
  database: AccountDatabase
  reader: AccountReader

  constructor(t: Test, count: number, dataDir: string = t.testdir()) {
    this.dataDir = dataDir
    mkdirSync(dataDir, { recursive: true })
    this.database = openAccountDatabase(dataDir, ACCOUNT)
    this.#claim()
    this.grow(count)
    this.reader = openAccountReader(dataDir, ACCOUNT)
    t.teardown(() => this.close())
  }

  get files(): SegmentFiles {
    return new SegmentFiles(this.dataDir, ACCOUNT)
  }

  /** Journal entries behind the last one. */
  grow(count: number): void {
    const { seq } = this.database.head()
    const entries = Array.from({ length: count }, (_, at) => ({
      seq: seq + at + 1,
      timeMs: NOW_MS - (count - at - 1) * 60_000,
      kind: 'connected',
      body: bodyOf(at),
    }))
    this.add(entries)
  }

  add(entries: readonly JournalEntry[]): void {
    const { epoch } = this.database.inspect()
    const [refused] = this.database.commit([{ epoch, commit: { entries, changes: [] } }])
    if (refused) throw refused
  }

  archivist(at?: (step: WriteStep) => void): Archivist {
    return new Archivist({
      source: this.reader,
      files: new SegmentFiles(this.dataDir, ACCOUNT, at && { at }),
      limits: LIMITS,
      isOver: () => false,
    })
  }

  /** Moves all that may go, as the service does. */
  async archive(rules = FIVE, nowMs = NOW_MS): Promise<void> {
    for (;;) {
      const upTo = await this.archivist().next(rules, nowMs)
      if (upTo === null) return
      while (this.database.trim(upTo, 3) > 0);
    }
  }

  /** As after the end of a process: another one claims. */
  async reopen(): Promise<void> {
    await this.close()
    this.database = openAccountDatabase(this.dataDir, ACCOUNT)
    this.#claim()
    this.reader = openAccountReader(this.dataDir, ACCOUNT)
  }

  async close(): Promise<void> {
    await this.reader.close()
    await this.database.close()
  }

  /** What every reader sees: the whole journal. */
  journal(from = 1, limit = 10_000): readonly StoredEntry[] {
    this.reader.refresh()
    return this.reader.journal(from, limit)
  }

  #claim(): void {
    this.database.claim(this.database.inspect().epoch, OWNER)
  }
}
