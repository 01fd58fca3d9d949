import { type ErrorCode, POLICY, ServiceError } from '../../domain/errors.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import { type OrderRecord, PRICE_TYPE, type Side } from '../../domain/order.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { firstRefusal } from '../../domain/risk.ts'
import { estimateOf, type RiskInput, type RiskOrder } from '../../domain/risk-input.ts'
import type { Simulation } from '../model/simulation.ts'
import type { AccountState } from '../model/state.ts'
import { positionsOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'
import { levelInForce } from './triggers.ts'

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
}

declare const brand: unique symbol
/** An order that every rule has let pass. Only {@link approve} makes one; only such a one is sent. */
export type ApprovedOrder = WantedOrder & { readonly [brand]: 'ApprovedOrder' }

/**
 * The one door to the broker, for requests and strategies alike. A refusal goes into the
 * journal, unless it is told there already. One that a rule decided (409) is kept under the key and
 * is the answer again when the same request comes again; one that says that nothing can be decided
 * now (503) is not, and the request may be tried again under the same key.
 */
export function approve(
  turn: Turn,
  wanted: WantedOrder,
  isRecorded: (code: ErrorCode) => boolean = () => false,
): Result<ApprovedOrder, ServiceError> {
  const kept = turn.state.denials.get(wanted.clientOrderId)
  if (kept !== undefined) return err(new ServiceError(kept.code, kept.message))
  const refusal = firstRefusal(riskInput(turn, wanted))
  if (refusal === undefined) return ok(wanted as ApprovedOrder)
  const { code, message } = refusal
  if (!isRecorded(code)) recordRefusal(turn, wanted, { code, message })
  return err(new ServiceError(code, message))
}

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

/** All that the rules look at for an order, as the account knows it now. */
export function riskInput(turn: Turn, order: RiskOrder): RiskInput {
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
    name: position?.name ?? '',
    quote: inputs.quote(order.code),
    cash: state.asset?.available,
    sellable: position?.sellable ?? (0 as Quantity),
    ordersLastSecond: sentLastSecond(turn),
    ordersKept: state.orders.size,
    ordersKeptMax: policy.limits.ordersMax,
    feeRates: policy.feeRates,
    limits: policy.risk,
    ...fromOrders(turn, order),
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

type FromOrders = Pick<
  RiskInput,
  'cashReserved' | 'sellableReserved' | 'doubtful' | 'duplicate' | 'ordersToday'
>

/** What the orders that exist already mean for a new one. */
function fromOrders(turn: Turn, wanted: RiskOrder): FromOrders {
  const { orders, day } = turn.state
  let cashReserved = 0
  let sellableReserved = 0
  for (const order of orders.unanswered()) {
    cashReserved += cashOf(turn, order)
    sellableReserved += sharesOf(order, wanted.code)
  }
  let doubtful: string | undefined
  for (const { code, side, clientOrderId } of orders.doubtful()) {
    if (code === wanted.code && side === wanted.side) doubtful ??= clientOrderId
  }
  return {
    ordersToday: orders.oursOn(day),
    cashReserved: cashReserved as Money,
    sellableReserved: sellableReserved as Quantity,
    doubtful,
    duplicate: orders.openLike(wanted),
  }
}

/** What a purchase at a limit takes, reckoned once: a record is never changed, only replaced. */
const LIMIT_CASH = new WeakMap<OrderRecord, number>()

function cashOf(turn: Turn, order: OrderRecord): number {
  if (order.side !== 'buy') return 0
  if (order.priceType !== PRICE_TYPE.limit) return reckonCash(turn, order)
  const cash = LIMIT_CASH.get(order) ?? reckonCash(turn, order)
  LIMIT_CASH.set(order, cash)
  return cash
}

function reckonCash({ state, inputs }: Turn, order: OrderRecord): number {
  const { amount, fees } = estimateOf(order, {
    day: state.day,
    quote: inputs.quote(order.code),
    feeRates: state.policy.feeRates,
  })
  return amount + fees.total
}

const sharesOf = (order: OrderRecord, code: StockCode): number =>
  order.side === 'sell' && order.code === code ? order.quantity : 0

/** Shares of a holding that may be sold now, our own unanswered sales taken off. */
export function freeShares(state: AccountState, code: StockCode): Quantity {
  let reserved = 0
  for (const order of state.orders.unanswered()) reserved += sharesOf(order, code)
  return Math.max(0, (positionsOf(state).get(code)?.sellable ?? 0) - reserved) as Quantity
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
