import type { Fault } from '../shared/fault.ts'
import type { PreviewAnswer } from './wire.ts'

/** A check older than this says nothing of the order any more. */
const CHECK_MS_MAX = 12_000
/** How long the first quote of a stock may take before it is said that there is none. */
const FIRST_QUOTE_MS = 4_000
/** From this age on a quote is not taken for the market. */
const QUOTE_MS_MAX = 30_000

/** A code as a person types it, whole: seven digits are none. */
const WHOLE_CODE = /^(?:(?:SH|SZ|BJ)\.)?\d{6}(?:\.(?:SH|SZ|BJ))?$/i
export const isWholeCode = (code: string): boolean => WHOLE_CODE.test(code)

/** What the ticket can say of its order. Only `passed` is good. */
export type TicketState =
  | 'noCode'
  | 'asking'
  | 'incomplete'
  | 'checking'
  | 'outdated'
  | 'failed'
  | 'unchecked'
  | 'refused'
  | 'noQuote'
  | 'oldQuote'
  | 'passed'

/** An answer, and when it came, epoch milliseconds. */
export interface Told {
  readonly answer: PreviewAnswer
  readonly atMs: number
}

/** All that decides what a ticket says. */
export interface TicketSight {
  readonly nowMs: number
  readonly isWhole: boolean
  readonly isComplete: boolean
  /** Since when this code stands in the field. */
  readonly codeSinceMs: number
  readonly fault: Fault | undefined
  /** Whether the fault is of a question about the very order. */
  readonly isOrdersFault: boolean
  /** What was last told of the stock, and of the very order. */
  readonly facts: Told | undefined
  readonly check: Told | undefined
}

/** How old the quote is by now; undefined when there is none. */
export const quoteAgeMs = ({ facts, nowMs }: Pick<TicketSight, 'facts' | 'nowMs'>) =>
  facts?.answer.quote
    ? facts.answer.quote.age_seconds * 1_000 + Math.max(0, nowMs - facts.atMs)
    : undefined

/** Whatever is not known is said first; good is what is left. */
export function ticketState(sight: TicketSight): TicketState {
  const { isWhole, fault, facts, isComplete } = sight
  if (!isWhole) return 'noCode'
  if (fault !== undefined) return isUnchecked(sight) ? 'unchecked' : 'failed'
  const isWaiting = sight.nowMs - sight.codeSinceMs < FIRST_QUOTE_MS
  const hasQuote = facts !== undefined && facts.answer.quote !== null
  if (facts === undefined || (!hasQuote && isWaiting)) return 'asking'
  if (!isComplete) return hasQuote ? 'incomplete' : 'noQuote'
  return checkedState(sight)
}

/** Nobody says anything of the order: the answer takes longer than is waited for. */
const isUnchecked = ({ fault, isOrdersFault, isComplete }: TicketSight): boolean =>
  isOrdersFault && isComplete && (fault?.kind === 'late' || fault?.code === 'TIMEOUT')

function checkedState(sight: TicketSight): TicketState {
  const { check, facts, nowMs } = sight
  if (check === undefined) return 'checking'
  if (nowMs - check.atMs > CHECK_MS_MAX) return 'outdated'
  if (!check.answer.allowed) return 'refused'
  if ((facts?.answer.quote?.last_price ?? 0) <= 0) return 'noQuote'
  return (quoteAgeMs(sight) ?? 0) >= QUOTE_MS_MAX ? 'oldQuote' : 'passed'
}
