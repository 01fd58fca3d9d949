import { feesOf } from '../../../../domain/fees.ts'
import { type Price, type Quantity, round, toYuan } from '../../../../domain/money.ts'
import type { Position } from '../../../../domain/position.ts'
import { cents } from '../../../../domain/risk-finding.ts'
import { type Preview, type PreviewStep, previewOf } from '../../../../strategy/grid/preview.ts'
import { ratioOf } from '../../../../strategy/grid/ratios.ts'
import { type GridParameters, newSession } from '../../../../strategy/grid/session.ts'
import { LEVEL_UNITS, levelsOf } from '../../../../strategy/grid/tracker.ts'
import { freeCash, freeShares } from '../../../orders/available.ts'
import { boardRuleOf } from '../../../orders/quote-rules.ts'
import type { Turn } from '../../../turn/turn.ts'
import { liveSession } from '../lookups.ts'
import { priceOf } from './questions.ts'
import { parametersRow } from './session-rows.ts'

interface Start {
  readonly parameters: GridParameters
  readonly position: Position | undefined
}

/** What a start with these parameters would lead to, with warnings in plain words. */
export function previewAnswer(turn: Turn, start: Start): object {
  const { state, inputs } = turn
  const { parameters } = start
  const { code } = parameters
  const price = priceOf({ state, ...inputs }, code)
  const preview = previewOf(state.policy.grid, parameters, {
    price,
    sellable: freeShares(state, code),
    rule: boardRuleOf(code, state.day),
    fees: (side, amount) => feesOf(state.policy.feeRates, { code, side, day: state.day, amount }),
  })
  const session = newSession(parameters, { id: 0, nowMs: inputs.nowMs, price })
  return {
    stock_code: code,
    market_price: toYuan(price),
    config: { ...parametersRow(session), duration_days: parameters.durationDays },
    levels: {
      lower: toYuan(preview.levels.lower),
      center: toYuan(preview.levels.center),
      upper: toYuan(preview.levels.upper),
    },
    buys: preview.buys.map(stepRow),
    sells: preview.sells.map(stepRow),
    worst_case: {
      price: toYuan(preview.worst.price),
      volume: preview.worst.quantity,
      cost: toYuan(preview.worst.cost),
      loss: toYuan(preview.worst.loss),
      profit_ratio: round(preview.worst.ratio, 6),
    },
    round_trip: {
      volume: preview.roundTrip.quantity,
      gain: toYuan(preview.roundTrip.gain),
      fees: toYuan(preview.roundTrip.fees),
      net: toYuan(preview.roundTrip.net),
      fee_ratio: round(preview.roundTrip.feeRatio, 4),
    },
    warnings: warningsOf(turn, { ...start, preview, price }),
  }
}

const stepRow = ({ step, price, quantity, amount, fees, cash, refused }: PreviewStep) => ({
  step,
  price: toYuan(price),
  volume: quantity,
  amount: toYuan(amount),
  fees: toYuan(fees),
  cash: toYuan(cash),
  ...(refused !== undefined && { refused }),
})

interface Seen extends Start {
  readonly preview: Preview
  readonly price: Price
}

/** Fees that eat more than this part of the gain of one interval are worth a word. */
const FEE_RATIO_HIGH = 0.3

type Warning = readonly [boolean, string]

function warningsOf(turn: Turn, seen: Seen): readonly string[] {
  const all = [...fromAccount(turn, seen), ...fromMarket(turn, seen), ...fromPlan(turn, seen)]
  return all.flatMap(([isTrue, text]) => (isTrue ? [text] : []))
}

function fromAccount({ state }: Turn, { parameters, position }: Seen): readonly Warning[] {
  const { settings } = state
  const { code } = parameters
  const held = position?.quantity ?? (0 as Quantity)
  return [
    [held <= 0, `未持有 ${code}，不能启动 (not held: the start will be refused)`],
    [parameters.centerPrice <= 0, '没有中心价，请给出 center_price (no center price)'],
    [liveSession(state, code) !== undefined, '该股已有网格会话 (a session of this stock runs)'],
    [!settings.ENABLE_AUTO_OPERATION, '自动操作总开关关闭，不会下单 (the master switch is off)'],
    [!settings.ENABLE_GRID_TRADING, '网格总开关关闭，不会下单 (grid trading is switched off)'],
    [!settings.ENABLE_ALLOW_BUY, '未允许买入，只会卖出 (buying is not permitted)'],
    [!settings.ENABLE_ALLOW_SELL, '未允许卖出，只会买入 (selling is not permitted)'],
    [
      held > 0 && freeShares(state, code) <= 0,
      '今日没有可卖数量，首笔卖出要等到可卖之后 (nothing may be sold today)',
    ],
  ]
}

function fromMarket(_turn: Turn, { parameters, price }: Seen): readonly Warning[] {
  const { centerPrice, intervalPpm, maxDeviationPpm } = parameters
  if (price <= 0) return [[true, '没有行情，无法与现价比较 (no quote to compare with)']]
  const { lower, upper } = levelsOf(centerPrice, intervalPpm)
  const at = price * LEVEL_UNITS
  const away = centerPrice > 0 ? Math.abs(price - centerPrice) / centerPrice : 0
  const isOut = away > ratioOf(maxDeviationPpm)
  const [now, nowEn] = [`现价 ${toYuan(price)}`, `price ${toYuan(price)}`]
  return [
    [isOut, `${now} 偏离中心价超过 max_deviation，会立即停止 (${nowEn}: it would end at once)`],
    [!isOut && at > upper, `${now} 已高于上档，回落即卖出 (${nowEn}: a fall will sell at once)`],
    [!isOut && at < lower, `${now} 已低于下档，反弹即买入 (${nowEn}: a rise will buy at once)`],
  ]
}

function fromPlan(turn: Turn, { preview, parameters }: Seen): readonly Warning[] {
  const { buys, roundTrip, worst } = preview
  const bought = buys.filter(({ refused }) => refused === undefined)
  const cash = bought.at(-1)?.cash ?? 0
  const refused = buys.find((step) => step.refused !== undefined)?.refused
  const available = freeCash(turn)
  const stop = ratioOf(parameters.stopLossPpm)
  const feePart = `${round(roundTrip.feeRatio * 100, 1)}%`
  return [
    [bought.length === 0, `投入上限不足一次买入 (${refused ?? '-'}) (no purchase is possible)`],
    [
      bought.length > 0 && refused !== undefined,
      `买入 ${bought.length} 次后额度用完，再跌不再买 (${bought.length} purchases use up the quota before the limit)`,
    ],
    [roundTrip.net <= 0 && bought.length > 0, '一次往返的费用不低于收益 (fees eat the whole gain)'],
    [
      roundTrip.net > 0 && roundTrip.feeRatio > FEE_RATIO_HIGH,
      `费用占每格收益的 ${feePart} (fees take ${feePart} of the gain of a step)`,
    ],
    [
      available !== undefined && available < cash,
      `可用资金 ${cents(available ?? 0)} 元，少于全部买入所需的 ${cents(cash)} 元 (cash of ${cents(available ?? 0)} yuan is less than the ${cents(cash)} that all steps need)`,
    ],
    [
      worst.quantity > 0 && worst.ratio > stop,
      '到达最大偏离时亏损仍小于止损线，止损不会先触发 (the deviation ends it before the stop)',
    ],
  ]
}
