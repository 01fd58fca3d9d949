/** How old what is shown is: fresh below 30 s, stale from 30 s, lost from 90 s, never when nothing came yet. */
export type Freshness = 'fresh' | 'stale' | 'lost' | 'never'

const STALE_MS = 30_000
const LOST_MS = 90_000
/** A hidden page looks at its clock once a minute: what it has read may be of later than that look, but not much. */
const AHEAD_MS = 90_000

/** `atMs` and `nowMs` are the same clock; undefined = no answer so far. */
export function freshnessOf(atMs: number | undefined, nowMs: number): Freshness {
  if (atMs === undefined) return 'never'
  const ageMs = nowMs - atMs
  // The clock of this computer was set back: how old it is nobody knows.
  if (ageMs >= LOST_MS || ageMs < -AHEAD_MS) return 'lost'
  return ageMs >= STALE_MS ? 'stale' : 'fresh'
}

/** What was read, and when. */
interface Heard<T> {
  readonly data: T | undefined
  readonly updatedAt: number | undefined
}

/**
 * What a block says, for as long as it may be believed: once it is lost nothing is known, however sure it was.
 * For whatever says how things are: switches, connections, verdicts.
 */
export const believed = <T>(of: Heard<T> | undefined, nowMs: number): T | undefined =>
  of === undefined || freshnessOf(of.updatedAt, nowMs) === 'lost' ? undefined : of.data

/** When the oldest of them was read; undefined while one was never read. */
export const oldest = (of: readonly (Pick<Heard<unknown>, 'updatedAt'> | undefined)[]) => {
  const times = of.map((one) => one?.updatedAt)
  return times.includes(undefined) ? undefined : Math.min(...(times as number[]))
}

/** How what is shown of a block looks by its age: paler once stale, grey once lost. */
export function ageLook(updatedAt: number | undefined, nowMs: number): '' | 'is-stale' | 'is-lost' {
  const age = freshnessOf(updatedAt, nowMs)
  return age === 'lost' ? 'is-lost' : age === 'stale' ? 'is-stale' : ''
}

/** On, off, or not known. */
export type Tri = boolean | null

/** Every link of a chain must be on: one off is off, else one unknown is unknown. */
export function allOf(links: readonly (boolean | null | undefined)[]): Tri {
  if (links.includes(false)) return false
  return links.every((link) => link === true) ? true : null
}
