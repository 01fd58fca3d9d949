import type { Schemas } from '../shared/api.ts'
import type { SettingRow } from './setting-rows.ts'

export type Limit = Schemas['RiskLimits']['limits'][number]
type Value = Limit['value']

/** What was typed over a limit, and what stood there when the typing began. */
export interface Typed {
  readonly from: Value
  readonly text: string | boolean
  /** The value of the file is wanted. */
  readonly isFiles: boolean
}
export type Draft = Readonly<Record<string, Typed>>

export type Wrong = 'number' | 'range' | 'whole'

/** Groups of three, or none: `1,5` is one and a half to some, and must not become 15, nor `0,075` 75. */
const NUMBER = /^(?:\d+|[1-9]\d{0,2}(?:[,\s]\d{3})+)(?:\.\d+)?$/

/** What stands in a text of people: `50,000`, `５００` and `0。5` are numbers too. undefined when it is none. */
export function numberIn(text: string): number | undefined {
  const bare = text.normalize('NFKC').replaceAll('。', '.').trim()
  const value = NUMBER.test(bare) ? Number(bare.replaceAll(/[,\s]/g, '')) : Number.NaN
  return Number.isFinite(value) ? value : undefined // one without an end would be sent as null
}

/** What is wrong with what was typed; the service judges once more. */
export function wrongIn(
  { text, isFiles }: Typed,
  facts: SettingRow | undefined,
): Wrong | undefined {
  if (isFiles || typeof text === 'boolean') return undefined
  const value = numberIn(text)
  if (value === undefined) return 'number'
  if (facts?.kind === 'whole' && !Number.isInteger(value)) return 'whole'
  const { min = null, max = null } = facts ?? {}
  return (min !== null && value < min) || (max !== null && value > max) ? 'range' : undefined
}

/** What the limit is to be; undefined when nothing readable was typed. */
export function wantedOf({ text, isFiles }: Typed, limit: Limit): Value | undefined {
  if (isFiles) return limit.file_value
  return typeof text === 'boolean' ? text : numberIn(text)
}

/**
 * The draft without what stands in the field as it did before. Another way to write the same stays as it was typed: it may
 * be half of a number, as the `0.0` of 0.05, and must not become a 0 before the 5.
 */
export function withTyped(draft: Draft, limit: Limit, text: string | boolean): Draft {
  const from = draft[limit.name]?.from ?? limit.value
  const typed: Typed = { from, text, isFiles: false }
  const { [limit.name]: _before, ...others } = draft
  return String(text) === String(from) && from === limit.value
    ? others
    : { ...others, [limit.name]: typed }
}

/** Whether it says the same as what stood there and still does. */
const isSame = (typed: Typed, limit: Limit): boolean =>
  !typed.isFiles && wantedOf(typed, limit) === typed.from && typed.from === limit.value

/** What of a draft is a change. */
export const changedIn = (draft: Draft, limits: readonly Limit[]): readonly Limit[] =>
  limits.filter((limit) => {
    const typed = draft[limit.name]
    return typed !== undefined && !isSame(typed, limit)
  })

/** Limits behind which a sale of a strategy waits as an order of a person does. */
const HOLDS_SALES: ReadonlySet<string> = new Set([
  'max_protective_orders_per_day',
  'price_deviation',
  'stale_quote_seconds',
  'refuse_duplicates',
])
/** Whether a sale that waits behind one of the limits may leave with the change; 0 and off hold nothing back. */
export const letsSales = (draft: Draft, limits: readonly Limit[]): boolean =>
  changedIn(draft, limits).some((limit) => {
    const typed = draft[limit.name]
    const to = typed && wantedOf(typed, limit)
    if (!HOLDS_SALES.has(limit.name) || to === undefined) return false
    if (typeof to === 'boolean') return !to
    return limit.value !== 0 && (to === 0 || Number(to) > Number(limit.value))
  })

/** The body for `POST /api/risk/limits`: each limit with what its reader has seen. */
export const changesOf = (limits: readonly Limit[], draft: Draft) =>
  Object.fromEntries(
    changedIn(draft, limits).flatMap((limit) => {
      const typed = draft[limit.name]
      const to = typed && wantedOf(typed, limit)
      if (typed === undefined || to === undefined) return []
      return [[limit.name, { from: typed.from, to: typed.isFiles ? null : to }]]
    }),
  )

/**
 * What is left of a draft once a part of it has been saved: what was typed since, over what stands there now.
 * @param sent the draft as it was sent
 */
export function leftOf(draft: Draft, sent: Draft, limits: readonly Limit[]): Draft {
  const left = Object.entries(draft).flatMap(([name, typed]) => {
    const limit = limits.find((one) => one.name === name)
    const before = sent[name]
    if (limit === undefined || before === undefined) return [[name, typed] as const]
    const saved = wantedOf(before, limit) ?? typed.from
    return wantedOf(typed, limit) === saved ? [] : [[name, { ...typed, from: saved }] as const]
  })
  return Object.fromEntries(left)
}
