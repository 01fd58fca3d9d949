import { AUDIT_KINDS, auditEntry } from '../../src/account/answers/audit.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { inQuotes } from '../../src/domain/in-both.ts'
import { isMarketMark } from '../../src/domain/market-mark.ts'
import type { AccountStore } from '../../src/ports/store.port.ts'
import type { AccountReplies, AuditQuery } from '../../src/protocol/account.ts'
import { decode } from '../../src/protocol/codec.ts'
import { type RangeQuery, type StoredEntry, TABLE } from '../../src/protocol/store.ts'
import { ReadGate } from './read-gate.ts'

export interface AuditPagesLimits {
  /** Entries of one range query. */
  readonly auditPage: number
  /** Entries looked at for one answer; what is left is found with the answer's `next_…`. */
  readonly auditScanMax: number
  /** Pages being read at once, and how many more wait; one more is refused with `OVERLOADED`. */
  readonly auditReadsMax: number
  readonly readsWaitingMax: number
}

type Entry = ReturnType<typeof auditEntry>

/** Pages of an account's journal, read from the store beside the mailbox: trading does not wait for readers. */
export class AuditPages {
  readonly #store: Pick<AccountStore, 'range'>
  readonly #limits: AuditPagesLimits
  readonly #gate: ReadGate

  constructor(store: Pick<AccountStore, 'range'>, limits: AuditPagesLimits) {
    this.#store = store
    this.#limits = limits
    const { auditReadsMax: atOnceMax, readsWaitingMax: waitingMax } = limits
    const refusal = '审计查询过多，请稍后再试 (too many audit pages are being read; try again)'
    this.#gate = new ReadGate(refusal, { atOnceMax, waitingMax })
  }

  /**
   * `total` is the number of the last entry. A filter that finds little ends early, with the place
   * where to go on.
   *
   * Errors  `VALIDATION` for an unknown kind, `OVERLOADED`.
   */
  async read(query: AuditQuery, total: number): Promise<AccountReplies['audit']> {
    checkKinds(query.kinds)
    return this.#gate.pass(async () => {
      const { page, looked } = await this.#page(query, total)
      return { bytes: new TextEncoder().encode(JSON.stringify(page)), looked }
    })
  }

  async #page(query: AuditQuery, total: number) {
    const { limit, after, isRecent } = query
    const walk = new Walk(query, total)
    let left = this.#limits.auditScanMax
    while (walk.wanted > 0 && left > 0 && walk.hasMore) {
      const rows = await this.#store.range({
        ...walk.rest(),
        limit: Math.min(walk.wanted, left, this.#limits.auditPage),
        ...(isRecent && { isRecent }),
      })
      // The kept journal begins here, or entries were removed: `steward audit verify` tells.
      if (rows.length === 0) walk.end()
      for (const { value } of rows) walk.take(decode<StoredEntry>(value))
      left -= rows.length
    }
    const isBackward = after === undefined
    const page = {
      entries: walk.found,
      total,
      pagination: {
        limit,
        next_before: isBackward && walk.hasMore ? walk.at + 1 : null,
        // A reader who follows the journal asks on from here also when there is nothing more yet.
        next_after: isBackward ? null : walk.at - 1,
        has_more: walk.hasMore,
      },
    }
    return { page, looked: this.#limits.auditScanMax - left }
  }
}

/** A walk through the journal, to its beginning or to its end, and what it has found. */
class Walk {
  readonly found: Entry[] = []
  /** Number of the next entry to look at. */
  at: number
  readonly #kinds: ReadonlySet<string>
  readonly #isQuiet: boolean
  readonly #limit: number
  readonly #total: number
  readonly #step: 1 | -1
  #isOver = false

  constructor({ kinds, quiet = false, limit, after, before }: AuditQuery, total: number) {
    this.#kinds = new Set(kinds)
    this.#isQuiet = quiet
    this.#limit = limit
    this.#total = total
    this.#step = after === undefined ? -1 : 1
    this.at = after === undefined ? Math.min((before ?? total + 1) - 1, total) : after + 1
  }

  get hasMore(): boolean {
    return !this.#isOver && this.at >= 1 && this.at <= this.#total
  }

  /** There is nothing more that way. */
  end(): void {
    this.#isOver = true
  }

  /** Entries worth reading at once. With a filter nobody knows how many it takes. */
  get wanted(): number {
    const missing = this.#limit - this.found.length
    const isFiltered = this.#kinds.size > 0 || this.#isQuiet
    return !isFiltered || missing === 0 ? missing : Number.POSITIVE_INFINITY
  }

  rest(): Pick<RangeQuery, 'table' | 'from' | 'to' | 'reverse'> {
    const query = { table: TABLE.journal, from: this.at }
    return this.#step === 1 ? { ...query, to: this.#total } : { ...query, reverse: true }
  }

  take({ seq, timeMs, epoch, kind, body, hash, previous }: StoredEntry): void {
    if (this.found.length === this.#limit) return // read for a filter that needed less
    this.at = seq + this.#step
    if (this.#kinds.size > 0 && !this.#kinds.has(kind)) return
    const event = decode<object>(body)
    if (this.#isQuiet && isMarketMark(kind, event)) return
    const row = { seq, timeMs, epoch, kind, body: event }
    this.found.push(auditEntry({ ...row, hash: hex(hash), previous: hex(previous) }))
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function checkKinds(kinds: readonly string[]): void {
  const unknown = kinds.filter((kind) => !AUDIT_KINDS.includes(kind))
  if (unknown.length === 0) return
  const asked = inQuotes(unknown.join(', ').slice(0, 100))
  const known = AUDIT_KINDS.join(', ')
  const text = `kind: 没有这种记录：${asked}，可用 ${known} (no such event: ${asked}; known: ${known})`
  throw new ServiceError('VALIDATION', text, { kind: [text] })
}
