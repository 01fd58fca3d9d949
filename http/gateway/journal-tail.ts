import { isMarketMark } from '../../src/domain/market-mark.ts'

/**
 * A place in the journal of an account: the number of its entry, and the first digits of the entry's hash, by which
 * other books with the same number are told apart; no digits: they are not known.
 */
export interface Place {
  readonly seq: number
  readonly mark: string
}

/** As `GET …/audit` answers it; of the rest of an entry nothing is asked here. */
export interface JournalEntry {
  readonly seq: number
  readonly kind: string
  readonly source: string
  readonly hash: string
  readonly previous: string
}
export interface JournalPage {
  readonly entries: readonly JournalEntry[]
  /** Number of the last entry, which may not be on disk yet. */
  readonly total: number
}

const MARK_DIGITS = 8
const ID = /^(\d{1,15})-([0-9a-f]{8})?$/

const placeOf = ({ seq, hash }: JournalEntry): Place => ({ seq, mark: hash.slice(0, MARK_DIGITS) })

/** The end of a journal whose newest entries are these. */
export const endOf = ({ entries }: JournalPage): Place => {
  const last = entries.at(-1)
  return last === undefined ? { seq: 0, mark: '' } : placeOf(last)
}

/** The id of an event after which nothing up to this place is missing: it means the same to every gateway. */
export const idOf = ({ seq, mark }: Place): string => `${seq}-${mark}`

/** Undefined for what is no such id. */
export function placeIn(id: string): Place | undefined {
  const [, seq, mark = ''] = ID.exec(id) ?? []
  return seq === undefined ? undefined : { seq: Number(seq), mark }
}

const isSame = (one: Place, other: Place): boolean =>
  one.seq === other.seq && (one.mark === other.mark || one.mark === '' || other.mark === '')

interface Kept extends Place {
  /** JSON; undefined for what the market moves by itself, which is not told. */
  readonly text: string | undefined
}

/** The newest entries of a journal, without a gap: each is known to follow the one before by its number and its hash. */
export class JournalTail {
  readonly #keptMax: number
  #kept: Kept[] = []
  /** What is kept begins right behind it. */
  #floor: Place

  constructor(after: Place, keptMax: number) {
    this.#floor = after
    this.#keptMax = keptMax
  }

  /** The last entry that is known. */
  get head(): Place {
    return this.#kept.at(-1) ?? this.#floor
  }

  /** False when they do not follow what is known: entries are missing, or these are other books. */
  take({ entries, total }: JournalPage): boolean {
    if (entries.length === 0) return total >= this.head.seq
    let before = this.head
    for (const entry of entries) {
      if (entry.seq !== before.seq + 1 || !entry.previous.startsWith(before.mark)) return false
      before = placeOf(entry)
    }
    for (const entry of entries) {
      const text = isMarketMark(entry.kind, entry) ? undefined : JSON.stringify(entry)
      this.#kept.push({ ...placeOf(entry), text })
    }
    for (const { seq, mark } of this.#kept.splice(0, this.#kept.length - this.#keptMax)) {
      this.#floor = { seq, mark }
    }
    return true
  }

  /**
   * The entries behind a place, as JSON, up to another one; undefined: not all of them are kept, or one of the places
   * is in other books.
   */
  between(after: Place, upTo: Place = this.head): readonly string[] | undefined {
    if (!(this.#knows(after) && this.#knows(upTo))) return undefined
    return this.#kept
      .slice(after.seq - this.#floor.seq, upTo.seq - this.#floor.seq)
      .flatMap(({ text }) => text ?? [])
  }

  #knows(place: Place): boolean {
    const index = place.seq - this.#floor.seq - 1
    const known = index === -1 ? this.#floor : this.#kept[index]
    return known !== undefined && isSame(known, place)
  }
}
