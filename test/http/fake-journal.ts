import { createHash } from 'node:crypto'
import type { CallOptions } from '../../http/service.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { AccountRequest, AuditQuery, ReplyTo } from '../../src/protocol/account.ts'
import { FakeLink } from './fake-service.ts'

/** An entry as the audit shows it, as far as streams look at it. */
export interface FakeEntry {
  readonly seq: number
  readonly kind: string
  readonly source: string
  readonly summary: string
  readonly hash: string
  readonly previous: string
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A journal that grows; several links may show it, as several gateways show one account. */
export class FakeJournal {
  entries: FakeEntry[] = []

  add(summary: string, kind = 'orderMoved', source = 'broker'): void {
    const previous = this.entries.at(-1)?.hash ?? '0'.repeat(64)
    const seq = this.entries.length + 1
    const hash = hashOf(previous + summary)
    this.entries.push({ seq, kind, source, summary, hash, previous })
  }

  page({ limit, after }: AuditQuery): object {
    const entries =
      after === undefined
        ? this.entries.slice(-limit).reverse()
        : this.entries.filter(({ seq }) => seq > after).slice(0, limit)
    const last = entries.at(-1)?.seq ?? after ?? 0
    const hasMore = after !== undefined && last < this.entries.length
    return { entries, total: this.entries.length, pagination: { has_more: hasMore } }
  }
}

/** An account whose journal can be asked for; its word moves with each entry. */
export class JournalLink extends FakeLink {
  readonly journal: FakeJournal
  /** The entries cannot be read now. */
  isJournalAway = false

  constructor(accountId: string, journal = new FakeJournal()) {
    super(accountId)
    this.journal = journal
  }

  override async ask<R extends AccountRequest>(
    request: R,
    options: CallOptions,
  ): Promise<ReplyTo<R>> {
    if (request.kind !== 'audit') return super.ask(request, options)
    this.asked.push(request)
    if (this.isJournalAway) throw new ServiceError('ACTOR_RESTARTING', 'the journal is away')
    const bytes = Buffer.from(JSON.stringify(this.journal.page(request)))
    return { bytes, looked: 1 } as unknown as ReplyTo<R>
  }
}
