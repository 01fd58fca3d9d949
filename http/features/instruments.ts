import { z } from 'zod'
import { BOARDS } from '../../src/domain/data/board-rules.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { exchangeOf, type StockCode } from '../../src/domain/instrument.ts'
import { type Price, toYuan } from '../../src/domain/money.ts'
import { boardOf, isUnderRiskWarning, rulesFor, tickSizeOf } from '../../src/domain/rules.ts'
import { within } from '../desk/context.ts'
import { wholeNumber } from '../message/whole-number.ts'
import type { FoundStock } from '../port/service.ts'
import type { Feature } from './feature.ts'

const TEXT_CHARS_MAX = 32
const LIMIT_DEFAULT = 10

const row = z
  .object({
    stock_code: z.string(),
    stock_name: z.string().nullable().describe('null = nobody has told it'),
    market: z.enum(['SH', 'SZ', 'BJ']),
    board: z.enum(BOARDS).nullable().describe('null = not traded here'),
    lot_min: z.int().nullable().describe('fewest shares of a purchase'),
    lot_step: z.int().nullable(),
    tick_size: z.number().describe('finest step of a price, yuan'),
    is_st: z.boolean().describe('under risk warning, by its name'),
    is_held: z.boolean(),
  })
  .meta({ id: 'Instrument' })

const found = z.object({
  instruments: z.array(row).describe('best first'),
  source: z.enum(['market', 'shipped']).describe('shipped: the market has told no list'),
  day: z.string().nullable().describe('exchange day of the list, YYYY-MM-DD; null = shipped'),
})

/** Stocks by code, name, initials or spelling: for whoever fills in an order. */
export const instruments: Feature = ({ account, clock, limits, service }) => [
  account.ofAccount({
    method: 'GET',
    path: '/instruments',
    scope: 'view',
    summary: '证券检索：代码、名称、拼音首字母、全拼 (find a stock by code, name or pinyin)',
    answer: account.envelope.answer(found),
    query: z.object({
      q: z
        .string()
        .min(1)
        .max(TEXT_CHARS_MAX)
        .describe('code, name, initials (zsyh) or spelling (zhaoshang), or a part of it'),
      limit: wholeNumber(1, limits.instrumentsFoundMax).optional(),
    }),
    handle: async ({ request, query: { q: text, limit = LIMIT_DEFAULT } }, link) => {
      const options = within(limits.readTimeoutMs, request)
      const query = { text, limit: Math.min(limit, limits.instrumentsFoundMax) }
      const { stocks, day } = await service.stocks.find(link, query, options)
      const today = exchangeDay(clock.nowMs())
      return account.envelope.reply({
        instruments: stocks.map((stock) => rowOf(stock, today)),
        source: day === null ? 'shipped' : 'market',
        day,
      })
    },
  }),
]

/** Board, lots and steps by the rules that an order is judged by. */
function rowOf({ code: text, name, isHeld }: FoundStock, today: string): z.infer<typeof row> {
  const code = text as StockCode
  const rule = rulesFor(code, today)
  return {
    stock_code: code,
    stock_name: name === '' ? null : name,
    market: exchangeOf(code),
    board: boardOf(code) ?? null,
    lot_min: rule?.lotMin ?? null,
    lot_step: rule?.lotStep ?? null,
    tick_size: toYuan(tickSizeOf(code) as Price),
    is_st: isUnderRiskWarning(name),
    is_held: isHeld,
  }
}
