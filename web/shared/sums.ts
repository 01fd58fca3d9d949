import type { PositionRow } from './wire.ts'

/** Sums over what is shown: one figure that nobody knows makes the sum unknown, but for a cost (`holdingSums`). */

/** What a row says of the price of its moment; nothing where nobody quotes the stock. */
export interface Figures {
  readonly price: number | undefined
  readonly change: number | undefined
  readonly value: number | undefined
  readonly profit: number | undefined
  /** Percent number. */
  readonly percent: number | undefined
  /** Of a share; one that nobody has told is none. */
  readonly cost: number | undefined
}

/** An older service does not say whether a price is one, or a cost; they are believed. */
export function figuresOf(row: PositionRow): Figures {
  const isCosted = row.is_cost_known !== false && row.cost_price > 0
  const cost = isCosted ? row.cost_price : undefined
  if (row.is_priced === false) return { ...NO_FIGURES, cost }
  const profit = row.profit_amount ?? (row.current_price - row.cost_price) * row.volume
  return {
    price: row.current_price,
    change: row.change_percentage,
    value: row.market_value,
    // Without a cost there is nothing to compare with.
    profit: isCosted ? profit : undefined,
    percent: isCosted ? row.profit_ratio : undefined,
    cost,
  }
}
const NO_FIGURES: Figures = {
  price: undefined,
  change: undefined,
  value: undefined,
  profit: undefined,
  percent: undefined,
  cost: undefined,
}

/** Numbers together; undefined as soon as one of them is none. */
export const sumOf = (values: readonly (number | null | undefined)[]): number | undefined =>
  values.every((value) => Number.isFinite(value))
    ? values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
    : undefined

/** Holdings together. */
export interface HoldingSums {
  readonly value: number | undefined
  readonly profit: number | undefined
  /** Percent number of the cost. */
  readonly percent: number | undefined
  readonly win: number | undefined
  readonly lose: number | undefined
  readonly all: number
  /** Of them without a price, and without a cost. */
  readonly unpriced: number
  readonly uncosted: number
}

/**
 * Totals of holdings; undefined rows = nobody knows what is held. What a holding has cost may never be told: it is left out
 * of profits, as the service leaves it out of its own, and counted. A price is only missing for a while, and so is the sum.
 */
export function holdingSums(rows: readonly PositionRow[] | undefined): HoldingSums {
  const figures = rows?.map((row) => ({ ...figuresOf(row), volume: row.volume }))
  const costed = figures?.filter((one) => one.cost !== undefined)
  const isNoneCosted = costed?.length === 0 && (rows?.length ?? 0) > 0
  const profit = isNoneCosted ? undefined : costed && sumOf(costed.map((one) => one.profit))
  const cost = costed?.reduce((sum, one) => sum + (one.cost ?? 0) * one.volume, 0) ?? 0
  const isKnown = profit !== undefined
  const count = (is: (profit: number) => boolean): number | undefined =>
    isKnown ? costed?.filter((one) => is(one.profit ?? 0)).length : undefined
  return {
    value: figures && sumOf(figures.map((one) => one.value)),
    profit,
    percent: isKnown && cost > 0 ? (profit / cost) * 100 : undefined,
    win: count((each) => each > 0),
    lose: count((each) => each < 0),
    all: rows?.length ?? 0,
    unpriced: figures?.filter((one) => one.price === undefined).length ?? 0,
    uncosted: figures?.filter((one) => one.cost === undefined).length ?? 0,
  }
}

/**
 * The same holdings at the prices of another moment, at which they were worth `value`: for a profit that stands beside that
 * value. Only where each has a price and a cost, as what one of them has gained is not told.
 */
export function sumsAt(sums: HoldingSums, value: number | undefined): HoldingSums {
  const { profit, value: before, all, unpriced, uncosted } = sums
  if (value === undefined || profit === undefined || before === undefined) return sums
  if (all === 0 || unpriced > 0 || uncosted > 0) return sums
  const cost = before - profit
  const gain = value - cost
  return { ...sums, value, profit: gain, percent: cost > 0 ? (gain / cost) * 100 : undefined }
}

/** One account as a sum over accounts sees it. */
export interface Addend {
  /** Undefined = not known. */
  readonly value: number | undefined
  /** Simulated money is no money; null = nobody knows whether it is. */
  readonly isSimulation: boolean | null
  /** From before the trading client was lost. */
  readonly isOld: boolean
}

export interface AccountSum {
  /** Undefined as soon as one account that counts is not known. */
  readonly value: number | undefined
  /** Accounts that count, and those of them that are known. */
  readonly all: number
  readonly known: number
  /** Accounts left out because their money is simulated. */
  readonly simulated: number
  /** Whether it is all simulated money. */
  readonly isSimulation: boolean
  /** Known ones that say what was before their trading client was lost. */
  readonly old: number
}

/** Accounts together. Real and simulated money is never added; only where all is simulated it is counted. */
export function accountSum(accounts: readonly Addend[]): AccountSum {
  const isSimulation = accounts.length > 0 && accounts.every((one) => one.isSimulation === true)
  const counted = isSimulation ? accounts : accounts.filter((one) => one.isSimulation !== true)
  // Of what nobody knows whether it is real, nobody knows the real amount.
  const values = counted.map((one) => (one.isSimulation === null ? undefined : one.value))
  return {
    value: accounts.length === 0 ? undefined : sumOf(values),
    all: counted.length,
    known: values.filter((value) => value !== undefined).length,
    simulated: accounts.length - counted.length,
    isSimulation,
    old: counted.filter((one) => one.isOld && one.value !== undefined).length,
  }
}
