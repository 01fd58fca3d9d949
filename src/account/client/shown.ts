import type { StockCode } from '../../domain/instrument.ts'
import type { BrokerAsset, BrokerPosition, OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { DealtShares, Moment, SharesKnown } from '../model/shown.ts'
import type { AccountState } from '../model/state.ts'
import {
  cashOf,
  freeShares,
  sharesOf,
  unseenOf,
  unseenOfStock,
  unshownShares,
} from '../orders/available.ts'
import type { Turn } from '../turn/turn.ts'
import { isWhole } from './left-out.ts'

const NOTHING: SharesKnown = { base: 0, deals: [] }

/**
 * Notes what a report says of the shares of a stock. A list that we asked for is believed when it takes off
 * what it must, or when what we did is so long ago that no list is behind any more; else what was known
 * stays. What is pushed may be of any moment: until the next list it can only lower what is known. `before`: shares of the
 * holding as it was shown until now, from which the deals go on that no report has shown.
 */
export function noteShares(
  turn: Turn,
  { code, sellable, quantity }: BrokerPosition,
  before: number,
): void {
  const { state, asked } = turn
  const known = state.shares.get(code) ?? { base: before, deals: [] }
  const [free, unshown] = [freeShares(state, code), unshownShares(state, code)]
  if (asked === undefined) {
    state.shares.set(code, { ...known, pushed: { sellable, quantity, ...turn.tick() } })
  } else if (known.listed !== undefined && asked.at < known.listed.at) {
    return // overtaken by a later one
  } else if (isBelieved(state, known, { code, sellable, quantity }, asked)) {
    const { pushed } = known
    const isNewer = pushed !== undefined && pushed.at > asked.at
    const deals = known.deals.filter(({ at }) => at > asked.at)
    const listed = { sellable, quantity, ...asked }
    state.shares.set(code, { listed, base: quantity, deals, ...(isNewer && { pushed }) })
  } else lookAgain(turn)
  // The orders that it shows are forgotten as unseen with the end of the list; the figure is the same.
  const isSame = freeShares(state, code) === free && unshownShares(state, code) === unshown
  if (!isSame) turn.stirred.add(code)
}

function isBelieved(
  state: AccountState,
  known: SharesKnown,
  row: Pick<BrokerPosition, 'code' | 'sellable' | 'quantity'>,
  asked: Moment,
): boolean {
  const { listed } = known
  const sales = [...unseenOfStock(state, { side: 'sell', code: row.code })].filter(
    (order) => isNumberedBy(state, order, asked) && sharesOf(order) > 0,
  )
  const deals = known.deals.filter(({ at }) => at <= asked.at)
  const newestMs = Math.max(newsMsOf(state, sales), ...deals.map(({ wallMs }) => wallMs))
  // After a start there is nothing to compare with: what happened just before it may not be listed yet.
  if (listed === undefined || isSettled(state, newestMs, asked)) {
    return isSettled(state, newsMsOf(state, sales), asked)
  }
  const sellable = sales.reduce((left, order) => left - sharesOf(order), listed.sellable as number)
  const quantity = deals.reduce((left, { shares }) => left + shares, known.base)
  return row.sellable <= sellable && row.quantity === quantity
}

/** Wall clock of the last news of these orders; long ago when there are none. */
const newsMsOf = ({ unseen }: AccountState, orders: readonly OrderRecord[]): number =>
  Math.max(...orders.map(({ clientOrderId }) => unseen.get(clientOrderId)?.newsMs ?? 0))

/**
 * At the start of a life: what happened before it is not after it. A clock that was set back, or runs behind that of the
 * market, would have lists disbelieved until it has caught up, and nothing may be sold meanwhile.
 */
export function endOfEarlierLives({ state, inputs }: Turn): void {
  const { unseen } = state
  for (const [clientOrderId, order] of [...unseen]) {
    if (order.newsMs > inputs.wallMs) unseen.set(clientOrderId, { ...order, newsMs: inputs.wallMs })
  }
}

/** A list that is behind is asked for again as soon as none can be. */
function lookAgain(turn: Turn): void {
  const { holdingsLagMs, positionQueryIntervalMs } = turn.state.policy.limits
  turn.timer('poll', Math.min(holdingsLagMs, positionQueryIntervalMs))
}

/** Whether a list that was asked then can be behind what happened at that time no more. */
function isSettled({ policy }: AccountState, newsMs: number, { wallMs }: Moment): boolean {
  const { holdingsLagMs } = policy.limits
  return holdingsLagMs === 0 || wallMs - newsMs >= holdingsLagMs
}

const isNumberedBy = (state: AccountState, order: OrderRecord, { at }: Moment): boolean =>
  (state.unseen.get(order.clientOrderId)?.numberedAt ?? Number.POSITIVE_INFINITY) <= at

/**
 * Whether deals that no report has shown yet have sold all of a holding, and bought of it again: no list has come in
 * between. What was bought in the same moment as it was sold came first. Deals that lead to other shares than are shown
 * prove nothing: a list had some of them before they were told, or an ex-day has brought shares.
 */
export function isBoughtAgain({ state, asked }: Turn, { code, quantity }: BrokerPosition): boolean {
  const known = state.shares.get(code)
  if (asked === undefined || known === undefined || quantity <= 0) return false
  if (known.base <= 0 || state.positions.get(code)?.quantity !== known.base) return false
  const there = known.deals.reduce((left, { shares }) => left + shares, known.base as number)
  return isSoldOut(state, code) && there === quantity
}

/** Whether deals that no report has shown yet have sold all of a holding at some time. */
export function isSoldOut({ shares: book }: AccountState, code: StockCode): boolean {
  const { base, deals } = book.get(code) ?? NOTHING
  let there: number = base
  return deals.toSorted(byMoment).some(({ shares }) => {
    there += shares
    return there <= 0
  })
}

const byMoment = (one: DealtShares, other: DealtShares): number =>
  one.dealtMs - other.dealtMs || other.shares - one.shares

/** A list that was asked for before a deal that has been booked cannot tell of it. */
export const isOutdated = ({ state, asked }: Turn, code: StockCode): boolean =>
  asked !== undefined && (state.shares.get(code)?.deals.some((deal) => deal.at > asked.at) ?? false)

/** The whole list has been followed: what it shows need not be remembered any more. */
export function listEnded(turn: Turn, rows: readonly BrokerPosition[]): void {
  const { state, asked } = turn
  if (asked === undefined) return
  const listed = new Set(rows.map(({ code }) => code))
  const isGone = (code: StockCode) =>
    !listed.has(code) && !state.positions.has(code) && isWhole(state, 'positions')
  for (const order of [...unseenOf(state, 'sell')]) {
    const isListed = state.shares.get(order.code)?.listed?.at === asked.at
    const isShown = isListed || (isGone(order.code) && isOver(state, order, asked))
    if ((isShown && isNumberedBy(state, order, asked)) || isVoid(order)) {
      state.unseen.delete(order.clientOrderId)
    }
  }
  for (const [code, { deals }] of [...state.shares]) {
    if (isGone(code) && deals.every((deal) => isDealOver(state, deal, asked))) {
      state.shares.delete(code)
    }
  }
}

const isDealOver = (state: AccountState, { at, wallMs }: DealtShares, asked: Moment): boolean =>
  at <= asked.at && isSettled(state, wallMs, asked)

const isOver = (state: AccountState, { status, clientOrderId }: OrderRecord, asked: Moment) =>
  !isOpen(status) && isSettled(state, state.unseen.get(clientOrderId)?.newsMs ?? 0, asked)

/** Ended without taking anything. */
const isVoid = (order: OrderRecord): boolean => !isOpen(order.status) && sharesOf(order) === 0

/** Part of what purchases may cost that shows that they were taken off: prices and fees are only nearly known. */
const COST_PART = 0.9

/** The same for cash, which is one for all stocks. */
export function noteCash(turn: Turn, row: BrokerAsset): void {
  const { state, asked } = turn
  // It was asked for before the last deal, and cannot tell of it.
  const isBeforeDeal = asked !== undefined && asked.at < state.dealtAt
  if (isBeforeDeal && state.assetAtDeal !== undefined) state.assetAtDeal = row
  state.asset = row
  state.assetAtMs = turn.inputs.nowMs
  if (asked !== undefined) return noteListedCash(turn, row, asked)
  const pushed = { available: row.available, ...turn.tick() }
  state.cash = { ...state.cash, pushed }
}

function noteListedCash(turn: Turn, row: BrokerAsset, asked: Moment): void {
  const { state } = turn
  const { listed, pushed } = state.cash
  if (listed !== undefined && asked.at < listed.at) return // overtaken by a later one
  if (!isCashBelieved(turn, row, asked)) return lookAgain(turn)
  const isNewer = pushed !== undefined && pushed.at > asked.at
  const { available } = row
  state.cash = { listed: { available, ...asked }, ...(isNewer && { pushed }) }
  for (const order of [...unseenOf(state, 'buy')]) {
    if (isNumberedBy(state, order, asked) || isVoid(order)) {
      state.unseen.delete(order.clientOrderId)
    }
  }
}

function isCashBelieved(turn: Turn, { available }: BrokerAsset, asked: Moment): boolean {
  const { state } = turn
  const { listed } = state.cash
  // What no list has shown, and the broker had when it was asked for this one.
  const purchases = [...unseenOf(state, 'buy')].filter((order) => isNumberedBy(state, order, asked))
  const isOld = isSettled(state, newsMsOf(state, purchases), asked)
  if (listed === undefined || isOld) return isOld
  const spent = purchases.reduce((sum, order) => sum + cashOf(turn, order), 0)
  return available <= listed.available - spent * COST_PART
}
