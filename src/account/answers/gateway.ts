import { ACCOUNT_TYPE } from '../../domain/account-type.ts'
import { orderNumber } from '../../domain/ids.ts'
import { shownCode } from '../../domain/instrument.ts'
import { toYuan } from '../../domain/money.ts'
import { ORDER_TYPE, VENUE_STATUS } from '../../domain/order.ts'
import { tradeOf } from '../../domain/trade-record.ts'
import type { AccountState } from '../model/state.ts'
import { assetOf, nameOf } from '../turn/holding.ts'
import { attemptsOf, statusFields, switches } from './direct.ts'
import {
  balance,
  dayDeals,
  dayOrders,
  orderRow,
  type PositionRow,
  recordRow,
  shownStatus,
} from './rows.ts'
import { heldParts, heldRows, seconds, type View, type ViewInputs } from './view.ts'

const success = (data: unknown): object => ({ success: true, data, error: null })
const typeOf = ({ policy }: AccountState) => ACCOUNT_TYPE[policy.accountType]

/** The account status object that existing clients read, both spellings of the two availability flags. */
export function statusObject({ state, isFeedAvailable }: ViewInputs) {
  const { connection, policy } = state
  const isConnected = connection.phase === 'connected'
  return {
    account_id: policy.accountId,
    connected: isConnected,
    reconnecting: connection.isReconnecting,
    reconnect_attempts: connection.attempts,
    last_ping_ok_time: seconds(connection.lastPingOkMs),
    connected_at: seconds(connection.connectedAtMs),
    data_feed_available: isFeedAvailable,
    trading_available: isConnected,
    xtdata_available: isFeedAvailable,
    xttrader_available: isConnected,
    ready: state.isReady,
    simulation_mode: state.simulation !== undefined,
    ...attemptsOf(state),
  }
}

export const v1Status: View = (inputs) => success(statusObject(inputs))

/** Rows carry the column names that existing clients turn into tables, and the names of direct mode. */
export const v1PositionRow =
  (state: AccountState) =>
  (row: PositionRow): Readonly<Record<string, unknown>> => ({
    账号类型: typeOf(state),
    资金账号: state.policy.accountId,
    证券代码: row.stock_code,
    股票余额: row.volume,
    可用余额: row.available,
    成本价: row.cost_price,
    参考成本价: row.base_cost_price,
    市值: row.market_value,
    选择: null,
    持股天数: null,
    交易状态: null,
    明细: null,
    证券名称: row.stock_name,
    冻结数量: row.volume - row.available,
    市价: null,
    盈亏: null,
    '盈亏比(%)': null,
    当日买入: null,
    当日卖出: null,
    ...row,
  })

export const v1Positions: View = (inputs) =>
  success({ positions: heldRows(inputs).map(v1PositionRow(inputs.state)) })

export function* v1PositionsParts(inputs: ViewInputs): Iterable<Uint8Array> {
  yield Buffer.from('{"success":true,"data":{"positions":')
  yield* heldParts(inputs, 'gateway')
  yield Buffer.from('},"error":null}')
}

export const v1Asset: View = (inputs) => {
  const { state } = inputs
  if (assetOf(state) === undefined) return success({}) // the broker has not said yet
  const { available, frozen, marketValue, total } = balance(state, heldRows(inputs))
  return success({
    账号类型: typeOf(state),
    资金账户: state.policy.accountId,
    可用金额: available,
    冻结金额: frozen,
    持仓市值: marketValue,
    总资产: total,
    account_id: state.policy.accountId,
    cash: available,
    frozen_cash: frozen,
    market_value: marketValue,
    total_asset: total,
  })
}

export const v1Orders: View = (inputs) => {
  const { state } = inputs
  const orders = dayOrders(inputs).map((order) => {
    const row = orderRow(order, nameOf(state, order.code))
    return {
      账号类型: typeOf(state),
      资金账号: state.policy.accountId,
      证券代码: shownCode(order.code),
      订单编号: orderNumber(row.order_id),
      委托类型: ORDER_TYPE[order.side],
      委托数量: order.quantity,
      委托价格: row.price,
      委托状态: shownStatus(order),
      成交数量: order.filledQuantity,
      报单时间: Math.floor(order.createdMs / 1000),
      状态描述: row.status_desc === '' ? VENUE_STATUS[row.status] : row.status_desc,
      ...row,
    }
  })
  return success({ orders })
}

export const v1Trades: View = (inputs) => {
  const { state } = inputs
  const trades = dayDeals(inputs).map(({ deal, recordId, strategy }) => ({
    账号类型: typeOf(state),
    资金账号: state.policy.accountId,
    证券代码: shownCode(deal.code),
    委托类型: ORDER_TYPE[deal.side],
    成交编号: deal.dealId,
    成交数量: deal.quantity,
    成交价格: toYuan(deal.price),
    成交金额: toYuan(deal.amount),
    订单编号: orderNumber(deal.orderId),
    ...recordRow(
      tradeOf(deal, { id: recordId, name: nameOf(state, deal.code), strategy }),
      state.fillNotes.get(recordId),
    ),
  }))
  return success({ trades })
}

/** Switches that only the running direct-mode process can vouch for are null; the front asks it. */
export const gatewayStatus: View = (inputs) => ({
  status: 'success',
  ...statusFields(inputs, {
    ...switches(inputs.state),
    isMonitoring: null,
    simulationMode: null,
    positionMonitorRunning: null,
  }),
})
