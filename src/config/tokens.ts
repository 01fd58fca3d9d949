import { z } from 'zod'
import { exchangeDay, exchangeDayStartMs } from '../domain/exchange-time.ts'
import { ACCOUNT_ID } from '../domain/ids.ts'
import { SCOPES } from '../domain/scope.ts'
import type { Problem } from './problems.ts'

const HASH = /^sha256:[0-9a-f]{64}$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
/** A day that there is; a month that is none has no start at all. */
export const isDay = (text: string): boolean =>
  DAY.test(text) && exchangeDay(exchangeDayStartMs(text) || 0) === text

export const tokenSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,32}$/, {
      error: '须为 1 至 32 个字母、数字、- 或 _ (must be 1 to 32 letters, digits, - or _)',
    })
    .describe('令牌名称，记入审计 (name of the token, shown in the audit journal)'),
  hash: z
    .string()
    .regex(HASH, {
      error:
        '须为 "sha256:" 加 64 位小写十六进制，由 steward token 生成 (must be "sha256:" and 64 small hexadecimal digits; steward token prints it)',
    })
    .describe('令牌的摘要，令牌本身不保存 (hash of the token; the token itself is kept nowhere)'),
  scope: z
    .enum(SCOPES)
    .describe(
      '权限：view 查看，trade 还可下单，admin 还可修改 (scope: view reads, trade also orders, admin also changes)',
    ),
  accounts: z
    .array(
      z.string().regex(ACCOUNT_ID, {
        error: '须为 1 至 32 个字母、数字、- 或 _ (must be 1 to 32 letters, digits, - or _)',
      }),
    )
    .max(1_000)
    .default([])
    .describe('只限这些账户，空 = 全部 (only these accounts; empty = all)'),
  expires: z
    .string()
    .refine((text) => text === '' || isDay(text), {
      error: '须为日期，例如 "2027-01-31" (must be a day such as "2027-01-31")',
    })
    .default('')
    .describe(
      '有效期最后一天（北京时间），空 = 长期 (last day on which the token is good, Asia/Shanghai; empty = no end)',
    ),
})

/** Named tokens beside the single one, for both backends. */
export const tokensSchema = z
  .array(tokenSchema)
  .max(1_000)
  .default([])
  .describe('带权限的命名令牌，直连和网关通用 (named tokens with a scope, for both backends)')
export type NamedToken = z.output<typeof tokenSchema>

/** One name and one token are one entry. */
export function tokenProblems(tokens: readonly NamedToken[]): Problem[] {
  return tokens.flatMap(({ name, hash }, index) => {
    const earlier = tokens.slice(0, index)
    const byName = earlier.findIndex((other) => other.name === name)
    const byHash = earlier.findIndex((other) => other.hash === hash)
    return [
      ...(byName < 0
        ? []
        : [
            {
              path: ['tokens', index, 'name'],
              message: `与 tokens[${byName}] 同名 (is also the name of tokens[${byName}])`,
            },
          ]),
      ...(byHash < 0
        ? []
        : [
            {
              path: ['tokens', index, 'hash'],
              message: `与 tokens[${byHash}] 的摘要相同 (is also the hash of tokens[${byHash}])`,
            },
          ]),
    ]
  })
}

interface TokenSurroundings {
  readonly tokens: readonly NamedToken[]
  readonly accounts: readonly { readonly account_id: string }[]
}

/** Tokens that will not do what was perhaps meant. `today` is a day in Asia/Shanghai. */
export function tokenWarnings({ tokens, accounts }: TokenSurroundings, today: string): string[] {
  const known = new Set(accounts.map(({ account_id }) => account_id))
  return tokens.flatMap(({ name, expires, accounts: only }) => {
    const strange = only.filter((id) => !known.has(id))
    return [
      ...(expires !== '' && expires < today
        ? [`令牌 ${name} 已于 ${expires} 到期 (token ${name} has expired on ${expires})`]
        : []),
      ...(strange.length > 0
        ? [
            `令牌 ${name} 指定的账户不在配置中：${strange.join('、')} (token ${name} names no configured account: ${strange.join(', ')})`,
          ]
        : []),
    ]
  })
}
