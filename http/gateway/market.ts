import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { ticks as ticksAnswer } from '../answers/gateway.ts'
import { v1Reply, within } from '../context.ts'
import { invalid } from '../errors.ts'
import { codeOf } from '../orders.ts'
import { type Route, route } from '../routes.ts'
import { accountOf, type GatewayContext } from './context.ts'

const tickQuery = z.object({
  stock_codes: z.string().min(1),
  account_id: z.string().optional(),
})

/** Quotes through the connection of one account. */
export function marketRoutes(context: GatewayContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/market/tick',
      scope: 'view',
      summary: '实时行情 (quotes)',
      answer: ticksAnswer,
      query: tickQuery,
      handle: async ({ request, query }) => {
        const { limits, service } = context
        const asked = requestedCodes(query.stock_codes, limits.tickCodesMax)
        const link =
          query.account_id === undefined
            ? service.accounts()[0]
            : accountOf(context, query.account_id)
        if (link === undefined)
          throw new ServiceError('UNKNOWN_ACCOUNT', 'no account is registered')
        const codes = asked.map((text) => codeOf(text, 'stock_codes'))
        const { ticks } = await link.market(
          { kind: 'ticks', codes },
          within(limits.readTimeoutMs, request),
        )
        // Callers look for exactly the spelling that they asked with.
        const rows = asked.flatMap((text, index) => {
          const tick = ticks[codes[index] ?? '']
          return tick === undefined ? [] : [[text, tick] as const]
        })
        return v1Reply(Object.fromEntries(rows))
      },
    }),
  ]
}

function requestedCodes(text: string, codesMax: number): readonly string[] {
  const codes = text.split(',').map((code) => code.trim())
  const named = [...new Set(codes.filter((code) => code !== ''))]
  if (named.length > 0 && named.length <= codesMax) return named
  throw invalid({ stock_codes: [`stock_codes: name from 1 to ${codesMax} codes`] })
}
