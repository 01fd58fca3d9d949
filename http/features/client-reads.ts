import { z } from 'zod'
import type { Resource } from '../../src/protocol/account.ts'
import { orderRow, positionRow, tradeRecord } from '../answers/account.ts'
import { money, v1Answer } from '../answers/envelope.ts'
import { readWhole } from '../desk/read-model.ts'
import type { RouteDoc } from '../message/routes.ts'
import type { Feature } from './feature.ts'

/** What the broker reports of an account, in its own words beside ours. Gateway only. */
export const clientReads: Feature = (on) => {
  if (on.backend !== 'gateway') return []
  const read = (path: string, resource: Resource, doc: Pick<RouteDoc, 'summary' | 'answer'>) =>
    on.account.ofAccount({
      method: 'GET',
      path,
      scope: 'view',
      isConditional: true,
      ...doc,
      handle: ({ request }, link) => readWhole(on, link, resource, request),
    })
  return [
    read('/positions', 'v1Positions', { summary: '持仓 (positions)', answer: positions }),
    read('/asset', 'v1Asset', { summary: '资金 (asset)', answer: assets }),
    read('/orders', 'v1Orders', { summary: '当日委托 (orders of the day)', answer: orders }),
    read('/trades', 'v1Trades', { summary: '当日成交 (fills of the day)', answer: trades }),
  ]
}

const empty = z.null()
const accountKeys = {
  账号类型: z.int().describe('1 futures, 2 stock, 3 credit'),
  资金账号: z.string(),
}
const number = z.union([z.int(), z.string()])

const positions = v1Answer(
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
const assets = v1Answer(
  z.union([asset, z.object({}).describe('the trading client has not reported yet')]),
)

const orders = v1Answer(
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

const trades = v1Answer(
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
