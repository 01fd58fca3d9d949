import type { Board } from './board-rules.ts'

/**
 * Fees that the law and the clearing house ask for, with the day from which each row holds, oldest first.
 * This file is data: a new rate is a new row, and nothing else changes. Before its first row a fee is
 * that of the first row.
 *
 * Source  named with each table; docs/domain.md 2.4.
 */
export interface FeeRow {
  /** First exchange day of the row. */
  readonly from: string
  /** Millionths of the amount. */
  readonly ppm: number
}

/** Boards whose sales pay stamp duty: stocks. Funds and bonds do not. */
export const STAMPED: ReadonlySet<Board> = new Set<Board>(['main', 'chinext', 'star', 'bse'])

/**
 * Stamp duty (印花税), on sales only since 2008-09-19.
 *
 * Source  Ministry of Finance and State Taxation Administration: 2008-09-18, one side only; announcement
 *         2023 No. 39, halved from 2023-08-28.
 */
export const STAMP_DUTY: readonly FeeRow[] = [
  { from: '2008-09-19', ppm: 1_000 },
  { from: '2023-08-28', ppm: 500 },
]

const SHANGHAI_SHENZHEN: readonly FeeRow[] = [
  { from: '2015-08-01', ppm: 20 },
  { from: '2022-04-29', ppm: 10 },
]

/**
 * Transfer fee (过户费), both sides, of stocks alone: a board that is not here has none. Until 2015-07-31 Shanghai
 * took it by the face value, and Shenzhen as a part of other fees.
 *
 * Source  China Securities Depository and Clearing: one rate for Shanghai and Shenzhen from 2015-08-01; notice of
 *         2022-04-28, 0.02 ‰ (Beijing 0.025 ‰) becomes 0.01 ‰ from 2022-04-29.
 */
export const TRANSFER_FEE: Readonly<Partial<Record<Board, readonly FeeRow[]>>> = {
  main: SHANGHAI_SHENZHEN,
  chinext: SHANGHAI_SHENZHEN,
  star: SHANGHAI_SHENZHEN,
  bse: [
    { from: '2021-11-15', ppm: 25 },
    { from: '2022-04-29', ppm: 10 },
  ],
}
