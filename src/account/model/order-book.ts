import { CLIENT_ORDER_ID, isTail, remarkTail } from '../../domain/ids.ts'
import { type OrderRecord, PRICE_TYPE, type VenueStatus } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { isProtective } from '../../domain/protective.ts'

/** Sent, and for all we know not in the reports of the broker yet. */
const isUnanswered = ({ status, orderId }: OrderRecord): boolean =>
  orderId === '' && (status === 'submitted' || status === 'inDoubt')

/** Placed by this service, and not by somebody else at the broker. */
const isOurs = ({ strategy }: OrderRecord): boolean => strategy !== 'external'

/** What an order asks for. */
export type Terms = Pick<OrderRecord, 'code' | 'side' | 'quantity' | 'priceType' | 'price'>

/** Without a limit the price says nothing: the row shows the one that the broker gave it. */
const termsOf = ({ code, side, quantity, priceType, price }: Terms): string =>
  `${code}|${side}|${quantity}|${priceType}|${priceType === PRICE_TYPE.limit ? price : ''}`

export const isAlike = (a: Terms, b: Terms): boolean => termsOf(a) === termsOf(b)

/** Decided on here, where a request leaves its hash, and refused by the counter. */
const isRefused = ({ status, requestHash, strategy, isTooLate }: OrderRecord): boolean =>
  status === 'rejected' && isTooLate !== true && requestHash === '' && strategy !== 'external'

/** What an order shows once it was really taken; a number alone is also given to what is refused. */
export const TAKEN: ReadonlySet<VenueStatus> = new Set<VenueStatus>([50, 51, 52, 53, 54, 55, 56])
const isTaken = ({ status, venueStatus, filledQuantity }: OrderRecord): boolean =>
  status !== 'rejected' && (filledQuantity > 0 || TAKEN.has(venueStatus))

/** Who wants an automatic order. Those of signals are one, whatever the signal. */
export type OrderOwner = Pick<OrderRecord, 'strategy' | 'signalType'>
export const SIGNAL_OWNER = 'signal'
export const ownerOf = ({ strategy, signalType }: OrderOwner): string =>
  signalType === undefined ? strategy : SIGNAL_OWNER

/** What automatic orders have in common that are likely to meet the same fate. */
export type OwnSide = OrderOwner & Pick<OrderRecord, 'code' | 'side'>
const ownSideOf = (order: OwnSide): string => `${ownerOf(order)}|${order.code}|${order.side}`

/** What a signal wants: orders of one signal, for one stock, on one side. */
export type Wish = Pick<OrderRecord, 'code' | 'side' | 'signalType'>
const wishOf = ({ code, side, signalType }: Wish): string => `${code}|${side}|${signalType}`

/** An order of a signal that has ended and was not filled: canceled, refused, or never taken, but for one that was never sent. */
const isUnmet = ({ signalType, status, isTooLate }: OrderRecord): boolean =>
  signalType !== undefined && isTooLate !== true && (status === 'canceled' || status === 'rejected')

/** One that was filled whole. */
const isMet = ({ signalType, status }: OrderRecord): boolean =>
  signalType !== undefined && status === 'filled'

/**
 * The orders of an account by client order id. What every new order is judged by (those that are
 * open, those that wait for an answer, how many of a day are ours) is kept beside them as they
 * change, so that an order costs the same however many there are.
 */
export class OrderBook extends Map<string, OrderRecord> {
  /** Ends of client order ids, as remarks carry them, and whose they are. */
  readonly #byTail = new Map<string, string>()
  readonly #open = new Map<string, OrderRecord>()
  readonly #unanswered = new Map<string, OrderRecord>()
  readonly #doubtful = new Map<string, OrderRecord>()
  /** Client order ids of open orders, by their terms. */
  readonly #openByTerms = new Map<string, Set<string>>()
  readonly #openByCode = new Map<string, Map<string, OrderRecord>>()
  /** Those whose outcome may not be known to whoever wanted them. */
  readonly #untold = new Map<string, OrderRecord>()
  #untoldCount = 0
  /** Those that were in doubt. */
  readonly #settled = new Map<string, OrderRecord>()
  readonly #askedByCode = new Map<string, number>()
  /** How many the calendar has ended, by stock. */
  readonly #expiredByCode = new Map<string, number>()
  readonly #oursByDay = new Map<string, number>()
  readonly #protectiveByDay = new Map<string, number>()
  /** Orders of signals that ended unfilled, by what was wanted. */
  readonly #unmet = new Map<string, Map<string, OrderRecord>>()
  /** Those that were filled, likewise. */
  readonly #met = new Map<string, Map<string, OrderRecord>>()
  /** The newest automatic order of each owner, stock and side that the broker has refused. */
  readonly #refused = new Map<string, OrderRecord>()

  override set(clientOrderId: string, order: OrderRecord): this {
    const before = this.get(clientOrderId)
    super.set(clientOrderId, order)
    const tail = tailOf(order)
    if (tail !== undefined && !this.#byTail.has(tail)) this.#byTail.set(tail, clientOrderId)
    this.#followOpen(clientOrderId, isOpen(order.status) ? order : undefined)
    follow(this.#unanswered, clientOrderId, isUnanswered(order) ? order : undefined)
    follow(this.#doubtful, clientOrderId, order.status === 'inDoubt' ? order : undefined)
    if (order.untoldMs !== undefined && order.untoldMs !== before?.untoldMs) this.#untoldCount += 1
    follow(this.#untold, clientOrderId, order.untoldMs === undefined ? undefined : order)
    follow(this.#settled, clientOrderId, order.doubtEndedMs === undefined ? undefined : order)
    this.#followRefused(before, order)
    followWish(this.#unmet, { before, order }, isUnmet)
    followWish(this.#met, { before, order }, isMet)
    this.#count(before, -1)
    this.#count(order, 1)
    return this
  }

  override delete(clientOrderId: string): boolean {
    const before = this.get(clientOrderId)
    const isKnown = super.delete(clientOrderId)
    const tail = before && tailOf(before)
    if (tail !== undefined && this.#byTail.get(tail) === clientOrderId) this.#byTail.delete(tail)
    this.#followOpen(clientOrderId, undefined)
    this.#unanswered.delete(clientOrderId)
    this.#doubtful.delete(clientOrderId)
    this.#untold.delete(clientOrderId)
    this.#settled.delete(clientOrderId)
    this.#followRefused(before, undefined)
    followWish(this.#unmet, { before, order: undefined }, isUnmet)
    followWish(this.#met, { before, order: undefined }, isMet)
    this.#count(before, -1)
    return isKnown
  }

  override clear(): void {
    for (const clientOrderId of [...this.keys()]) this.delete(clientOrderId)
  }

  /**
   * The order that bears a client order id: under it, or where only the end of an id is known, on
   * either side, under the end.
   */
  bearing(id: string): OrderRecord | undefined {
    const exact = this.get(id)
    if (exact !== undefined) return exact
    const found = this.get(this.#byTail.get(remarkTail(id)) ?? '')
    if (found === undefined) return undefined
    const known = found.remark ?? found.clientOrderId
    return known === id || isTail(known) || isTail(id) ? found : undefined
  }

  /** Not ended, or perhaps not. */
  open(): Iterable<OrderRecord> {
    return this.#open.values()
  }

  get openCount(): number {
    return this.#open.size
  }

  /** Sent, and without an answer that names the broker's number. */
  unanswered(): Iterable<OrderRecord> {
    return this.#unanswered.values()
  }

  /** Nobody knows yet whether the broker has them. */
  doubtful(): Iterable<OrderRecord> {
    return this.#doubtful.values()
  }

  /** Their outcome was not told, for all we know, to whoever wanted them. */
  untold(): Iterable<OrderRecord> {
    return this.#untold.values()
  }

  /** How often an order has come to be one of {@link untold} since this was loaded. */
  get untoldCount(): number {
    return this.#untoldCount
  }

  /** They were in doubt, and it was found out what had become of them. */
  settled(): Iterable<OrderRecord> {
    return this.#settled.values()
  }

  /** Open orders with these terms, the oldest first. */
  *openLike(terms: Terms): Iterable<OrderRecord> {
    for (const clientOrderId of this.#openByTerms.get(termsOf(terms)) ?? []) {
      const order = this.#open.get(clientOrderId)
      if (order !== undefined) yield order
    }
  }

  /** Those of a stock that have not ended. */
  openOf(code: string): Iterable<OrderRecord> {
    return this.#openByCode.get(code)?.values() ?? []
  }

  /** Shares of a stock that open sales still ask for. */
  askedFor(code: string): number {
    return this.#askedByCode.get(code) ?? 0
  }

  /** Whether any order of a stock is open. */
  hasOpen(code: string): boolean {
    return this.#openByCode.has(code)
  }

  /** Whether the calendar has ended an order of a stock. */
  hasExpired(code: string): boolean {
    return this.#expiredByCode.has(code)
  }

  /** When the broker last refused an automatic order of this owner on this stock and side, epoch ms. */
  refusedMs(order: OwnSide): number | undefined {
    return this.#refused.get(ownSideOf(order))?.updatedMs
  }

  /**
   * How many automatic orders of its owner on its stock and side the broker has refused since it last took one; 0 for one
   * that is none of them.
   */
  refusedInRowWith(order: OrderRecord): number {
    if (!isRefused(order)) return 0
    const key = ownSideOf(order)
    let takenMs = Number.NEGATIVE_INFINITY
    const refused: OrderRecord[] = []
    for (const other of this.values()) {
      if (other.code !== order.code || ownSideOf(other) !== key) continue
      // One that is newer than this one is of a clock that was ahead, and says nothing of what came since.
      if (other.createdMs > order.createdMs) continue
      if (isRefused(other)) refused.push(other)
      else if (isTaken(other)) takenMs = Math.max(takenMs, other.createdMs)
    }
    return refused.filter(({ createdMs }) => createdMs > takenMs).length
  }

  /**
   * Orders of this service on this exchange day, and on any later one that a wrong clock gave them, but
   * for protective sales.
   */
  oursSince(day: string): number {
    return countSince(this.#oursByDay, day)
  }

  /** Its protective sales on this exchange day and any later one. */
  protectiveSince(day: string): number {
    return countSince(this.#protectiveByDay, day)
  }

  /**
   * Orders for what a signal wants that ended unfilled on this exchange day or a later one, and were placed since the last
   * one for it that was filled whole: where a holding is sold in parts, each part that has gone shows that the next one is
   * worth as many tries.
   */
  unmetInRow(wish: Wish, day: string): readonly OrderRecord[] {
    const ofWish = this.#unmet.get(wishOf(wish))?.values() ?? []
    const unmet = [...ofWish].filter((order) => order.day >= day)
    const met = unmet.length === 0 ? undefined : this.#met.get(wishOf(wish))
    if (met === undefined) return unmet
    const lastMs = Math.max(...Array.from(met.values(), ({ createdMs }) => createdMs))
    return unmet.filter(({ createdMs }) => createdMs > lastMs)
  }

  /** An order keeps its place among its like as long as its terms stay. */
  #followOpen(clientOrderId: string, order: OrderRecord | undefined): void {
    const before = this.#open.get(clientOrderId)
    follow(this.#open, clientOrderId, order)
    if (before?.side === 'sell') add(this.#askedByCode, before.code, -leavesOf(before))
    if (order?.side === 'sell') add(this.#askedByCode, order.code, leavesOf(order))
    if (before !== undefined && before.code !== order?.code) this.#leaveCode(before)
    if (order !== undefined) {
      const ofCode = this.#openByCode.get(order.code) ?? new Map<string, OrderRecord>()
      this.#openByCode.set(order.code, ofCode.set(clientOrderId, order))
    }
    const [terms, next] = [before, order].map((one) => one && termsOf(one))
    if (terms === next) return
    if (terms !== undefined) {
      const ids = this.#openByTerms.get(terms)
      ids?.delete(clientOrderId)
      if (ids?.size === 0) this.#openByTerms.delete(terms)
    }
    if (next === undefined) return
    this.#openByTerms.set(next, (this.#openByTerms.get(next) ?? new Set()).add(clientOrderId))
  }

  #leaveCode({ code, clientOrderId }: OrderRecord): void {
    const ofCode = this.#openByCode.get(code)
    ofCode?.delete(clientOrderId)
    if (ofCode?.size === 0) this.#openByCode.delete(code)
  }

  #followRefused(before: OrderRecord | undefined, order: OrderRecord | undefined): void {
    if (before !== undefined && isRefused(before)) {
      const key = ownSideOf(before)
      const isNewest = this.#refused.get(key)?.clientOrderId === before.clientOrderId
      if (isNewest) this.#refused.delete(key)
      // Seldom: refused is an end, and the newest is the last to be forgotten.
      if (isNewest) for (const other of this.values()) this.#noteRefused(other, key)
    }
    if (order !== undefined && isRefused(order)) this.#noteRefused(order, ownSideOf(order))
  }

  #noteRefused(order: OrderRecord, key: string): void {
    if (!isRefused(order) || ownSideOf(order) !== key) return
    const newest = this.#refused.get(key)
    if (newest === undefined || order.updatedMs >= newest.updatedMs) this.#refused.set(key, order)
  }

  #count(order: OrderRecord | undefined, by: number): void {
    if (order?.status === 'expired') add(this.#expiredByCode, order.code, by)
    if (order === undefined || !isOurs(order)) return
    add(isProtective(order) ? this.#protectiveByDay : this.#oursByDay, order.day, by)
  }
}

/** The end of the id that an order bears, its own or in its remark. */
function tailOf({ clientOrderId, remark = clientOrderId }: OrderRecord): string | undefined {
  return CLIENT_ORDER_ID.test(remark) || isTail(remark) ? remarkTail(remark) : undefined
}

function countSince(counts: ReadonlyMap<string, number>, day: string): number {
  let count = 0
  for (const [on, some] of counts) if (on >= day) count += some
  return count
}

/** Shares that are still to be filled. */
export const leavesOf = ({ quantity, filledQuantity }: OrderRecord): number =>
  quantity - filledQuantity

/** Keeps orders of one kind by what was wanted. */
function followWish(
  index: Map<string, Map<string, OrderRecord>>,
  {
    before,
    order,
  }: { readonly before: OrderRecord | undefined; readonly order: OrderRecord | undefined },
  isOfKind: (order: OrderRecord) => boolean,
): void {
  if (before !== undefined && isOfKind(before)) {
    const key = wishOf(before)
    index.get(key)?.delete(before.clientOrderId)
    if (index.get(key)?.size === 0) index.delete(key)
  }
  if (order === undefined || !isOfKind(order)) return
  const ofWish = index.get(wishOf(order)) ?? new Map<string, OrderRecord>()
  index.set(wishOf(order), ofWish.set(order.clientOrderId, order))
}

/** What counts nothing is not kept. */
function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

function follow(
  index: Map<string, OrderRecord>,
  clientOrderId: string,
  order: OrderRecord | undefined,
): void {
  if (order === undefined) index.delete(clientOrderId)
  else index.set(clientOrderId, order)
}
