import { z } from 'zod'
import { accountBlock, orderRow, positionRow, tradeRecord } from './account.ts'
import { money, time, v1Answer } from './envelope.ts'

const epochSeconds = z.number().describe('Unix time, seconds').nullable()

/** The account status object that existing clients read; the availability flags in both spellings. */
const accountStatus = z
  .object({
    account_id: z.string(),
    connected: z.boolean(),
    reconnecting: z.boolean(),
    reconnect_attempts: z.int().describe('cumulative'),
    last_ping_ok_time: epochSeconds,
    connected_at: epochSeconds,
    data_feed_available: z.boolean(),
    trading_available: z.boolean(),
    xtdata_available: z.boolean(),
    xttrader_available: z.boolean(),
    ready: z.boolean(),
  })
  .meta({ id: 'AccountStatus' })

/** Instead of the status of an account that could not answer. */
const accountFault = z.object({
  account_id: z.string(),
  connected: z.boolean(),
  error: z.string(),
  code: z.string(),
})

export const registered = v1Answer(
  z.object({ account_id: z.string(), connected: z.boolean(), message: z.string() }),
)
export const accountList = v1Answer(z.object({ accounts: z.array(z.string()) }))
export const unregistered = v1Answer(z.object({ account_id: z.string() }))
export const restarted = v1Answer(z.object({ account_id: z.string(), message: z.string() }))
export const v1Status = v1Answer(accountStatus)
export const health = v1Answer(
  z.object({
    total: z.int(),
    healthy: z.int(),
    accounts: z
      .record(z.string(), z.union([accountStatus, accountFault]))
      .optional()
      .describe('with a token only'),
  }),
)

const empty = z.null()
const accountKeys = { 账号类型: z.int().describe('1 futures, 2 stock'), 资金账号: z.string() }
const number = z.union([z.int(), z.string()])

export const v1Positions = v1Answer(
  z.object({
    positions: z.array(
      z
        .object({
          ...accountKeys,
          证券代码: z.string(),
          股票余额: z.int(),
          可用余额: z.int(),
          成本价: z.number(),
          参考成本价: z.number(),
          市值: money,
          选择: empty,
          持股天数: empty,
          交易状态: empty,
          明细: empty,
          证券名称: z.string(),
          冻结数量: z.int(),
          市价: empty,
          盈亏: empty,
          '盈亏比(%)': empty,
          当日买入: empty,
          当日卖出: empty,
          ...positionRow.shape,
        })
        .meta({ id: 'ClientPosition' }),
    ),
  }),
)

const asset = z
  .object({
    账号类型: z.int(),
    资金账户: z.string(),
    可用金额: money,
    冻结金额: money,
    持仓市值: money,
    总资产: money,
    account_id: z.string(),
    cash: money,
    frozen_cash: money,
    market_value: money,
    total_asset: money,
  })
  .meta({ id: 'Asset' })
export const v1Asset = v1Answer(
  z.union([asset, z.object({}).describe('the trading client has not reported yet')]),
)

export const v1Orders = v1Answer(
  z.object({
    orders: z.array(
      z
        .object({
          ...accountKeys,
          证券代码: z.string(),
          订单编号: number,
          委托类型: z.int().describe('23 buy, 24 sell'),
          委托数量: z.int(),
          委托价格: z.number(),
          委托状态: z.int(),
          成交数量: z.int(),
          报单时间: z.int().describe('Unix time, seconds'),
          状态描述: z.string(),
          ...orderRow.shape,
        })
        .meta({ id: 'ClientOrder' }),
    ),
  }),
)

export const v1Trades = v1Answer(
  z.object({
    trades: z.array(
      z
        .object({
          ...accountKeys,
          证券代码: z.string(),
          委托类型: z.int(),
          成交编号: z.string(),
          成交数量: z.int(),
          成交价格: z.number(),
          成交金额: money,
          订单编号: number,
          ...tradeRecord.shape,
        })
        .meta({ id: 'ClientTrade' }),
    ),
  }),
)

export const compatibleAccounts = z.object({
  status: z.literal('success'),
  success: z.literal(true),
  data: z.object({ accounts: z.array(z.string()) }),
  timestamp: time,
})

const known = z.boolean().nullable().describe('null = unknown')
const statusFields = z.object({
  isMonitoring: known,
  account: accountBlock,
  settings: z
    .object({
      isMonitoring: known,
      simulationMode: known,
      positionMonitorRunning: known,
      enableAutoTrading: known,
      autoTradingEnabled: known,
      enableGridTrading: known,
      gridTradingEnabled: known,
      allowBuy: known,
      allowSell: known,
    })
    .meta({ id: 'KnownSwitches' }),
})
const noAccount = z
  .object({
    status: z.literal('error'),
    error: z.string(),
    message: z.string(),
    data: z.null(),
    timestamp: time,
  })
  .describe('no account is registered')

/** An answer, or what is answered as long as there is no account at all. */
export const noAccountOr = <T extends z.ZodType>(answer: T) => z.union([answer, noAccount])

export const compatibleStatus = noAccountOr(
  z.object({
    status: z.literal('success'),
    ...statusFields.shape,
    data: z.object({ status: z.literal('success'), ...statusFields.shape }),
    timestamp: time,
  }),
)
