import { z } from 'zod'
import { ServiceError } from '../../../src/domain/errors.ts'
import type { GridCommand, GridQuestion } from '../../../src/protocol/grid.ts'
import { timestampOf, within } from '../../desk/context.ts'
import { stockCode } from '../../desk/orders.ts'
import { command, type DirectContext, linkOf, type Unsigned } from '../../direct/context.ts'
import { ignoredIn } from '../../message/ignored.ts'
import { withBoth } from '../../message/in-both.ts'
import type { JsonObject } from '../../message/json-body.ts'
import { json, type Reply } from '../../message/reply.ts'
import type { HttpRequest } from '../../message/request.ts'
import type { Mount } from '../feature.ts'

/** The envelope of the grid family (docs/domain.md 10.1). */
export const gridReply = (context: Pick<Mount, 'clock'>, fields: object): Reply => {
  const told = withBoth(fields)
  return json(200, {
    success: true,
    status: 'success',
    ...told,
    data: told,
    timestamp: timestampOf(context),
  })
}

/** Asks the account something about grids and answers with its fields. */
export async function askGrid(
  context: DirectContext,
  request: HttpRequest,
  question: GridQuestion,
): Promise<Reply> {
  return gridReply(context, await gridFields(context, request, question))
}

/** The fields alone. */
export async function gridFields(
  context: DirectContext,
  request: HttpRequest,
  question: GridQuestion,
): Promise<object> {
  const options = within(context.limits.readTimeoutMs, request)
  const read = () => linkOf(context).ask({ kind: 'gridAsk', question }, options)
  const isScan = question.about === 'trades' || question.about === 'ledger'
  if (!isScan) return (await read()).fields
  return (await context.scans.run(request, read, ({ looked = 0 }) => looked)).fields
}

/** Has the account change something about grids. `beside`: what the front adds to the answer. */
export async function commandGrid(
  context: DirectContext,
  request: HttpRequest,
  body: Unsigned<GridCommand>,
  beside: object = {},
): Promise<Reply> {
  const { fields } = await command(context, request, body)
  return gridReply(context, { ...fields, ...beside })
}

const decimal = z.number().nullish()

/** What a start may say, at top level or inside `config`; the account checks the ranges. */
const startFields = {
  center_price: decimal,
  duration_days: decimal,
  risk_level: z.string().max(32).nullish(),
  template_name: z.string().max(64).nullish(),
  price_interval: decimal,
  position_ratio: decimal,
  callback_ratio: decimal,
  trade_mode: z.string().max(32).nullish(),
  fixed_volume: decimal,
  max_investment: decimal,
  max_deviation: decimal,
  target_profit: decimal,
  stop_loss: decimal,
}
const startConfig = z.object(startFields)
export const startBody = z
  .object({
    stock_code: stockCode,
    ...startFields,
    config: startConfig.nullish(),
  })
  .meta({ examples: [{ stock_code: '600036.SH', price_interval: 0.05, max_investment: 10_000 }] })

/** What of a start nobody knows, in both of its places: a misspelled field would start with a default. */
export function ignoredInStart(sent: JsonObject, known: z.ZodObject = startBody): string[] {
  const { config } = sent
  const isObject = typeof config === 'object' && config !== null
  const inside = isObject ? ignoredIn(config as JsonObject, startConfig) : []
  return [...ignoredIn(sent, known), ...inside.map((name) => `config.${name}`)]
}

/** The two places of a start's fields, as the account takes them. */
export function startOf(body: z.infer<typeof startBody>) {
  const { stock_code, config, ...top } = body
  return { code: stock_code, top, config: config ?? {} }
}

export const sessionParams = z.object({ session_id: z.string() })

/** A number in a path. Errors  `UNKNOWN_GRID_SESSION` for what cannot be one. */
export function sessionIdOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new ServiceError('UNKNOWN_GRID_SESSION', '网格会话不存在 (no such session)')
}
