import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import { moneyFromYuan } from '../../../src/domain/money.ts'
import type { Gates } from '../../../src/strategy/stop-profit/gates.ts'
import {
  evaluateStopProfit,
  type Judgment,
  type StopProfitInput,
  type StopProfitState,
} from '../../../src/strategy/stop-profit/stop-profit.ts'
import type { PassPolicy } from '../../../src/strategy/stop-profit/stop-profit-pass.ts'

export const BANK = '600036.SH' as StockCode
export const NOW_MS = Date.parse('2026-08-11T02:00:00Z')
export const price = (yuan: number) => Math.round(yuan * 10_000) as Price
export const shares = (count: number) => count as Quantity

/** All constants at their defaults. */
export const policy: PassPolicy = {
  stopLossRatio: -0.075,
  tiers: [
    { level: 0.05, coefficient: 0.96 },
    { level: 0.1, coefficient: 0.93 },
    { level: 0.15, coefficient: 0.9 },
    { level: 0.2, coefficient: 0.87 },
    { level: 0.3, coefficient: 0.85 },
    { level: 0.4, coefficient: 0.83 },
    { level: 0.5, coefficient: 0.8 },
  ],
  breakoutRatio: 0.06,
  pullbackRatio: 0.005,
  sellRatio: 0.6,
  signalAgeMaxMs: 120_000,
  isFullExitBesideOrders: false,
  isKeptAlive: true,
  keepAliveMs: 90_000,
  validMs: 300_000,
  triesMax: 3,
  isAddOn: true,
  addLevel: 0.93,
  addAmount: moneyFromYuan(35_000),
  positionValueMax: moneyFromYuan(70_000),
  addCooldownMs: 120_000,
}

export const OPEN: Gates = {
  isInSession: true,
  isQuoteTrusted: true,
  isReady: true,
  isMasterOn: true,
  isModuleOn: true,
  isTradingOn: true,
  isStockOn: true,
  isFreeOfOrders: true,
}

export const fresh: StopProfitState = {
  highestPrice: price(10),
  profitTriggered: false,
  breakoutTriggered: false,
  breakoutHighestPrice: price(0),
}
/** After a first take-profit, with this high. */
export const taken = (high: number): StopProfitState => ({
  ...fresh,
  highestPrice: price(high),
  profitTriggered: true,
})
/** Armed, with this high since the breakout. */
export const armed = (high: number): StopProfitState => ({
  ...fresh,
  highestPrice: price(high),
  breakoutTriggered: true,
  breakoutHighestPrice: price(high),
})

/** 1,000 shares at a cost of 10 yuan, every gate open. */
export const at = (yuan: number, other: Partial<StopProfitInput> = {}): StopProfitInput => ({
  price: price(yuan),
  dayHigh: price(0),
  costPrice: price(10),
  quantity: shares(1_000),
  sellable: shares(1_000),
  gates: OPEN,
  exitsBeside: new Set(),
  ...other,
})

/** One tick after the other; what was judged at each. */
export function play(
  from: StopProfitState,
  prices: readonly number[],
  other: Partial<StopProfitInput> = {},
): { readonly state: StopProfitState; readonly judged: readonly Judgment[] } {
  let state = from
  const judged = prices.map((yuan) => {
    const [next, judgment] = evaluateStopProfit(policy, state, at(yuan, other))
    state = next
    return judgment
  })
  return { state, judged }
}

export const codes = (judged: readonly Judgment[]) => judged.map(({ code }) => code).join(' ')
