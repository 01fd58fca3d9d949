import type { AuditQuery } from '../../src/protocol/account.ts'
import type { AccountLink, CallOptions } from '../port/service.ts'
import { endOf, type JournalPage, JournalTail, type Place } from './journal-tail.ts'

/** Entries that are asked for at once: as many as an answer between two computers surely holds. */
const PAGE_ENTRIES = 100

interface Answered extends JournalPage {
  readonly pagination: { readonly has_more: boolean }
}

export interface JournalReaderLimits {
  /** Entries that are kept for clients that come back, and read for one that has missed more. */
  readonly sseEntriesMax: number
}

/** Follows the journal of an account wherever it is run, and finds what a client has missed. */
export class JournalReader {
  readonly #limits: JournalReaderLimits
  #tail: JournalTail | undefined

  constructor(limits: JournalReaderLimits) {
    this.#limits = limits
  }

  /** The last entry that is known; undefined before the first look. */
  get head(): Place | undefined {
    return this.#tail?.head
  }

  /**
   * Learns of all that was written since, and whether any of it is to be told. What cannot be joined to what is known
   * is where it begins anew.
   */
  async look(link: AccountLink, options: () => CallOptions): Promise<boolean> {
    const { sseEntriesMax } = this.#limits
    const before = this.head
    if (this.#tail !== undefined && (await this.#catchUp(this.#tail, link, options))) {
      return before === undefined || this.after(before)?.length !== 0
    }
    const newest = await ask(link, { limit: 1 }, options)
    this.#tail = new JournalTail(endOf(newest), sseEntriesMax)
    return true
  }

  /** The entries behind a place, as JSON; undefined: nobody can say what they are. Only after a {@link look}. */
  after(place: Place): readonly string[] | undefined {
    return this.#tail?.between(place)
  }

  /** The same of a client that comes back, after more than is known here. */
  async missedAfter(
    place: Place,
    link: AccountLink,
    options: () => CallOptions,
  ): Promise<readonly string[] | undefined> {
    const { sseEntriesMax } = this.#limits
    const { head } = this
    if (head === undefined) return undefined
    const known = this.after(place)
    if (known !== undefined) return known
    if (place.seq >= head.seq || head.seq - place.seq > sseEntriesMax) return undefined
    // With the client's own entry, which must be the one that the client knows. What comes meanwhile has room too.
    const before = { seq: Math.max(0, place.seq - 1), mark: '' }
    const older = new JournalTail(before, 2 * sseEntriesMax)
    return (await this.#catchUp(older, link, options)) ? older.between(place, head) : undefined
  }

  /** False: it cannot be, or it is more than is kept. */
  async #catchUp(
    tail: JournalTail,
    link: AccountLink,
    options: () => CallOptions,
  ): Promise<boolean> {
    const endSeq = tail.head.seq + this.#limits.sseEntriesMax + PAGE_ENTRIES
    while (tail.head.seq < endSeq) {
      const page = await ask(
        link,
        { limit: PAGE_ENTRIES, after: tail.head.seq, isRecent: true },
        options,
      )
      if (!tail.take(page)) return false
      if (page.entries.length === 0 || !page.pagination.has_more) return true
    }
    return false
  }
}

async function ask(
  link: AccountLink,
  query: Omit<AuditQuery, 'kind' | 'kinds'>,
  options: () => CallOptions,
): Promise<Answered> {
  const { bytes } = await link.ask({ kind: 'audit', kinds: [], ...query }, options())
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as Answered
}
