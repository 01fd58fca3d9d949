import type { OrderRecord, SignalType } from './order.ts'

/** Signals that sell a holding to protect it: at a loss that is large enough, or part or all of a gain. */
const PROTECTIVE: ReadonlySet<SignalType> = new Set<SignalType>([
  'stop_loss',
  'take_profit_half',
  'take_profit_full',
])

/** Signals that sell all that may be sold: what an order in doubt may have taken is not among it. */
export const FULL_EXITS = ['stop_loss', 'take_profit_full'] as const satisfies readonly SignalType[]
export type FullExit = (typeof FULL_EXITS)[number]

export const isFullExit = (signalType: SignalType | undefined): signalType is FullExit =>
  FULL_EXITS.some((exit) => exit === signalType)

/** Names under which the broker has them; all that is left of an order that the books have lost. */
const NAMES: ReadonlySet<string> = new Set([
  'stop_loss',
  'auto_partial',
  'auto_full',
  'reorder_stop_loss',
  'reorder_take_profit_half',
  'reorder_take_profit_full',
])

interface Wish extends Pick<OrderRecord, 'side'> {
  readonly signalType?: SignalType | undefined
}
type Known = Wish & Pick<OrderRecord, 'isRecovered' | 'strategy'>

/** Whether a signal wants it that protects a holding. Such sales have a limit of their own. */
export const isProtectiveWish = ({ side, signalType }: Wish): boolean =>
  side === 'sell' && signalType !== undefined && PROTECTIVE.has(signalType)

/** The same of an order, also of one that was taken back from the broker's list by its name alone. */
export const isProtective = ({ isRecovered, strategy, ...order }: Known): boolean =>
  isProtectiveWish(order) || (isRecovered === true && order.side === 'sell' && NAMES.has(strategy))
