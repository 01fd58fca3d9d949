import { MINUTE_MS } from '../../domain/exchange-time.ts'
import type { Price } from '../../domain/money.ts'
import { isStillMeant, type Judgment, type StopProfitState } from './stop-profit.ts'
import type { StopProfitSignal } from './stop-profit-signal.ts'
import type { StopProfitPolicy } from './trigger-prices.ts'
import { kindOf } from './verdicts.ts'

export interface SlotPolicy {
  /** `ENABLE_DYNAMIC_SIGNAL_KEEPALIVE`. */
  readonly isKeptAlive: boolean
  /** A signal stays this long although the present tick no longer causes it: 90 000. */
  readonly keepAliveMs: number
  /** From this age on nobody sees it any more: 300 000. */
  readonly validMs: number
  /** Failed tries of one take-profit signal within one minute before it is dropped: 3. */
  readonly triesMax: number
}

export interface WaitingSignal {
  readonly signal: StopProfitSignal
  /** Epoch milliseconds of the detection. */
  readonly sinceMs: number
}

interface Failures {
  readonly type: StopProfitSignal['type']
  /** Epoch minute in which they are counted. */
  readonly minute: number
  readonly count: number
}

/** One place per stock: the newest signal waits in it. Kept in memory only. */
export interface SignalSlot {
  readonly waiting?: WaitingSignal
  readonly failures?: Failures
}

export const EMPTY_SLOT: SignalSlot = {}

/** The slot without its signal; failed tries stay counted, so that a new detection does not reset them. */
export const emptied = ({ failures }: SignalSlot): SignalSlot =>
  failures === undefined ? EMPTY_SLOT : { failures }

/** The slot without a signal that a parameter, the cost, the high or the flag, changed since, has made void. */
export const slotOfNow = (
  policy: StopProfitPolicy,
  slot: SignalSlot,
  { state, costPrice }: { readonly state: StopProfitState; readonly costPrice: Price },
): SignalSlot => {
  const signal = slot.waiting?.signal
  return signal === undefined || isStillMeant(policy, state, { signal, costPrice })
    ? slot
    : emptied(slot)
}

/**
 * The slot after a tick was judged. A new signal takes the place; a closed gate empties it; without
 * a signal the old one stays for a while, because a first take-profit is detected on an edge. It goes
 * with its breakout: what is too cheap for a new one is not sold by the old one later.
 *
 * Source  docs/domain.md 5.4, 5.7.
 */
export function slotAfterTick(
  policy: SlotPolicy,
  slot: SignalSlot,
  { judgment, nowMs }: { readonly judgment: Judgment; readonly nowMs: number },
): SignalSlot {
  const { signal } = judgment
  if (signal !== undefined) return { ...slot, waiting: { signal, sinceMs: nowMs } }
  if (slot.waiting === undefined) return slot
  const kind = kindOf(judgment.code)
  if (kind === 'skipped') return slot
  if (kind === 'closed' || !policy.isKeptAlive || isVoid(slot.waiting, judgment)) {
    return emptied(slot)
  }
  const ageMs = nowMs - slot.waiting.sinceMs
  return ageMs >= 0 && ageMs <= policy.keepAliveMs ? slot : emptied(slot)
}

const isVoid = ({ signal }: WaitingSignal, { code }: Judgment): boolean =>
  signal.type === 'take_profit_half' && code === 'below_minimum'

/** The signal that waits; undefined when there is none, or none that is still valid. */
export function waitingSignal(
  { validMs }: SlotPolicy,
  { waiting }: SignalSlot,
  nowMs: number,
): WaitingSignal | undefined {
  return waiting !== undefined && nowMs - waiting.sinceMs < validMs ? waiting : undefined
}

/**
 * The slot after its signal failed, by validation or at submission. A take-profit is dropped after
 * some tries; a stop-loss is never counted, it is detected again anyway.
 *
 * Source  docs/domain.md 5.7.
 */
export function slotAfterFailure(policy: SlotPolicy, slot: SignalSlot, nowMs: number): SignalSlot {
  const { waiting, failures } = slot
  if (waiting === undefined || waiting.signal.type === 'stop_loss') return slot
  const { type } = waiting.signal
  const minute = Math.floor(nowMs / MINUTE_MS)
  const isSame = failures?.type === type && failures.minute === minute
  const count = isSame ? failures.count + 1 : 1
  const next = { waiting, failures: { type, minute, count } }
  return count >= policy.triesMax ? emptied(next) : next
}
