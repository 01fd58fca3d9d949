import { sideOf } from '../../src/domain/order.ts'
import { v1Preview } from '../answers/commands.ts'
import { v1Reply, within } from '../context.ts'
import { invalid } from '../errors.ts'
import { previewFields, previewOf } from '../preview.ts'
import { type Route, route } from '../routes.ts'
import { accountParams } from './accounts.ts'
import { accountOf, type GatewayContext } from './context.ts'
import { orderBody } from './trading.ts'

/** What would become of an order, by the body that would place it. Sends nothing. */
export const previewRoutes = (context: GatewayContext): Route[] => [
  route({
    method: 'POST',
    path: '/api/v1/accounts/{account_id}/orders/preview',
    scope: 'view',
    summary: '委托预览：逐条风控规则、金额、费用 (what an order would meet; sends nothing)',
    answer: v1Preview,
    params: accountParams,
    body: orderBody,
    handle: async ({ request, params, body }) => {
      const link = accountOf(context, params.account_id)
      const side = sideOf(body.order_type)
      if (side === undefined) throw invalid({ order_type: ['order_type: must be 23 or 24'] })
      const asked = previewOf({ ...body, side })
      const preview = await link.ask(asked, within(context.limits.commandTimeoutMs, request))
      return v1Reply(previewFields(asked, preview))
    },
  }),
]
