/** How old what is shown is: fresh below 30 s, stale from 30 s, lost from 90 s, never when nothing came yet. */
export type Freshness = 'fresh' | 'stale' | 'lost' | 'never'

const STALE_MS = 30_000
const LOST_MS = 90_000

/** `atMs` and `nowMs` are the same clock; undefined = no answer so far. */
export function freshnessOf(atMs: number | undefined, nowMs: number): Freshness {
  if (atMs === undefined) return 'never'
  const ageMs = nowMs - atMs
  if (ageMs >= LOST_MS) return 'lost'
  return ageMs >= STALE_MS ? 'stale' : 'fresh'
}

/** On, off, or not known. */
export type Tri = boolean | null

/** Every link of a chain must be on: one off is off, else one unknown is unknown. */
export function allOf(links: readonly (boolean | null | undefined)[]): Tri {
  if (links.includes(false)) return false
  return links.every((link) => link === true) ? true : null
}
