import { type ErrorCode, POLICY, ServiceError } from '../../domain/errors.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { OrderRecord, Side, SignalType } from '../../domain/order.ts'
import { isProtectiveWish } from '../../domain/protective.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { firstRefusal } from '../../domain/risk.ts'
import type { RiskInput, RiskOrder } from '../../domain/risk-input.ts'
import { dayInForce } from '../model/days.ts'
import { isAlike } from '../model/order-book.ts'
import type { Simulation } from '../model/simulation.ts'
import type { AccountState } from '../model/state.ts'
import { positionsOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'
import { exposureOf } from './assets.ts'
import { cashLeft, sharesLeft } from './available.ts'
import { levelInForce } from './triggers.ts'
import { repeatedBy } from './untold.ts'

/** An order under its key, of a request or made of an intent, before the account has agreed. */
export interface WantedOrder {
  readonly clientOrderId: string
  readonly requestHash: string
  readonly code: StockCode
  readonly side: Side
  readonly quantity: Quantity
  readonly priceType: number
  readonly price: Price
  readonly strategy: string
  readonly source: string
  /** Set when a signal wants it. */
  readonly signalType?: SignalType | undefined
}

declare const brand: unique symbol
/** An order that every rule has let pass. Only {@link approve} makes one; only such a one is sent. */
export type ApprovedOrder = WantedOrder & { readonly [brand]: 'ApprovedOrder' }

/**
 * The one door to the broker, for requests and strategies alike. A refusal goes into the
 * journal, unless it is told there already. One that a rule decided (409) is kept under the key and
 * is the answer again when the same request comes again; one that says that nothing can be decided
 * now (503) is not, and the request may be tried again under the same key. Of a disk that is nearly
 * full nothing is written: that would fill it.
 */
export function approve(
  turn: Turn,
  wanted: WantedOrder,
  isRecorded: (code: ErrorCode) => boolean = () => false,
): Result<ApprovedOrder, ServiceError> {
  const kept = turn.state.denials.get(wanted.clientOrderId)
  if (kept !== undefined) return err(new ServiceError(kept.code, kept.message))
  const refusal = firstRefusal(riskInput(turn, wanted, wanted.requestHash === ''))
  if (refusal === undefined) return ok(wanted as ApprovedOrder)
  const { code, message, actual } = refusal
  if (!isRecorded(code) && code !== 'DISK_FULL') recordRefusal(turn, wanted, { code, message })
  const details = NAMES_ORDER.has(code) ? { client_order_id: [String(actual)] } : undefined
  return err(new ServiceError(code, message, details))
}

/** Refusals because of another order, which is what the rule found. */
const NAMES_ORDER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ORDER_IN_DOUBT_HELD',
  'ORDER_UNTOLD',
  'DUPLICATE_ORDER',
])

function recordRefusal(
  turn: Turn,
  wanted: WantedOrder,
  { code, message }: Pick<ServiceError, 'code' | 'message'>,
): void {
  const { clientOrderId, requestHash } = wanted
  turn.emit({
    kind: 'orderDenied',
    clientOrderId,
    stockCode: wanted.code,
    side: wanted.side,
    quantity: wanted.quantity,
    priceType: wanted.priceType,
    price: wanted.price,
    strategy: wanted.strategy,
    code,
    message,
    source: wanted.source,
    ...(POLICY[code].status === 409 && { requestHash, forgets: tooMany(turn.state) }),
  })
}

/** The oldest refusals, as many as one more leaves no room for. */
function tooMany({ denials, policy }: AccountState): readonly string[] {
  const surplus = denials.size + 1 - policy.limits.denialsMax
  return surplus > 0 ? [...denials.keys()].slice(0, surplus) : []
}

/** What is judged: an order, and the signal that wants it, if one does. */
type Judged = RiskOrder & Partial<Pick<WantedOrder, 'signalType' | 'requestHash'>>

/** All that the rules look at for an order, as the account knows it now. `isOwn`: a strategy wants it. */
export function riskInput(turn: Turn, order: Judged, isOwn = false): RiskInput {
  const { state, inputs } = turn
  const { policy, settings } = state
  const position = positionsOf(state).get(order.code)
  const inForce = levelInForce(state, inputs)
  return {
    order,
    nowMs: inputs.nowMs,
    day: state.day,
    isAlwaysOpen: policy.isAlwaysOpen,
    isBuyAllowed: settings.ENABLE_ALLOW_BUY,
    isSellAllowed: settings.ENABLE_ALLOW_SELL,
    killLevel: inForce.level,
    killReason: inForce.reason,
    isReady: state.isReady,
    ...(inputs.isDiskLow === true && { isDiskLow: true }),
    name: position?.name ?? '',
    quote: inputs.quote(order.code),
    ...left(turn, order),
    isProtective: isProtectiveWish(order),
    ordersLastSecond: sentLastSecond(turn),
    ordersKept: state.orders.size,
    ordersKeptMax: policy.limits.ordersMax,
    feeRates: policy.feeRates,
    limits: policy.risk,
    ...fromOrders(turn, order, isOwn),
    ...(!isOwn && repeatedBy(turn, order)),
    ...(isOwn && order.side === 'buy' && { exposure: exposureOf(state, inputs) }),
    ...(state.simulation && simulated(state, state.simulation)),
  }
}

/** A simulation has no broker, no hours, and quotes of any age. */
const simulated = (
  { policy, killSwitch }: AccountState,
  { cash }: Simulation,
): Partial<RiskInput> => ({
  isReady: true,
  isAlwaysOpen: true,
  cash,
  cashReserved: 0 as Money,
  killLevel: killSwitch.level,
  killReason: killSwitch.reason,
  limits: { ...policy.risk, staleQuoteMs: 0 },
})

/** What is left of shares and cash for this order. */
function left(
  turn: Turn,
  { code }: RiskOrder,
): Pick<RiskInput, 'cash' | 'cashReserved' | 'sellable' | 'sellableReserved'> {
  const shares = sharesLeft(turn.state, code)
  const cash = cashLeft(turn)
  return {
    cash: cash && ((cash.free + cash.inDoubt) as Money),
    cashReserved: cash?.inDoubt ?? (0 as Money),
    sellable: (shares.free + shares.inDoubt) as Quantity,
    sellableReserved: shares.inDoubt,
  }
}

type FromOrders = Pick<
  RiskInput,
  'doubtful' | 'doubtfulLike' | 'duplicate' | 'ordersToday' | 'protectiveToday'
>

/** What the orders that exist already mean for a new one. */
function fromOrders(turn: Turn, wanted: RiskOrder, isOwn: boolean): FromOrders {
  const { orders } = turn.state
  let doubtful: string | undefined
  let doubtfulLike: string | undefined
  for (const order of orders.doubtful()) {
    if (order.code !== wanted.code || order.side !== wanted.side) continue
    doubtful ??= order.clientOrderId
    if (isAlike(order, wanted)) doubtfulLike ??= order.clientOrderId
  }
  const day = dayInForce(turn.state, turn.inputs.nowMs)
  return {
    ordersToday: orders.oursSince(day),
    protectiveToday: orders.protectiveSince(day),
    doubtful,
    doubtfulLike,
    duplicate: duplicateOf(orders.openLike(wanted), isOwn),
  }
}

/**
 * The oldest of the open orders with the same terms. A strategy's own guards know its orders: that it wants to
 * sell just as many shares as somebody else's order in doubt has reserved is no repetition.
 */
function duplicateOf(alike: Iterable<OrderRecord>, isOwn: boolean): string | undefined {
  for (const { clientOrderId, status, side } of alike) {
    if (!(isOwn && side === 'sell' && status === 'inDoubt')) return clientOrderId
  }
  return undefined
}

const SECOND_MS = 1_000
const isWithinSecond = (thenMs: number, nowMs: number): boolean =>
  nowMs >= thenMs && nowMs - thenMs < SECOND_MS

/**
 * Orders of the last second. Where market time stands still (a replay that is paused) real time
 * moves on, and where it flies (a replay at full speed) real time stands still: an order counts
 * while it is young on both clocks. On a live market they are the same.
 */
function sentLastSecond({ state, inputs }: Turn): number {
  const { nowMs, wallMs } = inputs
  return state.sent.filter(
    (mark) => isWithinSecond(mark.nowMs, nowMs) && isWithinSecond(mark.wallMs, wallMs),
  ).length
}

/** Remembers that an order leaves now, for the rate rule. */
export function markSent({ state, inputs }: Turn): void {
  const { nowMs, wallMs } = inputs
  state.sent.push({ nowMs, wallMs })
  while (state.sent.length > state.policy.risk.maxOrdersPerSecond) state.sent.shift()
}
