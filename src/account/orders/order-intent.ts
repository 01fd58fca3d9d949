import { type ErrorCode, POLICY, type ServiceError } from '../../domain/errors.ts'
import { clientOrderId as idOf } from '../../domain/ids.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Price, Quantity } from '../../domain/money.ts'
import {
  type OrderChain,
  type OrderRecord,
  PRICE_TYPE,
  type SignalType,
} from '../../domain/order.ts'
import type { RiskOrder } from '../../domain/risk-input.ts'
import { ownerOf } from '../model/order-book.ts'
import { restoredSeed } from '../model/restore.ts'
import type { AccountState, ToldRefusals } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'
import { approve } from './approval.ts'
import { holdPlace, leavePlace } from './order-rate.ts'
import { submit } from './orders.ts'
import { type Wait, waitOf } from './pace.ts'
import type { Fills } from './simulate-order.ts'

/**
 * What a strategy wants: one order. It has no key yet: the door gives it one, which makes it a
 * `WantedOrder`, as the request of a person is from the start, and the rules make that an `ApprovedOrder`.
 */
export interface OrderIntent extends RiskOrder {
  /** Name at the broker and in the records. */
  readonly strategy: string
  /** Who wants it, in the journal. */
  readonly source: string
  /** Set when a signal wants it; its orders bear the chain that they are part of. */
  readonly signalType?: SignalType
  /** Price at which it arose; 0 = none. */
  readonly signalPrice: Price
  /** The order whose rest this is, or whose next part: it has passed the guards already. */
  readonly follows?: OrderRecord | undefined
  /** What is wanted altogether, where one order may not be of all of it and the next part is to follow. */
  readonly target?: Quantity | undefined
  readonly terms: DoorTerms
}

/** What differs at the door from strategy to strategy. */
export interface DoorTerms {
  /** Client order id of an order that must be finished first; undefined = none must. */
  readonly findUnfinished?: (state: AccountState, intent: OrderIntent) => string | undefined
  /** Of the number of a simulated order, where an order has one record for all its fills. */
  readonly simulatedPrefix?: string
}

/** What the door itself refuses. */
export type DoorRefusal = 'order_unfinished' | Wait['code']

/** Why nothing was sent. The code is that of a rule, or in small letters one of the door or the strategy. */
export interface IntentRefusal {
  readonly code: ErrorCode | DoorRefusal | Lowercase<string>
  readonly message: string
  /** It may pass by itself, so that asking again makes sense. */
  readonly isPassing: boolean
  /** When asking again makes sense, by the market clock, where that is known; epoch ms. */
  readonly untilMs?: number
}

/** What became of an intent. `fills`: in simulation mode it is filled at once. */
export type IntentOutcome =
  | { readonly kind: 'sent'; readonly clientOrderId: string; readonly fills: Fills | undefined }
  | { readonly kind: 'refused'; readonly refusal: IntentRefusal }

/**
 * The door of every automatic order: guards, the rules, then the order. Nothing is sent while an
 * earlier order must be finished first, nor right after the broker has refused one like it. What a
 * rule refuses again and again is told once in a while; a refusal that only repeats writes nothing.
 */
export function submitIntent(turn: Turn, intent: OrderIntent): IntentOutcome {
  const isNew = intent.follows === undefined
  const guard = isNew ? guardRefusal(turn, intent) : undefined
  if (guard !== undefined) return refused(turn, intent, guard)
  const clientOrderId = freshId(turn)
  const isRecorded = (code: ErrorCode) => isNew && isRepeated(turn, intent, code)
  const approval = approve(
    turn,
    {
      clientOrderId,
      requestHash: '',
      code: intent.code,
      side: intent.side,
      quantity: intent.quantity,
      priceType: intent.priceType,
      price: intent.price,
      strategy: intent.strategy,
      source: intent.source,
      signalType: intent.signalType,
    },
    isRecorded,
  )
  if (!approval.ok) return denied(turn, intent, { error: approval.error, isRecorded })
  leavePlace(turn.state, intent)
  if (isNew) turn.state.refusals.delete(refusalKey(ownerOf(intent), intent.code))
  const simulated = submit(turn, approval.value, originOf(turn, intent, clientOrderId))
  if (simulated?.answer.state === 'rejected') {
    const message = simulated.answer.statusMessage
    return refused(turn, intent, { code: 'NO_PRICE', message, isPassing: true })
  }
  return { kind: 'sent', clientOrderId, fills: simulated?.fills }
}

/** What would be pointless or too much, whatever the rules say. */
function guardRefusal(turn: Turn, intent: OrderIntent): IntentRefusal | undefined {
  const unfinished = intent.terms.findUnfinished?.(turn.state, intent)
  if (unfinished !== undefined) {
    const message = `委托 ${unfinished} 未了结 (it is not finished)`
    return { code: 'order_unfinished', message, isPassing: true }
  }
  const wait = waitOf(turn, intent)
  return wait && { ...wait, isPassing: true }
}

interface Denial {
  readonly error: ServiceError
  readonly isRecorded: (code: ErrorCode) => boolean
}

/** A rule has refused it. The rest of a canceled order is asked about so seldom that each refusal counts. */
function denied(turn: Turn, intent: OrderIntent, { error, isRecorded }: Denial): IntentOutcome {
  const { code, message } = error
  const untilMs = code === 'ORDER_RATE' ? holdPlace(turn, intent) : undefined
  const isPassing = POLICY[code].retry !== 'never'
  const refusal = { code, message, isPassing, ...(untilMs !== undefined && { untilMs }) }
  if (intent.follows !== undefined || isRecorded(code)) return { kind: 'refused', refusal }
  return refused(turn, intent, refusal)
}

/** Each reason is told once in a while, also when several take turns. */
function refused(turn: Turn, intent: OrderIntent, refusal: IntentRefusal): IntentOutcome {
  if (!isRepeated(turn, intent, refusal.code)) {
    turn.warn(`${whatOf(intent)} ${intent.code} not sent: ${refusal.message}`)
    const { refusals } = turn.state
    const key = refusalKey(ownerOf(intent), intent.code)
    const told: ToldRefusals = refusals.get(key) ?? new Map()
    refusals.set(key, told.set(toldKey(intent, refusal.code), turn.inputs.nowMs))
  }
  return { kind: 'refused', refusal }
}

/** Under which the last refusals of an owner's orders for a stock are remembered. */
export const refusalKey = (owner: string, code: StockCode): string => `${owner}|${code}`

const whatOf = ({ signalType, strategy, side }: OrderIntent): string =>
  signalType ?? `${strategy} ${side}`

const toldKey = (intent: OrderIntent, code: IntentRefusal['code']): string =>
  `${whatOf(intent)}|${code}`

/** Whether the same refusal of the same intent was told a moment ago. */
function isRepeated(
  { state, inputs }: Turn,
  intent: OrderIntent,
  code: IntentRefusal['code'],
): boolean {
  const told = state.refusals.get(refusalKey(ownerOf(intent), intent.code))
  const atMs = told?.get(toldKey(intent, code))
  return atMs !== undefined && inputs.nowMs - atMs < state.policy.limits.refusalRepeatMs
}

function originOf({ inputs }: Turn, intent: OrderIntent, clientOrderId: string) {
  const { signalType, terms } = intent
  const { simulatedPrefix } = terms
  if (signalType === undefined) return { simulatedPrefix }
  const last = inputs.quote(intent.code)?.lastPrice
  const isUnpriced = intent.priceType !== PRICE_TYPE.limit && last !== undefined && last > 0
  return {
    signalType,
    chain: chainOf(intent, clientOrderId),
    ...(intent.target !== undefined && { hasNextPart: true as const }),
    ...(isUnpriced && { quotedPrice: last }),
    simulatedPrefix,
  }
}

const chainOf = (
  { follows, quantity, target = quantity, signalPrice }: OrderIntent,
  clientOrderId: string,
): OrderChain =>
  follows?.chain === undefined
    ? {
        rootClientOrderId: clientOrderId,
        targetQuantity: target,
        attempt: 0,
        follows: '',
        signalPrice,
      }
    : { ...follows.chain, attempt: attemptAfter(follows), follows: follows.clientOrderId }

/** The next part is tried as often as the one before; one that was never sent was no try. */
const attemptAfter = ({ status, chain, isTooLate }: OrderRecord): number =>
  status === 'filled' ? 0 : (chain?.attempt ?? 0) + (isTooLate ? 0 : 1)

const ENTROPY_BYTES = 10
const FNV_PRIME = 16_777_619
const FNV_BASIS = 2_166_136_261

/**
 * A client order id for an order that the account itself decides on. It follows from the account
 * and from the number of orders that it has placed, which is saved with each order: never the same
 * twice, and the same again when a replay repeats.
 */
function freshId({ state, inputs }: Turn): string {
  const seed = `${state.policy.accountId}|own|${state.idCounter}${restoredSeed(state)}`
  for (let salt = 0; ; salt++) {
    const id = idOf(inputs.nowMs, entropyOf(`${seed}|${salt}`))
    if (state.orders.bearing(id) === undefined) return id
  }
}

/** Ten bytes that spread; they need not be secret. */
function entropyOf(text: string): Uint8Array {
  const bytes = new Uint8Array(ENTROPY_BYTES)
  let hash = FNV_BASIS
  for (let i = 0; i < text.length + ENTROPY_BYTES; i++) {
    hash = Math.imul(hash ^ (text.charCodeAt(i % text.length) + i), FNV_PRIME) >>> 0
    bytes[i % ENTROPY_BYTES] = (hash >>> 13) & 255
  }
  return bytes
}
