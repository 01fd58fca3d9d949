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
  const text = `simulationMode: 还有 ${open.length} 笔未完成委托，请先撤单 (open orders: ${open.length}; cancel them first)`
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

const HOW_TO_TRADE =
  '委托只在本地模拟，不发往券商；要发出委托，请在操作台关闭“模拟模式”，或在配置中写 strategy.ENABLE_SIMULATION_MODE: false 并重启'
const HOW_TO_TRADE_IN_ENGLISH =
  'no order leaves; to trade, switch it off in the console, or set strategy.ENABLE_SIMULATION_MODE to false and restart'

/** Whatever was chosen while it ran is forgotten with every start, also of the account's thread alone. */
export function tellMode(turn: Turn, incarnation: number): void {
  if (turn.state.simulation === undefined) return
  const isRestarted = incarnation > 1
  turn.warn(
    `${isRestarted ? '账户线程已重新启动，现为模拟模式' : '模拟模式'}：${HOW_TO_TRADE} (${isRestarted ? 'the thread of the account was restarted: ' : ''}simulation mode: ${HOW_TO_TRADE_IN_ENGLISH})`,
  )
}

/** A simulation from the start: the holdings of the account, and the configured cash. */
export function beginAnew(state: AccountState): void {
  const cash = moneyFromYuan(state.policy.simulationBalance)
  state.simulation = newSimulation(state.positions.values(), cash)
}
