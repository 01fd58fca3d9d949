import { type StockCode, shownCode } from '../../../domain/instrument.ts'
import { toYuan } from '../../../domain/money.ts'
import type { AccountRequest, StopProfitRow } from '../../../protocol/account.ts'
import type { GatewayRatios } from '../../model/events.ts'
import type { AccountState } from '../../model/state.ts'
import { followParameters } from '../../orders/shown-stops.ts'
import { positionsOf } from '../../turn/holding.ts'
import type { Sight, Turn } from '../../turn/turn.ts'
import { memoryOf } from './memory.ts'

type SetModule = Extract<AccountRequest, { kind: 'gatewayStopProfit' }>

/** The gateway wants its own stop-profit, or not any more. It says so again and again while it does. */
export function setGatewayModule(turn: Turn, { module, source }: SetModule, ref: number): void {
  const memory = memoryOf(turn.state)
  const { isEnabled, heldMs, ...ratios } = module
  const before = memory.gateway?.ratios
  const untilWallMs = turn.inputs.wallMs + heldMs
  memory.gateway = isEnabled ? { ratios, untilWallMs } : undefined
  if (!isSame(before, memory.gateway?.ratios)) {
    turn.emit({ kind: 'gatewayModuleSet', isEnabled, ratios, source })
  }
  turn.reply(ref, { isEnabled })
}

const isSame = (one: GatewayRatios | undefined, other: GatewayRatios | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** A gateway that is gone wants nothing. */
export function forgetSilentGateway({ state, inputs }: Turn): void {
  const memory = memoryOf(state)
  const { gateway } = memory
  if (gateway !== undefined && gateway.untilWallMs <= inputs.wallMs) memory.gateway = undefined
}

/** The stops that are shown are those of whoever sells: of the gateway while it acts, else of the account. */
export function followGateway(turn: Turn): void {
  const { state } = turn
  const ratio = actingRatios(state)?.stopLossRatio
  if (ratio === state.actingStopRatio) return
  state.actingStopRatio = ratio
  followParameters(turn, SOURCE)
}
const SOURCE = 'gateway_stop_profit'

/** The strategy of the account itself is switched on: then nobody else sells for it. */
const isOwnOn = ({ settings, policy }: AccountState): boolean =>
  policy.isStopProfitModuleOn && settings.ENABLE_AUTO_TRADING

/** The ratios of the gateway, while it acts for this account. */
export const actingRatios = (state: AccountState): GatewayRatios | undefined =>
  isOwnOn(state) ? undefined : memoryOf(state).gateway?.ratios

/** Whether the strategy may act for a stock: its module, the two switches above it, and the stock's own. */
export function areSwitchesOn(state: AccountState, code: StockCode): boolean {
  const isActing = isOwnOn(state) || actingRatios(state) !== undefined
  const isStockOn = positionsOf(state).get(code)?.stopProfitEnabled ?? true
  return state.settings.ENABLE_AUTO_OPERATION && isActing && isStockOn
}

/** What is remembered of each holding, under the names of the gateway's status (docs/domain.md 9.4). */
export function stopProfitRows(
  state: AccountState,
  { quote }: Sight,
): { readonly rows: readonly StopProfitRow[] } {
  const rows = [...positionsOf(state).values()].map((position) => ({
    stock_code: shownCode(position.code),
    highest_price: toYuan(position.highestPrice),
    profit_triggered: position.profitTriggered,
    profit_breakout_triggered: position.breakoutTriggered,
    breakout_highest_price: toYuan(position.breakoutHighestPrice),
    last_price: toYuan(quote(position.code)?.lastPrice ?? position.costPrice),
  }))
  return { rows }
}
