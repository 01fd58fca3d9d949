import { z } from 'zod'
import {
  DAY_MS,
  exchangeDay,
  exchangeDayStartMs,
  exchangeTimeOfDayMs,
  MINUTE_MS,
} from '../../src/domain/exchange-time.ts'
import { barPages } from '../../src/protocol/history.ts'
import { statusAnswer, time } from '../answers/envelope.ts'
import { type FrontContext, statusReply, within } from '../desk/context.ts'
import { codeOf } from '../desk/orders.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink } from '../port/service.ts'
import type { Feature } from './feature.ts'

const mean = z.number().nullable().describe('null while the window is short')
const day = z
  .object({
    d: z.string().describe('YYYY-MM-DD'),
    o: z.number(),
    h: z.number(),
    l: z.number(),
    c: z.number(),
    dif: z.number(),
    dea: z.number(),
    hist: z.number(),
    ma8: mean,
    ma34: mean,
    cat: z.int().min(0).max(3).describe('0 strong rise, 1 weak rise, 2 weak fall, 3 strong fall'),
  })
  .meta({ id: 'MacdDay' })

const fields = z
  .object({
    code: z.string(),
    trend: z.string(),
    base_position: z.string(),
    grid: z.string(),
    cross: z.string(),
    dif: z.number(),
    dea: z.number(),
    dea_prev: z.number(),
    updated: z.string().describe('the last completed day'),
    series: z.array(day).describe('at most 60 days'),
  })
  .meta({ id: 'MacdAdvice' })

const reason = { code: z.string(), message: z.string() }
const none = z
  .object({ status: z.literal('error'), ...reason, data: z.object(reason), timestamp: time })
  .describe('no data')

const answer = z.union([statusAnswer(fields), none])

const CODE_DEFAULT = '399001.SZ'
/** Today's bar counts from 15:30 on. */
const DAY_COMPLETE_MS = (15 * 60 + 30) * MINUTE_MS

const query = z.object({
  code: z.string().default(CODE_DEFAULT).describe(`one code; ${CODE_DEFAULT} when left out`),
})

/** What the stored days of a stock advise about base position and grid. */
export const macd: Feature = (on) => {
  const advices = new MacdDesk(on)
  return [
    on.chosen.ofAccount({
      method: 'GET',
      path: '/macd/advice',
      scope: 'view',
      summary: 'MACD 建议：底仓与网格方向 (advice for base position and grid)',
      answer,
      query,
      handle: ({ request, query: { code } }, link) => advices.answer(link, code, request),
    }),
  ]
}

/** Shown as it is: the fields of an advice, or why there is none. */
type Advice =
  | { readonly ok: true; readonly value: object }
  | { readonly ok: false; readonly error: string }

interface Entry {
  readonly advice: Promise<Advice>
  readonly lastDay: string
  readonly untilMs: number
}

/** Advice by code, calculated once for a completed day and kept for a while, also when there is none. */
class MacdDesk {
  readonly #context: FrontContext
  readonly #entries = new Map<string, Entry>()

  constructor(context: FrontContext) {
    this.#context = context
  }

  /** Errors  `CODE_INVALID`, `UNKNOWN_EXCHANGE`, and those of the market. */
  async answer(link: AccountLink, text: string, request: HttpRequest): Promise<Reply> {
    const code = codeOf(text.trim() === '' ? CODE_DEFAULT : text, 'code')
    const advice = await this.#advice(link, code, request)
    if (advice.ok) return statusReply(this.#context, { code, ...advice.value })
    return statusReply(this.#context, { code, message: advice.error }, { status: 'error' })
  }

  #advice(link: AccountLink, code: string, request: HttpRequest): Promise<Advice> {
    const { clock, limits } = this.#context
    const lastDay = lastCompleteDay(clock.nowMs())
    const key = `${link.accountId} ${code}`
    const known = this.#entries.get(key)
    const nowMs = performance.now()
    if (known !== undefined && known.lastDay === lastDay && known.untilMs > nowMs) {
      return known.advice
    }
    const advice = this.#calculate(link, { code, lastDay, key }, request)
    this.#entries.delete(key) // goes to the end: the oldest is dropped first
    this.#entries.set(key, { advice, lastDay, untilMs: nowMs + limits.macdCacheMs })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= limits.macdCacheMax) break
      this.#entries.delete(oldest)
    }
    return advice
  }

  async #calculate(
    link: AccountLink,
    { code, lastDay, key }: { code: string; lastDay: string; key: string },
    request: HttpRequest,
  ): Promise<Advice> {
    const { limits, service } = this.#context
    try {
      const options = within(limits.readTimeoutMs, request)
      const query = { code, period: '1d', from: '1990-01-01', to: lastDay } as const
      const bars: Uint8Array[] = []
      for await (const page of barPages((body) => link.market(body, options), query)) {
        bars.push(...page.bars)
      }
      if (bars.length === 0) this.#entries.delete(key) // the first quote may come at any moment
      return await service.calculations.macd({ bars, lastDay })
    } catch (error) {
      this.#entries.delete(key)
      throw error
    }
  }
}

/** `2026-08-10`: today from half past three on, before that yesterday. */
function lastCompleteDay(nowMs: number): string {
  const isComplete = exchangeTimeOfDayMs(nowMs) >= DAY_COMPLETE_MS
  const today = exchangeDay(nowMs)
  return isComplete ? today : exchangeDay(exchangeDayStartMs(today) - DAY_MS)
}
