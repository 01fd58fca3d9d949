import { fillRow, fillStrategyRow, fillSumRow } from '../../src/account/answers/fill-rows.ts'
import { DAY_MS, exchangeDayStartMs } from '../../src/domain/exchange-time.ts'
import { FeesTold } from '../../src/domain/fees-told.ts'
import { type FillSums, NO_FILLS, withFill } from '../../src/domain/fill-sums.ts'
import { stockFilter } from '../../src/domain/stock-filter.ts'
import { isSimulatedFill, type TradeRecord } from '../../src/domain/trade-record.ts'
import type { AccountStore } from '../../src/ports/store.port.ts'
import { decode } from '../../src/protocol/codec.ts'
import type { FillsAnswer, FillsQuestion } from '../../src/protocol/fills.ts'
import { TABLE } from '../../src/protocol/store.ts'
import { ReadGate } from './read-gate.ts'

export interface FillPagesLimits {
  /** Rows of one range query. */
  readonly fillsPage: number
  /** Rows looked at for one answer; what is left is found with the answer's `next_before`. */
  readonly fillsScanMax: number
  /** Pages being read at once, and how many more wait; one more is refused with `OVERLOADED`. */
  readonly fillsReadsMax: number
  readonly readsWaitingMax: number
  /** Answers kept until there is a new record. */
  readonly fillsKept: number
}

/** What people have written beside records, by their numbers. */
type FillNotes = ReadonlyMap<number, string>

/** What the account knows of its records besides the database. */
interface RecordsSeen {
  /** Goes up with every change of a record, or of what is written beside one. */
  readonly version: number
  readonly notes: FillNotes
}

/** Pages of the trade records of an account, read from the store beside the mailbox: trading does not wait for readers. */
export class FillPages {
  readonly #store: Pick<AccountStore, 'range'>
  readonly #limits: FillPagesLimits
  /** Newest answers by what was asked: a page that is open asks the same again and again. */
  readonly #kept = new Map<string, object>()
  #keptVersion = 0
  readonly #gate: ReadGate

  constructor(store: Pick<AccountStore, 'range'>, limits: FillPagesLimits) {
    this.#store = store
    this.#limits = limits
    const { fillsReadsMax: atOnceMax, readsWaitingMax: waitingMax } = limits
    const refusal =
      '成交查询过多，请稍后再试 (too many pages of trade records are being read; try again)'
    this.#gate = new ReadGate(refusal, { atOnceMax, waitingMax })
  }

  /** Errors  `OVERLOADED`. */
  async read({ version, notes }: RecordsSeen, question: FillsQuestion): Promise<FillsAnswer> {
    if (version !== this.#keptVersion) {
      this.#kept.clear()
      this.#keptVersion = version
    }
    const name = JSON.stringify(question)
    return (
      this.#known(name) ??
      this.#gate.pass(async () => {
        // Whoever had to wait may have asked what the one before was answered.
        const known = this.#known(name)
        if (known !== undefined) return known
        const asked = this.#keptVersion
        const answer = await this.#read(question, notes)
        if (asked === this.#keptVersion) this.#keep(name, answer.fields)
        return answer
      })
    )
  }

  #known(name: string): FillsAnswer | undefined {
    const fields = this.#kept.get(name)
    return fields && { fields, looked: 0 }
  }

  async #read(question: FillsQuestion, notes: FillNotes): Promise<FillsAnswer> {
    const { fillsPage, fillsScanMax } = this.#limits
    const search = new Search(question, { pastMax: fillsPage, notes })
    let looked = 0
    while (!search.isOver && looked < fillsScanMax) {
      const limit = Math.min(fillsPage, fillsScanMax - looked)
      const from = search.from
      const found = await this.#store.range({
        table: TABLE.records,
        ...(from !== undefined && { from }),
        reverse: true,
        limit,
      })
      for (const { value } of found) search.take(decode<TradeRecord>(value))
      looked += found.length
      if (found.length < limit) search.end()
    }
    return { fields: search.answer(), looked }
  }

  #keep(name: string, fields: object): void {
    this.#kept.set(name, fields)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#limits.fillsKept && oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** A walk from the newest record downward, and what it has found. */
class Search {
  readonly #question: FillsQuestion
  /** So many records in a row from before the span: there are no more of it. */
  readonly #pastMax: number
  readonly #fromMs: number
  readonly #untilMs: number
  readonly #word: string
  readonly #isOfStock: (code: string, name: string) => boolean
  readonly #notes: FillNotes
  readonly #shown: object[] = []
  readonly #strategies = new Set<string>()
  #sums: FillSums = { real: NO_FILLS, simulated: NO_FILLS }
  readonly #fees = { real: new FeesTold(), simulated: new FeesTold() } as const
  /** Number of the record that was looked at last, and of the last one that is shown. */
  #at: number | undefined
  #shownAt: number | undefined
  #hasMore = false
  #past = 0
  #isAtEnd = false

  constructor(
    question: FillsQuestion,
    { pastMax, notes }: { readonly pastMax: number; readonly notes: FillNotes },
  ) {
    const { from, to, word, before } = question
    this.#question = question
    this.#pastMax = pastMax
    this.#fromMs = from === null ? Number.NEGATIVE_INFINITY : exchangeDayStartMs(from)
    this.#untilMs = to === null ? Number.POSITIVE_INFINITY : exchangeDayStartMs(to) + DAY_MS
    this.#word = word.toLowerCase()
    this.#isOfStock = stockFilter(word)
    this.#notes = notes
    this.#at = before ?? undefined
  }

  /** Where to read on. */
  get from(): number | undefined {
    return this.#at === undefined ? undefined : this.#at - 1
  }

  get #isFirst(): boolean {
    return this.#question.before === null
  }

  get isOver(): boolean {
    return this.#isAtEnd || (!this.#isFirst && this.#hasMore)
  }

  /** There are no more records. */
  end(): void {
    this.#isAtEnd = true
  }

  take(record: TradeRecord): void {
    this.#at = record.id
    if (record.timeMs < this.#fromMs) {
      // A deal that was told late lies above those of later days: one old record is not yet the end.
      this.#past += 1
      if (this.#past >= this.#pastMax) this.end()
      return
    }
    this.#past = 0
    if (record.timeMs >= this.#untilMs) return
    this.#strategies.add(record.strategy)
    if (!this.#isWanted(record)) return
    const kind = isSimulatedFill(record) ? 'simulated' : 'real'
    this.#sums = { ...this.#sums, [kind]: withFill(this.#sums[kind], record) }
    this.#fees[kind].add(record)
    if (this.#shown.length === this.#question.limit) {
      this.#hasMore = true
      return
    }
    this.#shown.push(fillRow(record, this.#notes.get(record.id)))
    this.#shownAt = record.id
  }

  #isWanted({ id, side, strategy, code, name }: TradeRecord): boolean {
    const { side: wantedSide, strategy: wantedStrategy } = this.#question
    return (
      (wantedSide === null || side === wantedSide) &&
      (wantedStrategy === null || strategy === wantedStrategy) &&
      (this.#word === '' ||
        this.#isOfStock(code, name) ||
        this.#notes.get(id)?.toLowerCase().includes(this.#word) === true)
    )
  }

  answer(): object {
    const { from, to, limit } = this.#question
    const isWhole = this.#isFirst && this.#isAtEnd
    const hasMore = this.#hasMore || !this.#isAtEnd
    const isFull = this.#shown.length === limit
    return {
      from,
      to,
      fills: this.#shown,
      sums: isWhole
        ? {
            real: fillSumRow(this.#sums.real, this.#fees.real.missing),
            simulated: fillSumRow(this.#sums.simulated, this.#fees.simulated.missing),
          }
        : null,
      sums_reason: isWhole ? null : this.#isFirst ? 'too_many' : 'later_page',
      strategies: [...this.#strategies].sort().map(fillStrategyRow),
      pagination: {
        limit,
        next_before: hasMore ? ((isFull ? this.#shownAt : this.#at) ?? null) : null,
        has_more: hasMore,
      },
    }
  }
}
