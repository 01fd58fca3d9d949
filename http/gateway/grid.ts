import * as answers from '../answers/grid.ts'
import { timestampOf } from '../context.ts'
import { readStamped } from '../read-model.ts'
import { json } from '../reply.ts'
import { type Route, route } from '../routes.ts'
import { chosenAccount, type GatewayContext } from './context.ts'

const NO_SESSIONS = { sessions: [], total: 0 } as const

/** Grids belong to direct mode; here their list can be read, with the profit of the ledger. */
export const gridRoutes = (context: GatewayContext): Route[] => [
  route({
    method: 'GET',
    path: '/api/grid/sessions',
    scope: 'view',
    summary: '全部网格会话，只读 (all grid sessions, read-only)',
    answer: answers.sessions,
    handle: ({ request }) => {
      const link = chosenAccount(context, request)
      if (link !== undefined) return readStamped(context, link, 'gridSessions', request)
      return json(200, {
        success: true,
        status: 'success',
        ...NO_SESSIONS,
        data: NO_SESSIONS,
        timestamp: timestampOf(context),
      })
    },
  }),
]
