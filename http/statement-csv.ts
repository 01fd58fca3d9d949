import type { z } from 'zod'
import type { statementFields } from './answers/earnings.ts'
import type { Reply } from './reply.ts'

type Statement = z.output<typeof statementFields>

/** A byte order mark: without it the usual spreadsheet takes the file for another encoding. */
const MARK = '\uFEFF'
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

/** What is not known, as everywhere. */
const UNKNOWN = '--'

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
  const lines = [HEAD, ...rows, sums].map((row) => row.map(cell).join(','))
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="statement-${month}.csv"`,
    },
    body: `${MARK}${lines.join('\r\n')}\r\n`,
  }
}

/** What a spreadsheet would take for a formula is defused, and numbers that are names stay text. */
function cell(value: string | number | null): string {
  if (value === null) return UNKNOWN
  if (typeof value === 'number') return String(value)
  if (/^\d+$/.test(value)) return `"=""${value}"""`
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
