import type { ErrorCode } from '../../domain/errors.ts'
import type { Price, Quantity } from '../../domain/money.ts'
import { type OrderRecord, PRICE_TYPE } from '../../domain/order.ts'
import { judge } from '../../domain/risk.ts'
import { leavesOf } from '../model/order-book.ts'
import type { Turn } from '../turn/turn.ts'
import { riskInput } from './approval.ts'

/** Refusals of what protects that may last for hours; none of them looks at its price. */
const LASTING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'KILL_SWITCH',
  'SELL_NOT_ALLOWED',
  'DISK_FULL',
  'PROTECTIVE_COUNT',
  'OVERLOADED',
])

/** Whether a rule would keep back the sale that takes the place of one: nothing would protect until it may leave. */
export function isRestRefused(turn: Turn, order: OrderRecord): boolean {
  const { code, side, signalType } = order
  if (side === 'buy') return false
  const quantity = leavesOf(order) as Quantity
  const terms = { priceType: PRICE_TYPE.latest, price: 0 as Price } as const
  const findings = judge(riskInput(turn, { code, side, signalType, quantity, ...terms }, true))
  return findings.some(({ status, code: rule }) => status === 'refused' && LASTING.has(rule))
}

/**
 * Whether a sale of a signal would be canceled for its age and nothing sent instead: the strategies are switched off, as
 * after every start of an account at a real client, or stopped, or a rule keeps the other one back.
 */
export function isNothingInstead(turn: Turn, order: OrderRecord): boolean {
  const { isReorderWanted, signalType, side } = order
  if (isReorderWanted !== true || signalType === undefined || side === 'buy') return false
  const { state, inputs } = turn
  const isAway = inputs.isSuspended === true || !state.settings.ENABLE_AUTO_OPERATION
  return isAway || isRestRefused(turn, order)
}
