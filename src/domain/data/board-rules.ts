/**
 * Trading rules of the mainland boards with the day from which each row holds. This file is data:
 * a new rule is a new row, and nothing else changes.
 *
 * Source  published rules of the exchanges; which row rests on what is in docs/domain.md 2.1.
 * Note    not in a code, so not here: the first day of a new convertible bond (+57.3 % and −43.3 % of the issue price), and
 *         funds outside 588 and 589 that follow a 20 % board.
 */
export const BOARDS = ['main', 'chinext', 'star', 'bse', 'fund', 'starFund', 'bond'] as const
export type Board = (typeof BOARDS)[number]

export interface BoardRule {
  /** First exchange day of the row, `2020-08-24`. */
  readonly from: string
  /** Price limit over the close of the day before, in basis points; null = no limit. */
  readonly limitBp: number | null
  /** The same for a stock under risk warning (ST, *ST). */
  readonly riskLimitBp: number | null
  /** Fewest shares of a purchase, and the step above it. */
  readonly lotMin: number
  readonly lotStep: number
  /** Most shares of one order. */
  readonly quantityMax: number
  /** Most shares of one order at what the book offers (市价委托), where that is less. */
  readonly marketMax?: number
  /** Ten-thousandths of a yuan. */
  readonly tickSize: number
  /** Trading days until what was bought may be sold. */
  readonly settlementDays: 0 | 1
}

const STOCK = { tickSize: 100, settlementDays: 1 } as const
const LOT = { lotMin: 100, lotStep: 100, quantityMax: 1_000_000 } as const
const MAIN = { ...STOCK, ...LOT, limitBp: 1_000 } as const
const FUND = { ...LOT, tickSize: 10, settlementDays: 1 } as const
const BOND = {
  lotMin: 10,
  lotStep: 10,
  quantityMax: 1_000_000,
  tickSize: 10,
  settlementDays: 0,
} as const

/** Oldest first. Before its first row a board does not exist. */
export const BOARD_RULES: Readonly<Record<Board, readonly BoardRule[]>> = {
  main: [
    { from: '1996-12-16', ...MAIN, riskLimitBp: 500 },
    // Drafts of both exchanges of 2025-06-27; the day is known from second hand only (docs/domain.md 2.1).
    { from: '2026-07-06', ...MAIN, riskLimitBp: 1_000 },
  ],
  chinext: [
    { from: '2009-10-30', ...MAIN, riskLimitBp: 500 },
    {
      from: '2020-08-24',
      ...STOCK,
      limitBp: 2_000,
      riskLimitBp: 2_000,
      lotMin: 100,
      lotStep: 100,
      quantityMax: 300_000,
      marketMax: 150_000,
    },
  ],
  star: [
    {
      from: '2019-07-22',
      ...STOCK,
      limitBp: 2_000,
      riskLimitBp: 2_000,
      lotMin: 200,
      lotStep: 1,
      quantityMax: 100_000,
      marketMax: 50_000,
    },
  ],
  bse: [
    {
      from: '2021-11-15',
      ...STOCK,
      limitBp: 3_000,
      riskLimitBp: 3_000,
      lotMin: 100,
      lotStep: 1,
      quantityMax: 1_000_000,
    },
  ],
  fund: [{ from: '1996-12-16', ...FUND, limitBp: 1_000, riskLimitBp: 1_000 }],
  starFund: [{ from: '2020-09-28', ...FUND, limitBp: 2_000, riskLimitBp: 2_000 }],
  bond: [
    { from: '1996-12-16', ...BOND, limitBp: null, riskLimitBp: null },
    { from: '2022-08-01', ...BOND, limitBp: 2_000, riskLimitBp: 2_000 },
  ],
}

/**
 * From when on the stocks of a board have no price limit when they are new: on their first five days, in Beijing on the
 * first. The days before, on which there was another one, are not told apart from ordinary ones.
 */
export const NEW_WITHOUT_LIMIT: Readonly<Partial<Record<Board, string>>> = {
  main: '2023-04-10',
  chinext: '2020-08-24',
  star: '2019-07-22',
  bse: '2021-11-15',
}

/**
 * Board by exchange and leading digits; the longest prefix wins. What is absent (indexes, B shares,
 * repos, subscriptions) is not traded here.
 */
export const BOARD_OF: ReadonlyMap<string, Board> = new Map<string, Board>([
  ['SH60', 'main'],
  ['SH688', 'star'],
  ['SH689', 'star'],
  ['SH5', 'fund'],
  ['SH588', 'starFund'],
  ['SH589', 'starFund'],
  ['SH11', 'bond'],
  ['SH132', 'bond'],
  ['SZ00', 'main'],
  ['SZ30', 'chinext'],
  ['SZ15', 'fund'],
  ['SZ16', 'fund'],
  ['SZ18', 'fund'],
  ['SZ11', 'bond'],
  ['SZ12', 'bond'],
  ['BJ92', 'bse'],
  ['BJ4', 'bse'],
  ['BJ83', 'bse'],
  ['BJ87', 'bse'],
  ['BJ88', 'bse'],
])
