import type { KillSwitchAnswer } from '../shared/wire.ts'

export type Trigger = KillSwitchAnswer['triggers'][number]

/** Where a trigger stands. */
export interface Stand {
  /** How much of what it watches there is, never less than none; null = nobody knows. */
  readonly actual: number | null
  /** From here on it acts. */
  readonly at: number
  /** Yuan that the day has gained instead. */
  readonly gain: number
  /** It has acted today, and a person has lowered the level since: it acts once more, at another figure. */
  readonly isAgain: boolean
  /** Of the way there, percent. */
  readonly share: number
}

/** Only a loss is told with a sign, and a gain is none; a clock that is behind is as wrong as one that is ahead. Pure. */
export function standOf({ unit, actual, limit, next_at: next }: Trigger): Stand {
  const isAgain = limit > 0 && typeof next === 'number' && next > limit
  const at = isAgain ? next : limit
  const gain = unit === 'yuan' ? Math.max(0, -(actual ?? 0)) : 0
  const much = actual === null ? null : gain > 0 ? 0 : Math.abs(actual)
  const share = at > 0 ? Math.min(100, ((much ?? 0) / at) * 100) : 0
  return { actual: much, at, gain, isAgain, share }
}
