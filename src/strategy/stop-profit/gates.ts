import type { VerdictCode } from './verdicts.ts'

/** What must all be true before a stock is judged, in the order in which it is asked. */
export interface Gates {
  /** Trading hours; always true in simulation. */
  readonly isInSession: boolean
  /** The quote may feed signals: the verdict of `mayFeedSignals`. */
  readonly isQuoteTrusted: boolean
  /** Connected to the broker, and its reports are known. */
  readonly isReady: boolean
  /** `ENABLE_AUTO_OPERATION`. */
  readonly isMasterOn: boolean
  /** `ENABLE_DYNAMIC_STOP_PROFIT`. */
  readonly isModuleOn: boolean
  /** `ENABLE_AUTO_TRADING`. */
  readonly isTradingOn: boolean
  /** The switch of the stock; a missing one counts as on. */
  readonly isStockOn: boolean
  /** No tracked order of the stock is unfinished; unknown counts as false. */
  readonly isFreeOfOrders: boolean
}

const IN_ORDER: readonly (readonly [keyof Gates, VerdictCode])[] = [
  ['isInSession', 'outside_session'],
  ['isQuoteTrusted', 'quote_refused'],
  ['isReady', 'not_ready'],
  ['isMasterOn', 'master_off'],
  ['isModuleOn', 'module_off'],
  ['isTradingOn', 'trading_off'],
  ['isStockOn', 'stock_off'],
  ['isFreeOfOrders', 'order_open'],
]

/** The first gate that is closed; undefined = all are open. */
export function closedGate(gates: Gates): VerdictCode | undefined {
  for (const [gate, code] of IN_ORDER) if (!gates[gate]) return code
  return undefined
}
