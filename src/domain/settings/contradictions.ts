import { EXECUTED_LOSS_MIN, stopProfitRows } from './stop-profit.ts'
import type { SettingName } from './table.ts'

/** The exits as they stand together, in decimal ratios. */
export interface ExitSettings {
  readonly stopLossRatio: number
  readonly isBuying: boolean
  /** Price over cost at which more is bought. */
  readonly addLevel: number
  readonly firstProfitRatio: number
  /** Of the file alone. */
  readonly pullbackRatio: number
}

/** What does not do what whoever has set it expects. */
export interface Contradiction {
  /** `中文 (english)`. */
  readonly text: string
  /** Settings that the API changes, any of which may have caused it. */
  readonly settings: readonly SettingName[]
}

/** Of exits that contradict each other, in the words of a start, of `steward check` and of a save while it runs. */
export const contradictionsOf = (exits: ExitSettings): readonly Contradiction[] => [
  ...lateStopLoss(exits),
  ...neverAdds(exits),
  ...lateFirstProfit(exits),
]

const percentOf = (ratio: number): string => `${Number((ratio * 100).toFixed(2))} %`
const NEARLY = 1e-9

function lateStopLoss({ stopLossRatio: ratio }: ExitSettings): Contradiction[] {
  if (Math.abs(ratio) >= EXECUTED_LOSS_MIN) return []
  const text = `strategy.STOP_LOSS_RATIO 是 ${ratio}，而亏损不到 2% 时不会卖出，实际相当于 -${EXECUTED_LOSS_MIN} (strategy.STOP_LOSS_RATIO is ${ratio}, but nothing is sold at a loss below 2 %: it acts like -${EXECUTED_LOSS_MIN})`
  return [{ text, settings: ['STOP_LOSS_RATIO'] }]
}

/** Who sets the fall after which more is bought, as deep as the stop, waits for purchases that never come. */
function neverAdds({ isBuying, addLevel, stopLossRatio }: ExitSettings): Contradiction[] {
  const [fall, loss] = [1 - addLevel, Math.abs(stopLossRatio)]
  const isChosen = addLevel !== stopProfitRows.BUY_GRID_LEVELS.default[1]
  if (!isBuying || !isChosen || fall < loss - NEARLY) return []
  const [deep, at] = [percentOf(fall), percentOf(loss)]
  const text = `strategy.BUY_GRID_LEVELS 要跌 ${deep} 才补仓，而 STOP_LOSS_RATIO 在亏损 ${at} 时已全部卖出，所以从不补仓；请让补仓跌幅小于止损，或关闭 ENABLE_STOP_LOSS_BUY (strategy.BUY_GRID_LEVELS buys more after a fall of ${deep}, but STOP_LOSS_RATIO has sold all at a loss of ${at}: nothing is ever bought; make the fall smaller than the loss, or turn ENABLE_STOP_LOSS_BUY off)`
  return [{ text, settings: ['BUY_GRID_LEVEL_1', 'STOP_LOSS_RATIO', 'ENABLE_STOP_LOSS_BUY'] }]
}

/** A first take-profit is sent only above the cost: with so deep a pullback its breakout comes to nothing at first. */
function lateFirstProfit({ firstProfitRatio: gain, pullbackRatio }: ExitSettings): Contradiction[] {
  if ((1 + gain) * (1 - pullbackRatio) > 1) return []
  const [least, fall, armed] = [1 / (1 - pullbackRatio) - 1, pullbackRatio, gain].map(percentOf)
  const text = `strategy.INITIAL_TAKE_PROFIT_PULLBACK_RATIO 是 ${fall}：盈利 ${armed} 时就开始等回落，但最高盈利超过 ${least} 之前回落后已不盈利，不会卖出；请调小它，或调大 INITIAL_TAKE_PROFIT_RATIO (strategy.INITIAL_TAKE_PROFIT_PULLBACK_RATIO is ${fall}: the fall is waited for from a profit of ${armed} on, but until the highest profit exceeds ${least} there is none left after it, and nothing is sold; make it smaller, or INITIAL_TAKE_PROFIT_RATIO larger)`
  return [{ text, settings: ['INITIAL_TAKE_PROFIT_RATIO'] }]
}
