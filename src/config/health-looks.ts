import { round } from '../domain/money.ts'
import type { Text } from '../domain/settings/row.ts'
import type { Problem } from './problems.ts'
import type { Config } from './schema.ts'

type Strategy = Config['strategy']

/** Looks at quotes within a window, of which so many open the gate of the stops. */
interface Looks {
  readonly least: number
  readonly everyS: number
  readonly windowS: number
}

/** Undefined where quotes feed stops however often they were looked at. */
function looksOf(strategy: Strategy | undefined): Looks | undefined {
  if (strategy?.MARKET_HEALTH_ENABLED !== true || strategy.MARKET_HEALTH_OBSERVE_ONLY) return
  return {
    least: strategy.MARKET_HEALTH_MIN_EVENTS,
    everyS: strategy.MONITOR_LOOP_INTERVAL,
    windowS: strategy.MARKET_HEALTH_WINDOW_SECONDS,
  }
}

const looksText = ({ least, everyS, windowS }: Looks): Text => [
  `${windowS} 秒内看不满 ${least} 次行情（MARKET_HEALTH_MIN_EVENTS），每 ${everyS} 秒才看一次（MONITOR_LOOP_INTERVAL）`,
  `${windowS} s do not hold ${least} looks (MARKET_HEALTH_MIN_EVENTS), one every ${everyS} s (MONITOR_LOOP_INTERVAL)`,
]

/** The first and the last of them lie so far apart: where that is the window, they are in it for a moment that nobody meets. */
const spanS = ({ least, everyS }: Looks): number => (least - 1) * everyS

/** The gate of the stops would never open. */
export function healthProblems(strategy: Strategy | undefined): Problem[] {
  const looks = looksOf(strategy)
  if (looks === undefined || spanS(looks) < looks.windowS) return []
  const [zh, en] = looksText(looks)
  const enoughS = looks.least * looks.everyS
  const message = `${zh}，止盈止损与网格会永远没有行情可用，请至少设为 ${enoughS} (${en}, so quotes would feed no stop and no grid; make it at least ${enoughS})`
  return [{ path: ['strategy', 'MARKET_HEALTH_WINDOW_SECONDS'], message }]
}

/** Behind each look the gate of the stops is open for a while, and closed until the next one. */
export function healthWarnings(strategy: Strategy): string[] {
  const looks = looksOf(strategy)
  if (looks === undefined || spanS(looks) >= looks.windowS) return []
  const { least, everyS, windowS } = looks
  if (least * everyS <= windowS) return []
  const [zh, en] = looksText(looks)
  const [waitS, enoughS] = [round(least * everyS - windowS, 3), least * everyS]
  return [
    `strategy.MARKET_HEALTH_WINDOW_SECONDS：${zh}，止盈止损与网格有时要再等最多 ${waitS} 秒，请至少设为 ${enoughS} (strategy.MARKET_HEALTH_WINDOW_SECONDS: ${en} at every moment: stops and grids wait up to ${waitS} s for the next one; make it at least ${enoughS})`,
  ]
}
