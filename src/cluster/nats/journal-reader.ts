import { Readable } from 'node:stream'
import { readRecord } from '../node/encoded.ts'
import type { Written } from '../node/engine.ts'
import type { JournalLog } from './journal-log.ts'

export interface JournalReaderLimits {
  /** Questions to the servers at a time. */
  readonly readersMax: number
  /** Records that each reader may be ahead. */
  readonly aheadMax: number
}

/** So many records of a stretch are worth a reader of their own. */
const STRETCH_RECORDS = 32

/**
 * As `JournalLog.readFrom`, and several times as fast: what lies between the first and the last record is read in
 * stretches, several at once. Each question still goes to the leader of the stream. A consumer of the server would be
 * faster still; but it may answer from a copy that is behind, where an account would begin without its last decisions.
 *
 * Errors  EngineError; what was handed out before it stands.
 */
export async function* readAhead(
  log: Pick<JournalLog, 'tail' | 'readFrom'>,
  { acct, from }: { readonly acct: string; readonly from: number },
  limits: JournalReaderLimits,
): AsyncGenerator<Written> {
  const [first, last] = await Promise.all([firstOf(log.readFrom(acct, from)), log.tail(acct)])
  if (first === undefined) return
  yield first
  if (last === undefined || last.seq <= first.seq) return yield* log.readFrom(acct, first.seq + 1)
  const starts = startsOf(first, last)
  const open: Readable[] = []
  const next = () => {
    const at = starts.shift()
    if (at !== undefined) open.push(reading(log.readFrom(acct, at, starts[0] ?? last.seq), limits))
  }
  try {
    for (let count = 0; count < limits.readersMax; count++) next()
    for (let reader = open[0]; reader !== undefined; reader = open[0]) {
      for await (const written of reader) yield written as Written
      open.shift()
      next()
    }
  } finally {
    for (const reader of open) reader.destroy()
  }
  yield* log.readFrom(acct, last.seq)
}

async function firstOf(records: AsyncGenerator<Written>): Promise<Written | undefined> {
  for await (const record of records) return record
  return undefined
}

/** Where the stretches behind the first record begin. Records of other accounts lie between, so they are uneven. */
function startsOf(first: Written, last: Written): number[] {
  const [n, end] = [readRecord(first.bytes)?.n, readRecord(last.bytes)?.n]
  const records = n === undefined || end === undefined ? 0 : end - n
  const count = Math.max(1, Math.floor(records / STRETCH_RECORDS))
  const length = Math.ceil((last.seq - first.seq) / count)
  const starts: number[] = []
  for (let at = first.seq + 1; at < last.seq; at += length) starts.push(at)
  return starts
}

/** Begins at once, and stops where it is ahead by too much. */
function reading(records: AsyncGenerator<Written>, { aheadMax }: JournalReaderLimits): Readable {
  const reader = Readable.from(records, { highWaterMark: aheadMax })
  reader.on('error', () => undefined) // whoever comes to its records is told
  reader.read(0)
  return reader
}
