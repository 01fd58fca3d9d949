import type { z } from 'zod'
import { csvOf } from '../../src/domain/csv.ts'
import type { statementFields } from '../answers/earnings.ts'
import type { Reply } from '../message/reply.ts'

type Statement = z.output<typeof statementFields>

const HEAD = [
  '时间',
  '代码',
  '名称',
  '数量',
  '成交价',
  '成交金额',
  '费用',
  '成本',
  '已实现盈亏',
  '成本来源',
  '策略',
  '委托编号',
  '成交编号',
]
const COST_FROM = { deals: '成交', client: '券商' } as const

/** The sales of a month as a table for a spreadsheet, with their sums: UTF-8 with a mark. */
export function statementCsv(month: string, { sales, total, is_simulated }: Statement): Reply {
  const rows = sales.map((sale) => [
    sale.time,
    sale.stock_code,
    sale.stock_name,
    sale.volume,
    sale.price,
    sale.amount,
    sale.fee,
    sale.cost,
    sale.realized,
    sale.cost_from === null ? null : COST_FROM[sale.cost_from],
    sale.strategy_label,
    sale.order_id,
    sale.trade_id,
  ])
  const { amount, fees, realized } = total
  const isWhole = sales.every((sale) => sale.amount !== null)
  const name = is_simulated ? '合计（模拟）' : '合计'
  const sums = [name, '', '', '', '', isWhole ? amount : null, fees, '', realized, '', '', '', '']
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="statement-${month}.csv"`,
    },
    body: csvOf([HEAD, ...rows, sums]),
  }
}
