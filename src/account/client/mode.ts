import { ServiceError } from '../../domain/errors.ts'
import { moneyFromYuan } from '../../domain/money.ts'
import { newSimulation } from '../model/simulation.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'
import { connect, releaseTrader } from './link.ts'

/**
 * Orders that are still at the broker could not be followed from a simulation.
 *
 * Errors  throws `CONFLICT`.
 */
export function mustBeFree({ orders, queue }: AccountState): void {
  const open = [...orders.open(), ...queue]
  if (open.length === 0) return
  const text = `simulationMode: 还有 ${open.length} 笔未完成委托，请先撤单 (orders are open; cancel them first)`
  throw new ServiceError('CONFLICT', text)
}

/**
 * After every input: the account is in the mode that its settings name. A simulation begins with
 * the holdings as they are and lets the broker go; its end forgets it and connects again.
 *
 * Source  docs/domain.md 9.3; the same mode again changes nothing.
 */
export function followMode(turn: Turn): void {
  const { state } = turn
  const isWanted = state.settings.ENABLE_SIMULATION_MODE
  if (isWanted === (state.simulation !== undefined)) return
  state.refusals.clear()
  state.dataVersion += 1
  turn.after({ kind: 'bands' })
  if (isWanted) {
    beginAnew(state)
    return releaseTrader(turn)
  }
  state.simulation = undefined
  connect(turn)
}

/** A simulation from the start: the holdings of the account, and the configured cash. */
export function beginAnew(state: AccountState): void {
  const cash = moneyFromYuan(state.policy.simulationBalance)
  state.simulation = newSimulation(state.positions.values(), cash)
}
