import { type FeeRates, feesOf } from '../../domain/fees.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { type Money, notional, type Price, type Quantity } from '../../domain/money.ts'
import {
  type BrokerOrder,
  isTerminal,
  type NewOrder,
  VENUE_STATUS,
  type VenueStatus,
} from '../../domain/order.ts'
import { err, ok } from '../../domain/result.ts'
import { rulesFor } from '../../domain/rules.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type { DriverEvent } from '../../protocol/driver.ts'
import type { Books, Changes, Holding, PaperOrder } from './books.ts'
import { type CorporateAction, followActions } from './corporate-action.ts'
import { type CounterLimits, check } from './counter.ts'
import { Draft, type PriceOf } from './draft.ts'
import { execute, type Fill, match } from './matching.ts'

/** What changes the books of an account. Times are epoch milliseconds of the market clock. */
export type PaperInput =
  | {
      readonly kind: 'submit'
      readonly callId: number
      readonly order: NewOrder
      /** Newest tick of the code; absent when there is none. */
      readonly quote: Quote | undefined
      readonly nowMs: number
    }
  | {
      readonly kind: 'cancel'
      readonly callId: number
      readonly orderId: string
      readonly nowMs: number
    }
  | { readonly kind: 'tick'; readonly code: StockCode; readonly quote: Quote }
  | { readonly kind: 'dayOpened'; readonly day: string }
  | {
      readonly kind: 'corporateActions'
      readonly actions: readonly CorporateAction[]
      readonly nowMs: number
    }

export interface StepContext {
  readonly rates: FeeRates
  readonly limits: CounterLimits
  readonly priceOf: PriceOf
}

export interface Step {
  /** To be written before any event is sent; null when nothing changed. */
  readonly changes: Changes | null
  readonly events: readonly DriverEvent[]
}

const NOTHING: Step = { changes: null, events: [] }
const EXPIRED = '日终自动撤单'

/** Everything the counter and the exchange decide, as one pure function. */
export function step(books: Books, input: PaperInput, context: StepContext): Step {
  switch (input.kind) {
    case 'submit':
      return submit(new Work(books, context), input, context.limits)
    case 'cancel':
      return cancel(new Work(books, context), input)
    case 'tick':
      return tick(new Work(books, context), input)
    case 'dayOpened':
      return openDay(books, input.day, context)
    case 'corporateActions':
      return follow(new Work(books, context), input)
  }
}

/**
 * A day rolls only forward. One that comes after a later one shows that the later one was opened too
 * early: the ledger goes back to it, and nothing ends or becomes sellable by that.
 */
function openDay(books: Books, day: string, context: StepContext): Step {
  const { ledger } = books
  if (ledger.day === day) return NOTHING
  if (day > ledger.day) return roll(new Work(books, context), day)
  const work = new Work(books, context)
  work.draft.ledger = { ...ledger, day }
  return work.done()
}

function follow(
  work: Work,
  { actions, nowMs }: Extract<PaperInput, { kind: 'corporateActions' }>,
): Step {
  for (const code of followActions(work.draft, actions, nowMs)) work.touch(code)
  const { changes, events } = work.done()
  return changes?.acted.length === 0 ? NOTHING : { changes, events }
}

/** One step under way: the draft, and the pushes in the order in which they will leave. */
class Work {
  readonly draft: Draft
  readonly #events: DriverEvent[] = []
  readonly #priceOf: PriceOf
  readonly #dirtyRows = new Set<StockCode>()
  #isCashTouched = false

  constructor(books: Books, { rates, priceOf }: StepContext) {
    this.draft = new Draft(books, rates)
    this.#priceOf = priceOf
  }

  emit(event: DriverEvent): void {
    this.#events.push(event)
  }
  /** Its position is pushed at the end of the step. */
  touch(code: StockCode): void {
    this.#dirtyRows.add(code)
  }
  touchCash(): void {
    this.#isCashTouched = true
  }
  /** Files a row and pushes it. */
  put(order: PaperOrder): void {
    this.draft.putOrder(order)
    this.emit({ kind: 'orderPushed', order: order.row })
  }

  done(): Step {
    const { draft } = this
    for (const code of this.#dirtyRows) {
      const holding = draft.holding(code)
      if (holding !== undefined) {
        this.emit({ kind: 'positionPushed', position: draft.positionRow(holding) })
      }
    }
    if (this.#isCashTouched || this.#dirtyRows.size > 0) {
      this.emit({ kind: 'assetPushed', asset: draft.assetRow(this.#priceOf) })
    }
    return { changes: draft.changes(), events: this.#events }
  }
}

function submit(
  work: Work,
  input: Extract<PaperInput, { kind: 'submit' }>,
  limits: CounterLimits,
): Step {
  const { draft } = work
  const { order, quote, callId, nowMs } = input
  const checked = check(draft, input, limits)
  const status = checked.ok ? 50 : 57
  const price = checked.ok ? checked.value.limit : order.price
  const first = newOrder(draft, { order, nowMs, price, status })
  const statusMessage = checked.ok ? VENUE_STATUS[status] : checked.error
  const arrived: PaperOrder = { ...first, row: { ...first.row, statusMessage } }
  const { orderId } = arrived.row
  const { clientOrderId } = order
  work.emit({
    kind: 'submitAnswered',
    callId,
    clientOrderId,
    outcome: { kind: 'accepted', orderId },
  })
  work.put(arrived)
  if (!checked.ok || quote === undefined) return work.done()
  draft.act(order.code, quote.timeMs)
  const { fills, restsAt } = execute(checked.value, order, quote)
  const filled = fill(work, arrived, { fills, timeMs: nowMs })
  if (isTerminal(filled.row.status)) settle(work, filled)
  else if (restsAt === 0) settle(work, ended(filled, '未成交部分自动撤单'))
  else settle(work, { ...filled, row: { ...filled.row, price: restsAt } }, arrived)
  touchFor(work, arrived.row)
  return work.done()
}

/** Files and pushes what an order has become, unless that is what it was. */
function settle(work: Work, order: PaperOrder, before?: PaperOrder): void {
  const isSame =
    before !== undefined &&
    order.row.filledQuantity === before.row.filledQuantity &&
    order.row.price === before.row.price
  if (!isSame) work.put(order)
}

/** A purchase moves cash, a sale what is sellable; with fills the position moves in any case. */
function touchFor(work: Work, { code, side }: BrokerOrder): void {
  if (side === 'sell') work.touch(code)
  work.touchCash()
}

interface Arrival {
  readonly order: NewOrder
  readonly nowMs: number
  readonly price: Price
  readonly status: VenueStatus
}

function newOrder(draft: Draft, { order, nowMs, price, status }: Arrival): PaperOrder {
  const seq = draft.ledger.orderSeq + 1
  draft.ledger = { ...draft.ledger, orderSeq: seq }
  const { session, day } = draft.ledger
  const row: BrokerOrder = {
    orderId: numbered(day, seq),
    clientOrderId: order.clientOrderId,
    code: order.code,
    side: order.side,
    quantity: order.quantity,
    priceType: order.priceType,
    price,
    status,
    filledQuantity: 0 as Quantity,
    filledAmount: 0 as Money,
    statusMessage: '',
    timeMs: nowMs,
    strategy: order.strategy,
  }
  return { session, seq, row, fee: 0 as Money }
}

/** Day and serial number: digits, below 2⁵³, and never the same twice because the number goes on. */
const numbered = (day: string, seq: number) =>
  `${day.replaceAll('-', '')}${String(seq).padStart(6, '0')}`

interface Fills {
  readonly fills: readonly Fill[]
  readonly timeMs: number
}

/** Books fills: deal, cash, holding. Returns the order as it stands then, not yet filed. */
function fill(work: Work, order: PaperOrder, { fills, timeMs }: Fills): PaperOrder {
  let current = order
  for (const { price, quantity } of fills) {
    const amount = notional(price, quantity)
    const { code, side } = current.row
    const filledAmount = (current.row.filledAmount + amount) as Money
    const due = feesOf(work.draft.rates, {
      code,
      side,
      day: work.draft.ledger.day,
      amount: filledAmount,
    })
    const open = due - current.fee
    // A sale never costs more than it brings; what is missing is charged to its next fill.
    const fee = (side === 'sell' ? Math.min(open, amount) : open) as Money
    bookDeal(work, current.row, { price, quantity, amount, fee, timeMs })
    const filledQuantity = (current.row.filledQuantity + quantity) as Quantity
    const status: VenueStatus = filledQuantity === current.row.quantity ? 56 : 55
    current = {
      ...current,
      fee: (current.fee + fee) as Money,
      row: {
        ...current.row,
        filledQuantity,
        filledAmount,
        status,
        statusMessage: VENUE_STATUS[status],
      },
    }
  }
  return current
}

interface Execution extends Fill {
  readonly amount: Money
  readonly fee: Money
  readonly timeMs: number
}

function bookDeal(work: Work, order: BrokerOrder, deal: Execution): void {
  const { draft } = work
  const { orderId, clientOrderId, code, side, strategy } = order
  const { price, quantity, amount, fee, timeMs } = deal
  const seq = draft.ledger.dealSeq + 1
  const cash = (draft.ledger.cash + (side === 'buy' ? -amount : amount) - fee) as Money
  draft.ledger = { ...draft.ledger, cash, dealSeq: seq }
  const { session, day } = draft.ledger
  const row = {
    dealId: numbered(day, seq),
    orderId,
    clientOrderId,
    code,
    side,
    quantity,
    price,
    amount,
    fee,
    timeMs,
    strategy,
  }
  draft.putDeal({ session, seq, row })
  work.emit({ kind: 'dealPushed', deal: row })
  if (side === 'buy') buy(draft, code, deal)
  else sell(draft, code, quantity)
  work.touch(code)
}

function buy(draft: Draft, code: StockCode, { price, quantity, amount }: Execution): void {
  const { day } = draft.ledger
  const isLocked = (rulesFor(code, day)?.settlementDays ?? 1) > 0
  const held = draft.holding(code)
  const locked = ((held?.locked ?? 0) + (isLocked ? quantity : 0)) as Quantity
  if (held === undefined || held.quantity === 0) {
    const name = held?.name ?? ''
    draft.putHolding({ code, name, quantity, locked, costPrice: price, openDate: day })
    return
  }
  const total = (held.quantity + quantity) as Quantity
  const cost = held.quantity * held.costPrice + costRestOf(held) + amount
  const costPrice = Math.round(cost / total) as Price
  const costRest = (cost - total * costPrice) as Money
  draft.putHolding({ ...held, quantity: total, locked, costPrice, costRest })
}

/** Never more than rounding leaves: an earlier release leaves that of other shares behind. */
const costRestOf = ({ quantity, costRest = 0 as Money }: Holding): number =>
  Math.abs(costRest) * 2 <= quantity ? costRest : 0

function sell(draft: Draft, code: StockCode, quantity: Quantity): void {
  const held = draft.holding(code)
  if (held === undefined || held.quantity - held.locked < quantity) {
    throw new Error(`sold ${quantity} of ${code}, which are not there`) // the counter let it through
  }
  const left = (held.quantity - quantity) as Quantity
  const costRest = Math.floor((costRestOf(held) * left) / held.quantity) as Money
  draft.putHolding({ ...held, quantity: left, costRest })
}

/** The order at its end without being filled: 53 when it has fills, else 54. */
function ended(order: PaperOrder, why: string): PaperOrder {
  const status: VenueStatus = order.row.filledQuantity > 0 ? 53 : 54
  const statusMessage = why === '' ? VENUE_STATUS[status] : why
  return { ...order, row: { ...order.row, status, statusMessage } }
}

function cancel(work: Work, { callId, orderId }: Extract<PaperInput, { kind: 'cancel' }>): Step {
  const order = work.draft.order(orderId)
  if (order === undefined || isTerminal(order.row.status)) {
    const why = order === undefined ? '委托不存在' : VENUE_STATUS[order.row.status]
    const result = err({ code: 'FAILED' as const, message: `撤单失败：${why}` })
    return { changes: null, events: [{ kind: 'cancelAnswered', callId, orderId, result }] }
  }
  work.emit({ kind: 'cancelAnswered', callId, orderId, result: ok(null) })
  work.put(ended(order, ''))
  touchFor(work, order.row)
  return work.done()
}

function tick(work: Work, { code, quote }: Extract<PaperInput, { kind: 'tick' }>): Step {
  const { draft } = work
  if (quote.timeMs <= draft.actedMs(code)) return NOTHING
  let hasFills = false
  for (const order of draft.openOrders(code)) {
    const { side, price, quantity, filledQuantity } = order.row
    const leaves = { side, limit: price, quantity: (quantity - filledQuantity) as Quantity }
    const fills = match(leaves, quote)
    if (fills.length === 0) continue
    hasFills = true
    work.put(fill(work, order, { fills, timeMs: quote.timeMs }))
  }
  if (!hasFills) return NOTHING
  draft.act(code, quote.timeMs)
  return work.done()
}

/** A new day: open orders end, what was bought becomes sellable, sold-out rows and the lists go. */
function roll(work: Work, day: string): Step {
  const { draft } = work
  const isFirst = draft.ledger.day === ''
  for (const order of draft.openOrders()) {
    work.put(ended(order, EXPIRED))
    touchFor(work, order.row)
  }
  for (const holding of draft.holdings()) {
    if (holding.quantity === 0) draft.dropHolding(holding.code)
    else if (holding.openDate === '') draft.putHolding({ ...holding, openDate: day })
    else if (holding.locked > 0 && !isFirst) {
      draft.putHolding({ ...holding, locked: 0 as Quantity })
      work.touch(holding.code)
    }
  }
  draft.ledger = { ...draft.ledger, day, session: draft.ledger.session + 1 }
  return work.done()
}
