/** Words for people, Chinese first. */
export type Text = readonly [zh: string, en: string]

/** What a number counts, in words. `ratio` is a decimal: 0.06 means 6 %. */
export const UNITS = {
  ratio: ['比例', 'ratio'],
  percent: ['%', '%'],
  yuan: ['元', 'yuan'],
  seconds: ['秒', 'seconds'],
  milliseconds: ['毫秒', 'ms'],
  minutes: ['分钟', 'minutes'],
  days: ['天', 'days'],
  years: ['年', 'years'],
  bytes: ['字节', 'bytes'],
  megabytes: ['MB', 'MB'],
  score: ['分', 'points'],
  number: ['个', 'number'],
} as const satisfies Record<string, Text>
export type Unit = keyof typeof UNITS

/** How a field of the API counts where it does not count like the setting. */
export type WireUnit = 'percent' | 'percentLost' | 'percentFallen' | 'yuanOfMillion'

/** A setting as `GET /api/config` shows it and `POST /api/config/save` takes it. */
export interface Offer {
  /** Name of the field. */
  readonly name: string
  /** Absent: as the setting counts. */
  readonly unit?: WireUnit
  readonly label: Text
  /**
   * A value that is sent is stored in the database of the account, where it wins over the file. Unless it is in
   * force for this `run` only, and confirmed by hand after every start; or `never` taken, only
   * checked, because the file alone decides.
   */
  readonly saved?: 'run' | 'never'
  /** The form of the console on which it stands. */
  readonly form?: 'exits'
}

/** A setting of the service that says the same in another unit: only one of the two names is needed. */
export interface Twin {
  /** Path in the configuration file; of an account when `isOfAccount`. */
  readonly path: readonly string[]
  /** Units of that setting in one unit of this one. */
  readonly scale: number
  readonly isOfAccount: boolean
}

interface Meaning<V> {
  readonly default: V
  /** What it means. */
  readonly text: Text
  /** An environment variable of the same name wins over the file. */
  readonly isFromEnvironment?: true
  /** Not a constant of the file by itself, but one entry of a list there. */
  readonly within?: { readonly constant: string; readonly at: number }
}
interface Bounds {
  readonly min: number
  readonly max: number
}

export interface FlagRow<V extends boolean | undefined = boolean> extends Meaning<V> {
  readonly kind: 'flag'
  readonly offer?: Offer
}
export interface NumberRow extends Meaning<number>, Bounds {
  readonly kind: 'decimal' | 'whole'
  readonly unit: Unit
  readonly offer?: Offer
  readonly twin?: Twin
}
export interface ChoiceRow<V extends string = string> extends Meaning<V> {
  readonly kind: 'choice'
  readonly options: readonly V[]
}
export interface PatternRow extends Meaning<string> {
  readonly kind: 'pattern'
  readonly pattern: RegExp
  /** What is said about a text that does not match. */
  readonly error: string
}
export interface PlainRow extends Meaning<string> {
  readonly kind: 'time' | 'url' | 'code'
}
export interface CodesRow extends Meaning<readonly string[]> {
  readonly kind: 'codes'
  readonly entriesMax: number
}
export interface WholesRow extends Meaning<readonly number[]>, Bounds {
  readonly kind: 'wholes'
  readonly entriesMax: number
}
/** Rows of two ratios, the first of which rises. */
export interface TiersRow extends Meaning<readonly (readonly [level: number, factor: number])[]> {
  readonly kind: 'tiers'
  readonly entriesMax: number
}
/** Three ratios, of which only the one in the middle counts. */
export interface LevelsRow extends Meaning<readonly [number, number, number]> {
  readonly kind: 'levels'
  readonly counts: Bounds
}

/** What the API may offer: booleans and numbers. */
export type SimpleRow = FlagRow<boolean | undefined> | NumberRow
export type Row =
  | SimpleRow
  | ChoiceRow
  | PatternRow
  | PlainRow
  | CodesRow
  | WholesRow
  | TiersRow
  | LevelsRow

type NumberMaker = (value: number, min: number, max: number, text: Text) => NumberRow

const numbers =
  (kind: NumberRow['kind'], unit: Unit): NumberMaker =>
  (value, min, max, text) => ({ kind, unit, default: value, min, max, text })

export const ratio = numbers('decimal', 'ratio')
export const yuan = numbers('decimal', 'yuan')
export const seconds = numbers('decimal', 'seconds')
export const minutes = numbers('decimal', 'minutes')
export const score = numbers('decimal', 'score')
export const days = numbers('whole', 'days')
export const count = numbers('whole', 'number')

export const flag = (value: boolean, text: Text): FlagRow => ({
  kind: 'flag',
  default: value,
  text,
})
/** A flag whose default is decided elsewhere. */
export const openFlag = (text: Text): FlagRow<boolean | undefined> => ({
  kind: 'flag',
  default: undefined,
  text,
})
export const choice = <const V extends string>(
  options: readonly V[],
  value: NoInfer<V>,
  text: Text,
): ChoiceRow<V> => ({ kind: 'choice', options, default: value, text })

const plain =
  (kind: PlainRow['kind']) =>
  (value: string, text: Text): PlainRow => ({ kind, default: value, text })
/** A time of day at the exchange: `15:30` or `15:30:00`. */
export const timeOfDay = plain('time')
export const url = plain('url')
/** Any accepted spelling of a stock code. */
export const stockCode = plain('code')

/** The same row, offered by the API. */
export const offered = <R extends SimpleRow, const O extends Offer>(
  row: R,
  offer: O,
): R & { readonly offer: O } => ({ ...row, offer })

/** The same row, saying what the setting at a dotted path says. */
export const twinOf = <R extends NumberRow>(
  row: R,
  path: string,
  { scale = 1, isOfAccount = false }: Partial<Omit<Twin, 'path'>> = {},
): R & { readonly twin: Twin } => ({ ...row, twin: { path: path.split('.'), scale, isOfAccount } })

/** The same row, which an environment variable of its name may set. */
export const fromEnvironment = <R extends Row>(row: R): R => ({ ...row, isFromEnvironment: true })
