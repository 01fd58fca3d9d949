import { exchangeTime } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { type Price, toYuan } from '../../domain/money.ts'
import { toldNumber } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import type { ReasonCode } from '../../domain/standing.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type { AccountState } from '../model/state.ts'
import { isInSession } from '../strategies/market-gates.ts'
import { STRATEGIES } from '../strategies/registry.ts'
import {
  type HoldingsOutlook,
  type Resting,
  type Standing,
  type StandingOrder,
  soldToday,
} from '../strategies/standing.ts'
import type { Sight } from '../turn/turn.ts'

/** What the service thinks of a holding, in one line, and the same for machines. */
export interface WhyFields {
  readonly why_zh: string
  readonly why_en: string
  readonly why: object | null
}

export const NOTHING_THOUGHT: WhyFields = { why_zh: '', why_en: '', why: null }

const yuan = (price: Price): number | null => (price > 0 ? toYuan(price) : null)

const orderRow = (order: StandingOrder) => ({
  client_order_id: order.clientOrderId,
  order_id: toldNumber(order) || null,
  strategy: order.strategy,
  volume: order.quantity,
  price: yuan(order.price),
  since: exchangeTime(order.sinceMs),
  until: order.untilMs === undefined ? null : exchangeTime(order.untilMs),
  in_doubt: order.status === 'inDoubt',
})

const whyFields = ({ zh, en, ...standing }: Standing): WhyFields => ({
  why_zh: zh,
  why_en: en,
  why: {
    state: standing.code,
    first_profit: yuan(standing.firstProfit),
    sells_at: yuan(standing.sellsAt),
    stop: yuan(standing.stop),
    high: yuan(standing.high),
    adds_at: yuan(standing.addsAt),
    sold_today: standing.soldToday,
    order: standing.order === undefined ? null : orderRow(standing.order),
    reasons: standing.reasons.map(({ code }) => code),
  },
})

/** The first strategy that has something to say of a holding. */
export function whyOf(
  state: AccountState,
  code: StockCode,
  outlook: HoldingsOutlook,
  strategies = STRATEGIES,
): WhyFields {
  for (const { standing } of strategies) {
    const found = standing?.(state, code, outlook)
    if (found !== undefined) return whyFields(found)
  }
  return NOTHING_THOUGHT
}

/** What passes although the account has done nothing that is shown: quotes become good, a refused stock is judged again. */
const PASSING: readonly ReasonCode[] = ['quote_refused', 'too_few_looks', 'refused']
/** How soon a line with such a reason is made anew. Quotes are checked every three seconds. */
const PASSING_MS = 1_000

interface Kept {
  /** What it was made from. */
  readonly stamp: string
  readonly position: Position
  readonly isPriced: boolean
  /** When it was made, market clock in epoch ms, if it tells of something that passes. */
  readonly passingMs: number | undefined
  readonly fields: WhyFields
  readonly text: string
}

/** One look at all holdings. */
interface Look {
  readonly outlook: HoldingsOutlook
  /** As long as it is the same, nothing has happened that a line could tell of. */
  readonly stamp: string
}

/** A holding that is looked at. */
interface Seen {
  readonly position: Position
  readonly isPriced: boolean
  readonly look: Look
}

/**
 * The lines of an account as they were told last. One is made anew only where the account has done something since,
 * and stays the very same object while it says the same: prices that move cost nothing, and new highs little.
 */
export class Whys {
  readonly #state: AccountState
  readonly #onNews: () => void
  readonly #strategies: typeof STRATEGIES
  readonly #known = new Map<StockCode, Kept>()
  #look: Look | undefined

  /** `onNews` is called when a line reads otherwise than it did. */
  constructor(state: AccountState, onNews: () => void, strategies = STRATEGIES) {
    this.#state = state
    this.#onNews = onNews
    this.#strategies = strategies
  }

  /** Before holdings are looked at. `version` counts what the account has done besides price marks. */
  begin(
    sight: Sight,
    { version, resting }: { readonly version: number; readonly resting?: Resting | undefined },
  ): void {
    const stamp = `${version} ${resting ?? ''} ${isInSession(this.#state, sight.nowMs)}`
    const known = this.#look
    const isSame = known?.stamp === stamp
    const sold = isSame ? known.outlook.soldToday : soldToday(this.#state, sight.nowMs)
    this.#look = { stamp, outlook: { ...sight, resting, soldToday: sold } }
  }

  /** The line of a holding. */
  of(position: Position, quote: Quote | undefined): WhyFields {
    const look = this.#look
    if (look === undefined) return NOTHING_THOUGHT
    const { code } = position
    const isPriced = quote !== undefined && quote.lastPrice > 0
    const known = this.#known.get(code)
    if (known !== undefined && this.#holds(known, { position, isPriced, look })) {
      if (known.position !== position) this.#known.set(code, { ...known, position })
      return known.fields
    }
    const { stamp, outlook } = look
    const made = whyOf(this.#state, code, outlook, this.#strategies)
    const text = JSON.stringify(made)
    const fields = known?.text === text ? known.fields : made
    if (known !== undefined && fields === made) this.#onNews()
    const passingMs = PASSING.some((code) => text.includes(code)) ? outlook.nowMs : undefined
    this.#known.set(code, { stamp, position, isPriced, passingMs, fields, text })
    return fields
  }

  /** Whether what was told is still what would be told. */
  #holds(known: Kept, { position, isPriced, look }: Seen): boolean {
    if (known.stamp !== look.stamp || known.isPriced !== isPriced) return false
    const { passingMs } = known
    // A clock may be set back, too.
    if (passingMs !== undefined && Math.abs(look.outlook.nowMs - passingMs) >= PASSING_MS)
      return false
    return known.position === position || this.#standsAsBefore(known.position, position)
  }

  #standsAsBefore(before: Position, after: Position): boolean {
    return this.#strategies.every(
      ({ standing, standsAsBefore }) =>
        standing === undefined || standsAsBefore?.(this.#state, before, after) === true,
    )
  }

  /** Forgets what is not held any more. */
  keepOnly(held: ReadonlyMap<StockCode, Position>): void {
    if (this.#known.size <= held.size) return
    for (const code of this.#known.keys()) if (!held.has(code)) this.#known.delete(code)
  }
}
