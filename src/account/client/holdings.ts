import type { Price } from '../../domain/money.ts'
import { isOldScale } from '../orders/ex-day.ts'
import { dayHighOf, displayedStop, highBeforeOf } from '../orders/quote-rules.ts'
import { changeHolding, positionsOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'

/**
 * Sets the high of every holding to the highest of what is stored, the high of the day where it was held all day, and
 * the price now, and the protective price with it. A holding without a quote counts as an error.
 *
 * Source  docs/domain.md 4.3.
 */
export function initializePositions(turn: Turn, source: string): object {
  const { state } = turn
  let updatedCount = 0
  let errorCount = 0
  for (const position of [...positionsOf(state).values()]) {
    const quote = turn.inputs.quote(position.code)
    if (quote === undefined || quote.lastPrice <= 0 || isOldScale(position, quote)) {
      errorCount += 1
      continue
    }
    const highestPrice = Math.max(
      position.highestPrice,
      dayHighOf(position, quote),
      highBeforeOf(position, quote),
      quote.lastPrice,
    ) as Price
    const stopLossPrice = displayedStop(state, { ...position, highestPrice })
    const fields = { highestPrice, stopLossPrice, actedTickMs: quote.timeMs }
    changeHolding(turn, position.code, fields, source)
    updatedCount += 1
  }
  state.dataVersion += 1
  turn.after({ kind: 'bands' })
  const unpriced = errorCount > 0 ? `，${errorCount} 只无行情 (${errorCount} without a price)` : ''
  const message = `已初始化 ${updatedCount} 只持仓 (${updatedCount} holdings initialized)${unpriced}`
  return { success: errorCount === 0, message, updatedCount, errorCount }
}
