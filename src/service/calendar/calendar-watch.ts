import { type Config, isInvented } from '../../config/schema.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import { calendarNotice } from '../../domain/session.ts'
import type { Logger } from '../../observability/logger.ts'

/** Whether holidays of the days to come matter: no recording, and no market that is always in session. */
export const livesByCalendar = ({ market }: Pick<Config, 'market'>): boolean =>
  market.source !== 'replay' && !isInvented(market)

/** Between two looks at the day. */
const LOOK_MS = 3_600_000

export interface CalendarWatchOptions {
  readonly log: Pick<Logger, 'warn'>
  readonly nowMs: () => number
}

/** Says once a day, weeks before, that the holidays of a year are not known: a service that runs for months is not started then. */
export class CalendarWatch {
  readonly #options: CalendarWatchOptions
  #timer: NodeJS.Timeout | undefined
  #toldDay = ''

  constructor(options: CalendarWatchOptions) {
    this.#options = options
  }

  start(): void {
    this.look()
    this.#timer = setInterval(() => this.look(), LOOK_MS)
  }

  look(): void {
    const { log, nowMs } = this.#options
    const notice = calendarNotice(nowMs())
    const day = exchangeDay(nowMs())
    if (notice === undefined || day === this.#toldDay) return
    this.#toldDay = day
    log.warn(
      { ...notice },
      'the holidays of this year are not known: from its first day on every weekday counts as a trading day; update this program, or write the days of the notice of the exchange into closed_days',
    )
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
