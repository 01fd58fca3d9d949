import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { isAfterHours, isHolidayHour, isOnTradingDay } from '../../src/domain/session.ts'
import type { ClockNews, Witness } from '../../src/market/checked-clock.ts'
import type { ClockWriter } from '../../src/market/clock.ts'
import {
  isOfBatch,
  type LeadNews,
  type LeadRules,
  NO_LEAD,
  seeQuote,
} from '../../src/market/quote-lead.ts'
import { type MarketLog, type Saved, type SavedClock, Saver } from '../../src/market/saved.ts'
import type { MarketEvent, Tick } from '../../src/protocol/market.ts'
import type { Feed } from './feed.ts'
import type { Parties } from './parties.ts'

export interface ClockDeskOptions {
  readonly clock: ClockWriter
  readonly feed: Feed
  readonly parties: Parties
  readonly saved: Saved<SavedClock>
  readonly log: MarketLog
  /** Moment within the exchange day of a moment, by the calendar that is in force. */
  readonly dayMs: (epochMs: number) => number
  /** A quote that is further ahead of the clock is a bad one, milliseconds. */
  readonly quoteAheadMs: number
  /** Quotes whose times differ more from the clock are told of. */
  readonly quoteLeadMs: number
  readonly quoteLeadWindowMs: number
  /** Called when the market clock was in doubt and shows the right time again. */
  readonly trusted: () => void
}

/** What becomes of the looks at the clocks: days that open, words for people, and what an account is told. */
export class ClockDesk {
  readonly #options: ClockDeskOptions
  readonly #saver: Saver<SavedClock>
  readonly #rules: LeadRules
  #lead = NO_LEAD
  /** Quotes that were left out, and the market clock when that was said last. */
  #ahead = 0
  #aheadToldMs = Number.NEGATIVE_INFINITY
  /** Exchange day on which it was told last that quotes move on a holiday. */
  #holidayTold = ''

  constructor(options: ClockDeskOptions) {
    this.#options = options
    this.#saver = new Saver(options.saved, options.log)
    const { quoteLeadMs, quoteLeadWindowMs } = options
    this.#rules = { quoteLeadMs, quoteLeadWindowMs, dayOf: exchangeDay }
  }

  /** Goes on from what an earlier process knew: its clock, or at least the time of its last quote. */
  async start(quotes: readonly Tick[]): Promise<void> {
    const { clock, feed, saved, dayMs } = this.#options
    const quotedMs = Math.max(0, ...quotes.map(({ time }) => time))
    const known =
      (await saved.load()) ?? (quotedMs > 0 ? { timeMs: quotedMs, uptimeMs: null } : undefined)
    const news = clock.check(known)
    if (known !== undefined) feed.resumeDay(dayMs(known.timeMs))
    if (!clock.isDoubted) {
      const todayMs = dayMs(clock.nowMs())
      // Behind what was known: whoever is ahead takes his day back.
      const isBack = known !== undefined && exchangeDay(todayMs) < exchangeDay(dayMs(known.timeMs))
      if (isBack) feed.forgetDay()
      clock.openDay(todayMs)
    }
    this.#tell(news)
  }

  look(): void {
    this.#tell(this.#options.clock.look())
  }

  /** Somebody has shown something of this time, which matters while the clock is in doubt. */
  hear(timeMs: number, witness: Witness): void {
    const { clock } = this.#options
    if (clock.isDoubted) this.#tell(clock.hear(timeMs, witness))
  }

  /** Opens the day that a clock shows which is sure of it; resolves when it is taken in. */
  openDueDay(): Promise<void> | void {
    const { clock, feed, dayMs } = this.#options
    if (clock.isChecked && !clock.isSure) return
    const nowMs = clock.nowMs()
    return feed.openDay(clock.isChecked ? dayMs(nowMs) : nowMs)
  }

  /**
   * Whether a live quote may be fed. It tells what time it is, when the clock is in doubt, not proved, or far behind
   * it: a computer that slept hears it from the first quote of the morning.
   */
  isSound(tick: Tick): boolean {
    const { clock, quoteAheadMs } = this.#options
    const { time } = tick
    this.#compare(time)
    const isAhead = () => time > clock.nowMs() + quoteAheadMs
    if (!clock.asksQuotes && !isAhead()) return true
    this.#tell(clock.hear(time, 'quotes'))
    void this.openDueDay()
    if (!isAhead()) return true
    this.#leaveOut(tick)
    return false
  }

  /** Said once in a while: a clock that is behind leaves out all of a feed, which may be thousands with each push. */
  #leaveOut({ time, stock_code: code }: Tick): void {
    const { clock, quoteLeadWindowMs, log } = this.#options
    this.#ahead += 1
    const nowMs = clock.nowMs()
    if (Math.abs(nowMs - this.#aheadToldMs) < quoteLeadWindowMs) return
    this.#aheadToldMs = nowMs
    log.warn({ code, quotedMs: time, count: this.#ahead }, 'quotes from the future were left out')
  }

  /** A clock that never jumped may be wrong all the same. One in doubt is told of already. */
  #compare(timeMs: number): void {
    const { clock, log } = this.#options
    if (clock.isDoubted) {
      this.#lead = NO_LEAD
      return
    }
    const nowMs = clock.nowMs()
    const quote = { timeMs, nowMs }
    if (isOfBatch(this.#lead, quote, this.#rules)) return
    const { lead, news, isTraded } = seeQuote(this.#lead, quote, this.#rules)
    const isUnsaid = news !== undefined && isOfTest(timeMs)
    this.#lead = isUnsaid ? { ...lead, toldDay: this.#lead.toldDay } : lead
    if (isTraded) this.#compareCalendar(nowMs)
    if (news === undefined || isUnsaid) return
    const { kind, leadMs } = news
    if (kind === 'off') log.error({ alert: 'clock_off', leadMs }, leadText(news))
    else log.info({ leadMs }, leadText(news))
  }

  /** An exchange may trade on a day that it had called a holiday, or the table may be wrong: nothing acts then. */
  #compareCalendar(nowMs: number): void {
    const day = exchangeDay(nowMs)
    if (day === this.#holidayTold || !isHolidayHour(nowMs)) return
    this.#holidayTold = day
    this.#options.log.error({ alert: 'holiday_quotes', day }, HOLIDAY_TEXT)
  }

  /** Only what is trusted is kept. */
  async save(): Promise<void> {
    const { clock } = this.#options
    if (clock.isChecked && !clock.isDoubted) await this.#keep()
  }

  async #keep(): Promise<void> {
    const { clock } = this.#options
    const { uptimeMs, unprovenMs } = clock
    const unproven = unprovenMs !== undefined && { unprovenMs }
    await this.#saver.save({ timeMs: clock.nowMs(), uptimeMs, ...unproven })
  }

  /** Logged for people; accounts keep purchases back meanwhile, and write it into their journals. */
  #tell(news: readonly ClockNews[]): void {
    const { clock, log, trusted } = this.#options
    for (const each of news) {
      const { kind, ...fields } = each
      if (kind !== 'doubted' && kind !== 'stepped') trusted()
      log.error(fields, textOf(each))
      // A replay does not live by the clock that jumped.
      if (clock.isChecked) this.#tellAccounts(each)
    }
  }

  #tellAccounts(news: ClockNews): void {
    const { feed, parties } = this.#options
    if (isSetBack(news)) feed.forgetDay()
    // What was kept last is the wall that was believed: the next start would believe it again.
    if (news.kind === 'led' && news.isBefore) void this.#keep()
    if (news.kind === 'stepped' || news.kind === 'led') return
    if (news.kind !== 'doubted') void this.save()
    for (const account of parties.accounts) parties.tell(account, eventOf(news))
  }
}

/** Whether the market clock was set back. */
const isSetBack = (news: ClockNews): boolean =>
  (news.kind === 'accepted' && news.offMs < 0) || (news.kind === 'led' && news.shiftMs < 0)

/** Exchanges test their systems then, with quotes of any time: they say nothing of the clock. */
const isOfTest = (timeMs: number): boolean => !isOnTradingDay(timeMs) || isAfterHours(timeMs)

const seconds = (ms: number): string => (ms / 1_000).toFixed(1)

const HOLIDAY_TEXT =
  '程序的日历说今天休市，而行情在走：今天不判断止盈止损，也不下单。如果交易所今天开市，请在交易客户端里自己看管，并更新本程序，或改正 closed_days (by the calendar of this program the exchange is closed today, but quotes move: no stop is judged and nothing is ordered today. If it does trade, look after your holdings in the trading client, and update this program, or mend closed_days)'

function leadText({ kind, leadMs }: LeadNews): string {
  const by = seconds(Math.abs(leadMs))
  if (kind === 'right') {
    return '本机时钟与行情时间又一致了 (the clock of the computer and the times of quotes agree again)'
  }
  return leadMs > 0
    ? `本机时钟比行情慢 ${by} 秒：开盘后要晚这么久才判断止损，收盘后还会下单；请校准时钟 (the clock of the computer is ${by} s behind the quotes: stops are judged so much later after the open, and orders still go out after the close; set it right)`
    : `行情时间比本机时钟慢 ${by} 秒：时钟快了，或行情有延迟；行情显得比 risk.stale_quote_seconds 更旧时不下单，止损也不下；请校准时钟 (the times of quotes are ${by} s behind the clock of the computer: it is ahead, or they come late; where they look older than risk.stale_quote_seconds nothing is ordered, no stop either; set the clock right)`
}

function textOf(news: ClockNews): string {
  switch (news.kind) {
    case 'stepped':
      return `the clock of the computer jumped by ${seconds(news.shiftMs)} s`
    case 'doubted':
      return `the clock of the computer is ${seconds(news.offMs)} s off and is not followed; nothing is bought`
    case 'returned':
      return 'the clock of the computer is followed again: it is right'
    case 'accepted':
      return `the clock of the computer is followed again: the market clock was set by ${seconds(news.offMs)} s`
    case 'led':
      return `the market clock was set by ${seconds(news.shiftMs)} s to the time of the quotes`
  }
}

function eventOf(
  news: Extract<ClockNews, { kind: 'doubted' | 'returned' | 'accepted' }>,
): MarketEvent {
  if (news.kind === 'doubted') return { kind: 'clockDoubted', offMs: news.offMs }
  return { kind: 'clockTrusted', shiftMs: news.kind === 'accepted' ? news.offMs : 0 }
}
