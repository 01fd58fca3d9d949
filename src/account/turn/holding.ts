import { bareCode, type StockCode } from '../../domain/instrument.ts'
import type { Money } from '../../domain/money.ts'
import type { BrokerAsset } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import { seenName } from '../../domain/stock-filter.ts'
import type { HoldingFields } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from './turn.ts'

/** What is held, as everybody who looks at holdings sees it. */
export const positionsOf = (state: AccountState): ReadonlyMap<StockCode, Position> =>
  state.simulation?.positions ?? state.positions

/**
 * What a stock is called: by the broker, else by the market data; its digits while nobody says. A client that shows
 * the code in the place of the name has said nothing.
 */
export function nameOf(state: AccountState, code: StockCode): string {
  const name = positionsOf(state).get(code)?.name ?? ''
  const digits = bareCode(code)
  return name === '' || name === digits || name === code ? (state.names.get(code) ?? digits) : name
}

/** A stock that is sold completely is still called as it was, where nobody has said otherwise. */
export function rememberName(state: AccountState, code: StockCode): void {
  const name = nameOf(state, code)
  if (name !== bareCode(code) && !state.names.has(code)) state.names.set(code, name)
}

/** What the market data call stocks, from now on. */
export function learnNames(state: AccountState, names: Readonly<Record<string, string>>): void {
  for (const [code, name] of Object.entries(names)) {
    const seen = seenName(name)
    if (seen !== '') state.names.set(code as StockCode, seen)
  }
  state.dataVersion += 1
}

/** Cash as everybody who looks at it sees it; undefined before the broker has said. */
export const assetOf = ({
  simulation,
  asset,
}: AccountState): Pick<BrokerAsset, 'available' | 'frozen'> | undefined =>
  simulation === undefined ? asset : { available: simulation.cash, frozen: 0 as Money }

/**
 * Changes what this service remembers about a holding. In simulation mode that of the simulated
 * one; only the switch of a stock is the same in both modes. The journal tells of it also when the
 * simulation alone holds the stock: somebody turned it, and the strategies judge the stock again.
 */
export function changeHolding(
  turn: Turn,
  code: StockCode,
  fields: HoldingFields,
  source: string,
): void {
  const { state } = turn
  const isHeld = positionsOf(state).has(code)
  const simulated = state.simulation?.positions.get(code)
  if (simulated !== undefined) {
    const updatedMs = turn.inputs.nowMs
    state.simulation?.positions.set(code, { ...simulated, ...fields, updatedMs })
  }
  const { stopProfitEnabled } = fields
  const shared = stopProfitEnabled === undefined ? undefined : { stopProfitEnabled }
  const durable = state.simulation === undefined ? fields : shared
  if (durable !== undefined && isHeld) {
    turn.emit({ kind: 'holdingChanged', code, fields: durable, source })
  }
  state.dataVersion += 1
}

/** The same for the real holding alone, while a simulation shows another one. */
export function changeReal(
  turn: Turn,
  code: StockCode,
  fields: HoldingFields,
  source: string,
): void {
  turn.emit({ kind: 'holdingChanged', code, fields, source })
  turn.state.dataVersion += 1
}
