import { remarkTail } from '../../domain/ids.ts'
import type { BrokerDeal, OrderRecord } from '../../domain/order.ts'
import { freeKey, keysOf } from '../model/deal-key.ts'
import type { AccountState, BookedDeal } from '../model/state.ts'

/** A push and a list may round the moment of a fill otherwise. */
const SAME_MS_MAX = 2_000

type OwnerOf = (deal: BrokerDeal) => OrderRecord | undefined

interface Claim {
  readonly deal: BrokerDeal
  readonly own: OrderRecord | undefined
}

/** Under what a deal is booked that is told again as it was: its number, and that of its order. */
export const keyTold = ({ deals }: Pick<AccountState, 'deals'>, deal: BrokerDeal) =>
  keysOf(deals, deal).find((key) => {
    const known = deals.get(key)
    return known?.deal.orderId === deal.orderId && !isOfOther(known, deal)
  })

/** Whether a deal bears the id of another order than the one that was booked, which had its number before. */
function isOfOther(
  { deal: known, clientOrderId = '' }: BookedDeal,
  { clientOrderId: id }: BrokerDeal,
) {
  const one = known.clientOrderId === '' ? clientOrderId : known.clientOrderId
  return one !== '' && id !== '' && remarkTail(one) !== remarkTail(id)
}

/** The same of its order, which has another number since. */
const keyOfOrder = ({ deals }: AccountState, { deal, own }: Claim): string | undefined =>
  own && keysOf(deals, deal).find((key) => deals.get(key)?.clientOrderId === own.clientOrderId)

/** Under what the deals of a list are booked; those that are missing in it are news. */
export function keysListed(
  state: AccountState,
  rows: readonly BrokerDeal[],
  ownerOf: OwnerOf,
): ReadonlyMap<BrokerDeal, string> {
  const found = new Map<BrokerDeal, string>()
  const others: Claim[] = []
  for (const deal of rows) {
    const told = keyTold(state, deal)
    const claim = { deal, own: told === undefined ? ownerOf(deal) : undefined }
    const key = told ?? keyOfOrder(state, claim)
    if (key === undefined) others.push(claim)
    else found.set(deal, key)
  }
  // Two rows are never one deal. The earliest first, of both: so as many as can be are the same.
  const taken = new Set(found.values())
  for (const claim of others.sort((one, other) => one.deal.timeMs - other.deal.timeMs)) {
    const key = keysAlike(state.deals, claim).find((like) => !taken.has(like))
    if (key === undefined) continue
    found.set(claim.deal, key)
    taken.add(key)
  }
  return found
}

/**
 * Under what a deal is to be booked that is not known by its number and that of its order; undefined: it may be one that
 * is. Of a push nobody knows, and a list is asked once the client counts it.
 */
export function newKey(state: AccountState, claim: Claim, isListed: boolean): string | undefined {
  const { deals } = state
  const { deal, own } = claim
  const mayBeTold = !isListed && keysAlike(deals, claim).length > 0
  if (mayBeTold || keyOfOrder(state, claim) !== undefined) return undefined
  // Some counters number the deals of each order by themselves.
  const isNews = keysOf(deals, deal).length === 0 || isUntold(deal, own) || isOfOthers(deals, claim)
  return isNews ? freeKey(deals, deal) : undefined
}

/**
 * Whether what is known by the number of a fill is of other orders, and of other shares: so it is not this one, whether the
 * client lists its order or not. A price or a moment may be told otherwise the next time.
 */
const isOfOthers = (deals: AccountState['deals'], { deal, own }: Claim): boolean =>
  own !== undefined &&
  keysOf(deals, deal).every((key) => {
    const { clientOrderId = '', deal: known } = deals.get(key) ?? { deal }
    const isOfAnother = clientOrderId !== '' && clientOrderId !== own.clientOrderId
    return isOfAnother && known.quantity !== deal.quantity
  })

/** What may be this one told twice, the earliest first: under its number, or where one of the two was told without. */
function keysAlike(deals: AccountState['deals'], claim: Claim): readonly string[] {
  const { deal } = claim
  const numbered = keysOf(deals, deal).filter((key) => isAlike(deals.get(key)?.deal, deal))
  if (numbered.length > 0) return numbered
  const found: { readonly key: string; readonly timeMs: number }[] = []
  for (const [key, known] of deals) {
    if (isOtherwise(known, claim)) found.push({ key, timeMs: known.deal.timeMs })
  }
  return found.sort((one, other) => one.timeMs - other.timeMs).map(({ key }) => key)
}

const isAlike = (one: BrokerDeal | undefined, other: BrokerDeal): boolean =>
  one?.quantity === other.quantity &&
  one.price === other.price &&
  Math.abs(one.timeMs - other.timeMs) < SAME_MS_MAX

/** As sidecar and script call a fill to which the terminal gives no number. */
const isUnnumbered = ({ dealId }: BrokerDeal): boolean => dealId.startsWith('row:')

function isOtherwise(
  { deal: known, clientOrderId = '' }: BookedDeal,
  { deal, own }: Claim,
): boolean {
  if (isUnnumbered(known) === isUnnumbered(deal) || !isAlike(known, deal)) return false
  const isOwn = own !== undefined && own.clientOrderId === clientOrderId
  // Told before its order, which has had another number since, it belongs to none by its own record.
  const isEarly = clientOrderId === '' && own?.formerIds?.includes(known.orderId) === true
  const isOfOrder = isOwn || isEarly || known.orderId === deal.orderId
  const bearsItsId = deal.clientOrderId !== '' && deal.clientOrderId === known.clientOrderId
  return (isOfOrder || bearsItsId) && known.code === deal.code && known.side === deal.side
}

/** Whether the client counts so many shares for this order beside those that deals have told. */
const isUntold = ({ quantity }: BrokerDeal, own: OrderRecord | undefined): boolean =>
  (own?.venueFilledQuantity ?? 0) - (own?.filledQuantity ?? 0) >= quantity
