/** Total assets at a moment, by the clock of the service: that of this computer may be wrong, and a recording has days of its own. */
export interface EquityPoint {
  readonly atMs: number
  readonly total: number
}

const POINTS_MAX = 3_600

/** Puts a point behind the others: the newest of its moment, and the first where the clock was put back. */
export function plotPoint(points: EquityPoint[], point: EquityPoint): void {
  const lastMs = points.at(-1)?.atMs ?? 0
  if (point.atMs < lastMs) points.splice(0)
  if (point.atMs === lastMs) points.pop()
  points.push(point)
  if (points.length > POINTS_MAX) points.shift()
}
