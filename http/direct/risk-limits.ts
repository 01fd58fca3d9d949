import { z } from 'zod'
import { inQuotes } from '../../src/domain/in-both.ts'
import {
  RISK_NAMES,
  type RiskName,
  riskParts,
  riskRows,
  riskShown,
  riskValue,
} from '../../src/domain/settings/risk.ts'
import type { SimpleRow } from '../../src/domain/settings/row.ts'
import type { WantedLimit } from '../../src/protocol/account.ts'
import { dataAnswer, time } from '../answers/envelope.ts'
import { timestampOf } from '../desk/context.ts'
import { withBoth } from '../message/in-both.ts'
import { json, type Reply } from '../message/reply.ts'
import { type Route, route } from '../message/routes.ts'
import { ask, command, type DirectContext } from './context.ts'

type Said = number | boolean

const isInParts = (name: RiskName) => (said: number) =>
  riskShown(name, riskValue(name, said)) === said

/** What the file accepts of a limit, as long as it is whole in the parts that the account keeps. */
function fieldOf(name: RiskName): z.ZodType<Said> {
  const row: SimpleRow = riskRows[name]
  if (row.kind === 'flag') return z.boolean({ error: '须为 true 或 false (must be true or false)' })
  const { kind, min, max } = row
  const error =
    kind === 'whole'
      ? `须为 ${min} 至 ${max} 的整数 (must be a whole number from ${min} to ${max})`
      : `须为 ${min} 至 ${max} 的数 (must be a number from ${min} to ${max})`
  const digits = Math.log10(riskParts(name))
  return (kind === 'whole' ? z.int({ error }) : z.number({ error }))
    .min(min, { error })
    .max(max, { error })
    .refine(isInParts(name), {
      error: `最多 ${digits} 位小数 (must have at most ${digits} decimals)`,
      abort: true,
    })
}

const changeOf = (name: RiskName) =>
  z
    .strictObject({
      from: fieldOf(name).describe('as it was seen; another one by now is 409'),
      to: fieldOf(name).nullable().describe('null: as the file says it'),
    })
    .optional()

const noSuch = (names: readonly string[] = []): string =>
  `没有这项风控上限：${inQuotes(names.join(', '))} (no such limit of risk)`
const wantedLimits = z
  .strictObject(Object.fromEntries(RISK_NAMES.map((name) => [name, changeOf(name)])), {
    error: ({ code, keys }) => (code === 'unrecognized_keys' ? noSuch(keys) : undefined),
  })
  .refine((limits) => Object.keys(limits).length > 0, {
    error: '至少要有一项 (name at least one limit)',
  })

const body = z
  .strictObject({
    limits: wantedLimits,
    confirm: z
      .string()
      .max(32)
      .default('')
      .describe('last four characters of the account id, to let more through at a real broker'),
  })
  .meta({ examples: [{ limits: { max_order_value: { from: 0, to: 50_000 } } }] })

const said = z.union([z.number(), z.boolean()])
const fields = z
  .object({
    is_real: z.boolean().describe('what lets more through needs confirm'),
    limits: z.array(
      z.object({
        name: z.enum(RISK_NAMES).describe('its name in the section risk of the file'),
        value: said.describe('in force; 0 = off'),
        file_value: said.describe('of the file, or its default'),
        changed_at: time.nullable().describe('null: the file decides'),
        changed_by: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'RiskLimits' })

/** Limits of the risk rules of the account, which may change while it runs. */
export const riskLimitRoutes = (context: DirectContext): Route[] => [
  route({
    method: 'GET',
    path: '/api/risk/limits',
    scope: 'view',
    summary:
      '风控上限：现值、配置文件的值、谁改过 (risk limits: in force, of the file, changed by)',
    answer: dataAnswer(fields),
    handle: async ({ request }) =>
      answered(context, (await ask(context, request, { kind: 'riskLimits' })).fields),
  }),
  route({
    method: 'POST',
    path: '/api/risk/limits',
    scope: 'admin',
    summary: '修改风控上限，要么全部要么都不 (change risk limits, all or nothing)',
    answer: dataAnswer(fields, { message: z.string(), changed_count: z.int() }),
    body,
    handle: async ({ request, body: { limits, confirm } }) => {
      const { fields, changedCount } = await command(context, request, {
        kind: 'setRiskLimits',
        limits: wantedIn(limits),
        confirm,
      })
      const message =
        changedCount === 0
          ? '风控上限没有变化 (no limit is another one)'
          : `已修改 ${changedCount} 项风控上限 (risk limits changed)`
      return answered(context, fields, { message, changed_count: changedCount })
    },
  }),
]

const answered = (context: DirectContext, data: object, beside: object = {}): Reply =>
  json(200, { status: 'success', data, ...withBoth(beside), timestamp: timestampOf(context) })

function wantedIn(limits: z.output<typeof wantedLimits>): WantedLimit[] {
  return RISK_NAMES.flatMap((name) => {
    const change = limits[name]
    if (change === undefined) return []
    const { from, to } = change
    return [{ name, from: riskValue(name, from), to: to === null ? null : riskValue(name, to) }]
  })
}
