import { strict as assert } from 'node:assert'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import { shareOf } from './ratios.ts'

/** A booked fill of a grid, as the ledger takes it. */
export interface LedgerTrade {
  readonly side: Side
  readonly quantity: Quantity
  /** Price × quantity of all its deals together; fees are no part of it. */
  readonly amount: Money
  readonly tradeId: string
  readonly orderId: string
  /** Epoch ms of the market clock. */
  readonly timeMs: number
}

/** Shares of one purchase that are held until a sale takes them. */
export interface Lot {
  readonly id: number
  readonly buyTradeId: string
  readonly buyOrderId: string
  readonly quantity: Quantity
  readonly amount: Money
  /** Not sold yet, and what that part cost. */
  readonly remaining: Quantity
  readonly remainingCost: Money
  /**
   * What ex-days have taken off the worth of that part. Profit is reckoned without it, because nobody has lost it; the
   * quota is not: what was paid is paid. Absent before the first.
   */
  readonly takenOff?: Money
  readonly openedMs: number
  readonly updatedMs: number
}

/** Shares that were sold: against a lot, or of the base holding and not bought back yet. */
export interface LotMatch {
  readonly id: number
  readonly type: 'matched' | 'unmatched'
  /** 0 when unmatched. */
  readonly lotId: number
  readonly sellTradeId: string
  readonly sellOrderId: string
  readonly quantity: Quantity
  /** 0 when unmatched; less what ex-days had taken off. */
  readonly buyAmount: Money
  /** While unmatched, less what ex-days have taken off since. */
  readonly sellAmount: Money
  /** Sale less purchase; 0 when unmatched. */
  readonly realized: Money
  readonly matchedMs: number
}

/**
 * The books of one grid. Held whole are only the open ends; closed lots and matched rows are
 * counted here and kept by whoever files the changes.
 */
export interface Ledger {
  /** Oldest first. */
  readonly open: readonly Lot[]
  /** Oldest first. */
  readonly unmatched: readonly LotMatch[]
  readonly lotCount: number
  readonly matchCount: number
  readonly boughtQuantity: Quantity
  readonly matchedQuantity: Quantity
  readonly realized: Money
}

export const EMPTY_LEDGER: Ledger = {
  open: [],
  unmatched: [],
  lotCount: 0,
  matchCount: 0,
  boughtQuantity: 0 as Quantity,
  matchedQuantity: 0 as Quantity,
  realized: 0 as Money,
}

/** Rows that a trade made or changed, as they stand afterwards. */
export interface LedgerChange {
  readonly ledger: Ledger
  readonly lots: readonly Lot[]
  readonly matches: readonly LotMatch[]
}

interface Work {
  open: Lot[]
  unmatched: LotMatch[]
  lotCount: number
  matchCount: number
  matchedQuantity: number
  realized: number
  readonly lots: Map<number, Lot>
  readonly matches: Map<number, LotMatch>
}

/**
 * Books one fill, last in first out. A sale takes the newest open lots, and what is left over is of
 * the base holding: unmatched, without profit. A purchase first covers the newest unmatched sales,
 * which realizes them, and opens a lot with the rest. Every share and every unit of money is in
 * exactly one place afterwards.
 *
 * Source  docs/domain.md 6.14.
 */
export function bookTrade(ledger: Ledger, trade: LedgerTrade): LedgerChange {
  assert(trade.quantity > 0 && trade.amount >= 0, 'a trade has shares')
  const work: Work = {
    open: [...ledger.open],
    unmatched: [...ledger.unmatched],
    lotCount: ledger.lotCount,
    matchCount: ledger.matchCount,
    matchedQuantity: ledger.matchedQuantity,
    realized: ledger.realized,
    lots: new Map(),
    matches: new Map(),
  }
  const bought = ledger.boughtQuantity + (trade.side === 'buy' ? trade.quantity : 0)
  if (trade.side === 'buy') buy(work, trade)
  else sell(work, trade)
  const { open, unmatched, lotCount, matchCount } = work
  return {
    ledger: {
      open,
      unmatched,
      lotCount,
      matchCount,
      boughtQuantity: bought as Quantity,
      matchedQuantity: work.matchedQuantity as Quantity,
      realized: work.realized as Money,
    },
    lots: [...work.lots.values()],
    matches: [...work.matches.values()],
  }
}

/** Takes part of the shares and the money that belongs to them. */
function take(rest: { quantity: number; amount: number }, quantity: number): Money {
  const amount = shareOf(rest.amount, quantity, rest.quantity)
  rest.quantity -= quantity
  rest.amount -= amount
  return amount as Money
}

function sell(work: Work, trade: LedgerTrade): void {
  const rest = { quantity: trade.quantity as number, amount: trade.amount as number }
  for (let lot = work.open.at(-1); lot !== undefined && rest.quantity > 0; lot = work.open.at(-1)) {
    work.open.pop()
    const quantity = Math.min(lot.remaining, rest.quantity) as Quantity
    const sellAmount = take(rest, quantity)
    const held = { quantity: lot.remaining as number, amount: lot.remainingCost as number }
    const off = { quantity: lot.remaining as number, amount: takenOff(lot) as number }
    const buyAmount = (take(held, quantity) - take(off, quantity)) as Money
    putLot(work, {
      ...withTakenOff(lot, off.amount),
      remaining: held.quantity as Quantity,
      remainingCost: held.amount as Money,
      updatedMs: trade.timeMs,
    })
    putMatched(work, {
      ...sold(trade, ++work.matchCount),
      lotId: lot.id,
      quantity,
      buyAmount,
      sellAmount,
    })
  }
  if (rest.quantity === 0) return
  putUnmatched(work, {
    ...sold(trade, ++work.matchCount),
    type: 'unmatched',
    lotId: 0,
    quantity: rest.quantity as Quantity,
    buyAmount: 0 as Money,
    sellAmount: rest.amount as Money,
    realized: 0 as Money,
  })
}

const sold = ({ tradeId, orderId, timeMs }: LedgerTrade, id: number) => ({
  id,
  sellTradeId: tradeId,
  sellOrderId: orderId,
  matchedMs: timeMs,
})

function buy(work: Work, trade: LedgerTrade): void {
  const rest = { quantity: trade.quantity as number, amount: trade.amount as number }
  for (
    let row = work.unmatched.at(-1);
    row !== undefined && rest.quantity > 0;
    row = work.unmatched.at(-1)
  ) {
    work.unmatched.pop()
    const quantity = Math.min(row.quantity, rest.quantity) as Quantity
    const buyAmount = take(rest, quantity)
    const uncovered = { quantity: row.quantity as number, amount: row.sellAmount as number }
    const sellAmount = take(uncovered, quantity)
    const lot = newLot(work, trade, { quantity, amount: buyAmount })
    putLot(work, { ...lot, remaining: 0 as Quantity, remainingCost: 0 as Money })
    putMatched(work, { ...row, lotId: lot.id, quantity, buyAmount, sellAmount })
    if (uncovered.quantity === 0) continue
    putUnmatched(work, {
      ...row,
      id: ++work.matchCount,
      quantity: uncovered.quantity as Quantity,
      sellAmount: uncovered.amount as Money,
    })
  }
  if (rest.quantity === 0) return
  const { quantity, amount } = rest
  putLot(work, newLot(work, trade, { quantity: quantity as Quantity, amount: amount as Money }))
}

function newLot(work: Work, trade: LedgerTrade, part: Pick<Lot, 'quantity' | 'amount'>): Lot {
  return {
    id: ++work.lotCount,
    buyTradeId: trade.tradeId,
    buyOrderId: trade.orderId,
    ...part,
    remaining: part.quantity,
    remainingCost: part.amount,
    openedMs: trade.timeMs,
    updatedMs: trade.timeMs,
  }
}

/** Lots are worked off from the newest, so whatever is put back is the newest again. */
function putLot(work: Work, lot: Lot): void {
  work.lots.set(lot.id, lot)
  if (lot.remaining > 0) work.open.push(lot)
}

function putUnmatched(work: Work, match: LotMatch): void {
  work.matches.set(match.id, match)
  work.unmatched.push(match)
}

function putMatched(work: Work, match: Omit<LotMatch, 'type' | 'realized'>): void {
  const realized = (match.sellAmount - match.buyAmount) as Money
  work.matches.set(match.id, { ...match, type: 'matched', realized })
  work.matchedQuantity += match.quantity
  work.realized += realized
}

const takenOff = (lot: Lot): Money => lot.takenOff ?? (0 as Money)

const withTakenOff = ({ takenOff: _, ...lot }: Lot, amount: number): Lot =>
  amount === 0 ? lot : { ...lot, takenOff: amount as Money }

/** An ex-day as the books follow it. */
export interface LedgerExDay {
  /** First exchange day of the new prices. */
  readonly day: string
  /** What a share is worth less by it, in units of a price; negative where shares are put together. */
  readonly off: number
}

/**
 * The books after an ex-day, on which prices fall and nobody gains or loses: what is held since before has cost less
 * by what was taken off, and what is to be bought back was sold for less. Shares that come by it are of the base
 * holding. What was traded on the day itself is on its scale. The same books where there is nothing to move.
 */
export function afterExDay(ledger: Ledger, { day, off }: LedgerExDay): Ledger {
  const isBefore = (timeMs: number): boolean => exchangeDay(timeMs) < day
  const isMoved =
    ledger.open.some(({ openedMs }) => isBefore(openedMs)) ||
    ledger.unmatched.some(({ matchedMs }) => isBefore(matchedMs))
  if (off === 0 || !isMoved) return ledger
  return {
    ...ledger,
    open: ledger.open.map((lot) =>
      isBefore(lot.openedMs) ? withTakenOff(lot, takenOff(lot) + lot.remaining * off) : lot,
    ),
    unmatched: ledger.unmatched.map((row) =>
      isBefore(row.matchedMs)
        ? { ...row, sellAmount: (row.sellAmount - row.quantity * off) as Money }
        : row,
    ),
  }
}

export interface LedgerSummary {
  readonly hasLedger: boolean
  readonly lotCount: number
  readonly matchCount: number
  readonly boughtQuantity: Quantity
  readonly openQuantity: Quantity
  readonly matchedQuantity: Quantity
  readonly unmatchedQuantity: Quantity
  readonly openCost: Money
  readonly openMarketValue: Money
  readonly realized: Money
  readonly unrealized: Money
  readonly truePnl: Money
}

/** What the books come to at a mark price. */
export function summaryOf(ledger: Ledger, mark: Price): LedgerSummary {
  const openQuantity = total(ledger.open, ({ remaining }) => remaining) as Quantity
  const openCost = (openCostOf(ledger) - total(ledger.open, takenOff)) as Money
  const openMarketValue = (openQuantity * mark) as Money
  const unrealized = (openMarketValue - openCost) as Money
  return {
    hasLedger: ledger.lotCount > 0 || ledger.matchCount > 0,
    lotCount: ledger.lotCount,
    matchCount: ledger.matchCount,
    boughtQuantity: ledger.boughtQuantity,
    openQuantity,
    matchedQuantity: ledger.matchedQuantity,
    unmatchedQuantity: total(ledger.unmatched, ({ quantity }) => quantity) as Quantity,
    openCost,
    openMarketValue,
    realized: ledger.realized,
    unrealized,
    truePnl: (ledger.realized + unrealized) as Money,
  }
}

/** What was paid for what the grid has bought and not sold. */
export const openCostOf = (ledger: Ledger): Money =>
  total(ledger.open, ({ remainingCost }) => remainingCost) as Money

const total = <T>(rows: readonly T[], part: (row: T) => number): number =>
  rows.reduce((sum, row) => sum + part(row), 0)

/** Price of an amount for so many shares, rounded to the nearest unit. */
export const averagePrice = (amount: Money, quantity: Quantity): Price =>
  (quantity === 0 ? 0 : shareOf(amount, 1, quantity)) as Price
