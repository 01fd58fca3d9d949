import type { GridNext, GridSessionRow, PositionRow } from './wire.ts'

/** What somebody has to look at; all else is as it was chosen, or passes by itself. */
const LOUD: ReadonlySet<string> = new Set([
  'suspended',
  'disk_space',
  'disk_late',
  'restore',
  'kill_switch',
  'not_ready',
  'refused',
  'protective_limit',
  'no_cost',
  'ex_day_unknown',
])
const isAnyLoud = (reasons: readonly string[] = []): boolean =>
  reasons.some((reason) => LOUD.has(reason))

/** Whether the line tells of something that keeps the holding from being protected and does not pass by itself. */
export const isWhyLoud = ({ why }: Partial<PositionRow>): boolean =>
  why?.order?.in_doubt === true || isAnyLoud(why?.reasons)

/** Whether a grid that is meant to trade is kept from it by what somebody has to look at. */
export const isGridLoud = ({
  why,
}: {
  readonly why?: GridSessionRow['why'] | undefined
}): boolean => isAnyLoud(why?.reasons)

/** How far away the price is that a grid waits for next on a side, in percent; undefined where either is not known. */
export function distanceTo({ price: target }: GridNext, now: number | undefined) {
  if (target === null || now === undefined || !(now > 0)) return undefined
  return (target / now - 1) * 100
}
