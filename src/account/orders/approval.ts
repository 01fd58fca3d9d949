import { type ErrorCode, POLICY, ServiceError } from '../../domain/errors.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { OrderRecord, Side, SignalType } from '../../domain/order.ts'
import { isProtectiveWish } from '../../domain/protective.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { firstRefusal, type RuleFinding } from '../../domain/risk.ts'
import type { OrderQueueSeen, RiskInput, RiskOrder } from '../../domain/risk-input.ts'
import { dayInForce } from '../model/days.ts'
import { isWithdrawnKey } from '../model/kept-denial.ts'
import { spokenReason } from '../model/kill-switch.ts'
import { isAlike, leavesOf } from '../model/order-book.ts'
import type { Simulation } from '../model/simulation.ts'
import type { AccountState } from '../model/state.ts'
import { nameOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'
import { exposureOf } from './assets.ts'
import { cashLeft, cashOf, sharesLeft } from './available.ts'
import { rateInput } from './order-rate.ts'
import { withProtection } from './protection.ts'
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
  const isOwn = wanted.requestHash === ''
  const order = withProtection(turn, wanted)
  const refusal = refusalOf(turn, order, { input: riskInput(turn, order, isOwn), isRecorded })
  return refusal === undefined ? ok(order as ApprovedOrder) : err(refusal)
}

/** Why an order is not even taken into the queue in which it would wait for its turn. It is judged again then. */
export function refusedFromQueue(
  turn: Turn,
  wanted: WantedOrder,
  queue: OrderQueueSeen,
): ServiceError | undefined {
  const order = withProtection(turn, wanted)
  const input = { ...riskInput(turn, order), queue }
  return refusalOf(turn, order, { input, isRecorded: () => false })
}

/**
 * Why an order may not take the place of one that is still open. It is judged as if that one had ended and had given
 * back what it has frozen, and again when it has. Nothing leaves before, so it needs no place within this second.
 */
export function refusedInPlaceOf(
  turn: Turn,
  wanted: WantedOrder,
  { replaced, queue }: { readonly replaced: OrderRecord; readonly queue: OrderQueueSeen },
): ServiceError | undefined {
  const order = withProtection(turn, wanted)
  const input = riskInput(turn, order)
  const { duplicate, cash, sellable } = input
  const isSale = replaced.side === 'sell'
  const freed: Partial<RiskInput> = {
    ...(isSale && { sellable: (sellable + leavesOf(replaced)) as Quantity }),
    ...(!isSale && cash !== undefined && { cash: (cash + cashOf(turn, replaced)) as Money }),
    ...(duplicate === replaced.clientOrderId && { duplicate: undefined }),
  }
  return refusalOf(turn, order, { input: { ...input, ...freed, queue }, isRecorded: () => false })
}

interface Judging {
  readonly input: RiskInput
  readonly isRecorded: (code: ErrorCode) => boolean
}

function refusalOf(
  turn: Turn,
  wanted: WantedOrder,
  { input, isRecorded }: Judging,
): ServiceError | undefined {
  const kept = turn.state.denials.get(wanted.clientOrderId)
  if (kept !== undefined) return new ServiceError(kept.code, kept.message)
  const refusal = firstRefusal(input)
  if (refusal === undefined) return undefined
  const { code, message, actual } = refusal
  if (!isRecorded(code) && code !== 'DISK_FULL') recordRefusal(turn, wanted, { code, message })
  const details = NAMES_ORDER.has(code) ? { client_order_id: [String(actual)] } : ofField(refusal)
  return new ServiceError(code, message, details)
}

/** The field of the request that has to be mended, where a rule knows it. */
function ofField({ code, message }: RuleFinding) {
  const field = FIELD.get(code)
  return field === undefined ? undefined : { [field]: [`${field}: ${message}`] }
}
const FIELD: ReadonlyMap<ErrorCode, string> = new Map<ErrorCode, string>([
  ['PRICE_TYPE', 'price_type'],
  ['PROTECTION_PRICE', 'price'],
])

/** Refusals because of another order, which is what the rule found. */
const NAMES_ORDER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ORDER_IN_DOUBT_HELD',
  'ORDER_UNTOLD',
  'DUPLICATE_ORDER',
])

/** What a refusal is told about: an order, or a request that has not become one. */
export type Refused = Omit<WantedOrder, 'quantity' | 'code' | 'signalType'> & {
  readonly code: string
  /** Shares; 0 before they are reckoned. */
  readonly quantity: number
}

/** Writes a refusal into the journal; one that is final (409) is the answer to its key from now on. */
export function recordRefusal(
  turn: Turn,
  wanted: Refused,
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

/**
 * The oldest refusals, as many as one more leaves no room for. A key that was withdrawn is not among them: an order may
 * still come under it.
 */
export function tooMany({ denials, policy }: AccountState): readonly string[] {
  const surplus = denials.size + 1 - policy.limits.denialsMax
  if (surplus <= 0) return []
  return [...denials]
    .filter(([, denial]) => !isWithdrawnKey(denial))
    .slice(0, surplus)
    .map(([key]) => key)
}

/** What is judged: an order, and the signal that wants it, if one does. */
type Judged = RiskOrder & Partial<Pick<WantedOrder, 'signalType' | 'strategy' | 'requestHash'>>

/** All that the rules look at for an order, as the account knows it now. `isOwn`: a strategy wants it. */
export function riskInput(turn: Turn, order: Judged, isOwn = false): RiskInput {
  const { state, inputs } = turn
  const { policy, settings } = state
  const inForce = levelInForce(state, inputs)
  return {
    order,
    nowMs: inputs.nowMs,
    day: state.day,
    isAlwaysOpen: policy.isAlwaysOpen,
    isBuyAllowed: settings.ENABLE_ALLOW_BUY,
    isSellAllowed: settings.ENABLE_ALLOW_SELL,
    killLevel: inForce.level,
    killReason: spokenReason(inForce),
    isReady: state.isReady,
    ...(inputs.isDiskLow === true && { isDiskLow: true }),
    name: nameOf(state, order.code),
    quote: inputs.quote(order.code),
    ...left(turn, order),
    isProtective: isProtectiveWish(order),
    ...rateInput(turn, order, isOwn),
    ordersKept: state.orders.size,
    ordersKeptMax: policy.limits.ordersMax,
    quoteAheadMs: policy.limits.quoteAheadMs,
    feeRates: policy.feeRates,
    limits: state.risk,
    ...fromOrders(turn, order, isOwn),
    ...(!isOwn && repeatedBy(turn, order)),
    ...(isOwn && order.side === 'buy' && { exposure: exposureOf(state, inputs) }),
    ...(state.simulation && simulated(state, state.simulation)),
  }
}

/** A simulation has no broker, no hours, no rate, and quotes of any age. */
const simulated = (
  { risk, killSwitch }: AccountState,
  { cash }: Simulation,
): Partial<RiskInput> => ({
  isReady: true,
  isAlwaysOpen: true,
  cash,
  cashReserved: 0 as Money,
  killLevel: killSwitch.level,
  killReason: spokenReason(killSwitch),
  limits: { ...risk, staleQuoteMs: 0, maxOrdersPerSecond: 0 },
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
