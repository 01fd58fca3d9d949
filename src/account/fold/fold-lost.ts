import type { Quantity } from '../../domain/money.ts'
import type { BrokerDeal } from '../../domain/order.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent } from '../model/events.ts'
import type { AccountState, LostHolding } from '../model/state.ts'

type Fold<K extends AccountEvent['kind']> = Extract<AccountEvent, { kind: K }>

/** Holdings that lists have lacked until they counted as closed, as the one row `meta/lost`; none: no row. */
export const lostRow = ({ lost }: AccountState): readonly LostHolding[] | undefined =>
  lost.size > 0 ? [...lost.values()] : undefined

/** More are not shown again: the oldest go first. */
const LOST_MAX = 100

const LOST: readonly DirtyRow[] = [{ table: 'meta', key: 'lost' }]

/** A holding is gone; one that lists have only lacked is remembered. */
export function closeHolding(
  state: AccountState,
  { code, left }: Fold<'positionClosed'>,
  timeMs: number,
): readonly DirtyRow[] {
  const { positions, lost } = state
  const held = positions.get(code)
  positions.delete(code)
  const closed: DirtyRow = { table: 'positions', key: code }
  if (held === undefined || left === undefined) return [closed, ...foundHolding(state, code)]
  lost.delete(code)
  const [oldest] = lost.keys()
  if (lost.size >= LOST_MAX && oldest !== undefined) lost.delete(oldest)
  // What may be sold is nobody's to remember.
  const remembered = { ...held, sellable: 0 as Quantity }
  lost.set(code, { held: remembered, left, sold: 0, bought: 0, sinceMs: timeMs })
  return [closed, ...LOST]
}

/** It is shown again, or was sold after all. */
export function foundHolding({ lost }: AccountState, code: string): readonly DirtyRow[] {
  return lost.delete(code as LostHolding['held']['code']) ? LOST : []
}

/** A deal that is told while lists lack its holding. */
export function dealOfLost(
  { lost }: AccountState,
  { code, side, quantity }: BrokerDeal,
): readonly DirtyRow[] {
  const before = lost.get(code)
  if (before === undefined) return []
  const moved =
    side === 'buy'
      ? { ...before, bought: before.bought + quantity }
      : { ...before, sold: before.sold + quantity }
  lost.set(code, moved)
  return LOST
}

/** What a fill has led to counts for what is left of a holding that lists lack, too. */
export function changeLost(
  { lost }: AccountState,
  { code, fields }: Fold<'holdingChanged'>,
): readonly DirtyRow[] {
  const before = lost.get(code)
  if (before === undefined) return []
  lost.set(code, { ...before, held: { ...before.held, ...fields } })
  return LOST
}
