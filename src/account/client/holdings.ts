import type { StockCode } from '../../domain/instrument.ts'
import type { Price } from '../../domain/money.ts'
import type { Position } from '../../domain/position.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import { displayedStop, markPrice } from '../orders/quote-rules.ts'
import type { Turn } from '../turn.ts'

/** A new high of a holding, with the protective price that follows from it. */
export function raiseHigh(turn: Turn, code: StockCode, quote: Quote): void {
  const position = turn.state.positions.get(code)
  if (position === undefined || quote.lastPrice <= 0) return
  // After a restart a replay may repeat ticks; what has been acted upon is not acted upon again.
  if (quote.timeMs <= position.actedTickMs || quote.lastPrice <= position.highestPrice) return
  const highestPrice = quote.lastPrice
  const stopLossPrice = displayedStop(turn.state, { ...position, highestPrice })
  const fields = { highestPrice, stopLossPrice, actedTickMs: quote.timeMs }
  turn.emit({ kind: 'holdingChanged', code, fields, source: 'market' })
  turn.state.dataVersion += 1
}

/** Watched codes that left their band. */
export function onQuotes(turn: Turn, crossed: readonly StockCode[]): void {
  for (const code of crossed) {
    const quote = turn.inputs.quote(code)
    if (quote !== undefined) raiseHigh(turn, code, quote)
  }
  turn.after({ kind: 'bands' })
}

/**
 * Prices between which nothing happens for a holding: up to the highest so far, and down to the
 * given part of its present price (`lossFloor`; 0 = all the way).
 */
export function bandOf(
  position: Position,
  { floor, quote }: { readonly floor: number; readonly quote: Quote | undefined },
): { readonly low: number; readonly high: number } {
  const low = floor > 0 ? Math.floor(markPrice(position, quote) * floor) + 1 : 0
  return { low, high: position.highestPrice }
}

interface Initialized {
  readonly success: boolean
  readonly message: string
  readonly updatedCount: number
  readonly errorCount: number
}

/**
 * Sets the high of every holding to the highest of what is stored, today's high and the price now,
 * and the protective price with it. A holding without a quote counts as an error.
 *
 * Source  domain facts 1.5, 3.3.
 */
export function initializePositions(turn: Turn, source: string): Initialized {
  const { state } = turn
  let updatedCount = 0
  let errorCount = 0
  for (const position of [...state.positions.values()]) {
    const quote = turn.inputs.quote(position.code)
    if (quote === undefined || quote.lastPrice <= 0) {
      errorCount += 1
      continue
    }
    const highestPrice = Math.max(position.highestPrice, quote.high, quote.lastPrice) as Price
    const stopLossPrice = displayedStop(state, { ...position, highestPrice })
    const fields = { highestPrice, stopLossPrice, actedTickMs: quote.timeMs }
    turn.emit({ kind: 'holdingChanged', code: position.code, fields, source })
    updatedCount += 1
  }
  state.dataVersion += 1
  turn.after({ kind: 'bands' })
  const message = `已初始化 ${updatedCount} 只持仓${errorCount > 0 ? `，${errorCount} 只无行情` : ''}`
  return { success: errorCount === 0, message, updatedCount, errorCount }
}
