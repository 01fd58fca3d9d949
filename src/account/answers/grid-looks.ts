import { exchangeTime } from '../../domain/exchange-time.ts'
import { type Money, toYuan } from '../../domain/money.ts'
import { LEVEL_UNITS } from '../../strategy/grid/tracker.ts'
import type { GridLook, GridVerdict } from '../model/grid-finding.ts'
import { refusalText } from './audit-grid.ts'

const WORDS: Readonly<Record<GridVerdict, string>> = {
  grid_paused: '网格已暂停 (the grid is paused)',
  grid_off: '自动操作或自动网格关闭 (a switch is off)',
  grid_not_now: '非交易时间，或行情、交易客户端未就绪 (nothing may be judged now)',
  grid_between_levels: '价格在两档之间 (between the levels)',
  grid_held_back:
    '已过档位，但该档冷却中或投入上限已用完 (beyond a level that cools down, or the quota is used)',
  grid_awaits_callback: '已过档位，等待回调 (beyond a level, waiting for the callback)',
  grid_order_open: '同方向委托在途 (an order of this side is open)',
  grid_refused: '未下单 (no order)',
  grid_order: '发出网格委托 (order sent)',
  grid_exit: '网格结束 (the grid ends)',
}
const EXITS: Readonly<Record<string, string>> = {
  deviation: '偏离超限',
  target_profit: '达到目标收益',
  stop_loss: '达到止损',
  expired: '到期',
  position_cleared: '持仓已清空',
}

/** A look at a grid as `GET /api/decisions` shows it, beside those at exits: money in yuan. */
export function gridLookRow(look: GridLook) {
  const { verdict, reason, position, gates, order } = look
  const because = reason === undefined ? '' : `：${EXITS[reason] ?? refusalText(reason)}`
  const message = `${WORDS[verdict]}${because}`
  const [price, threshold] = [toYuan(look.price), toYuan((look.level / LEVEL_UNITS) as Money)]
  return {
    time: exchangeTime(look.timeMs),
    stock_code: look.code,
    cause: look.cause,
    verdict,
    message,
    steps: [{ code: verdict, price, threshold, message }],
    inputs: {
      price,
      quote_time: exchangeTime(look.quoteMs),
      cost_price: toYuan(position?.costPrice ?? (0 as Money)),
      volume: position?.quantity ?? 0,
      available: position?.sellable ?? 0,
      highest_price: toYuan(position?.highestPrice ?? (0 as Money)),
      profit_triggered: position?.profitTriggered ?? false,
      profit_breakout_triggered: position?.breakoutTriggered ?? false,
      breakout_highest_price: toYuan(position?.breakoutHighestPrice ?? (0 as Money)),
    },
    gates: {
      ENABLE_AUTO_OPERATION: gates.master,
      ENABLE_GRID_TRADING: gates.grids,
      enabled: gates.session,
    },
    order:
      order === undefined
        ? null
        : {
            client_order_id: order.clientOrderId,
            signal_type: 'grid',
            side: order.side,
            volume: order.quantity,
          },
    refusal: verdict === 'grid_refused' ? { code: reason ?? '', message } : null,
  }
}
