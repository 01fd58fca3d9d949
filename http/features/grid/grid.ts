import { readStamped } from '../../desk/read-model.ts'
import type { Route } from '../../message/routes.ts'
import type { Feature, Mount } from '../feature.ts'
import { sessions } from './answers.ts'
import { gridReply } from './context.ts'
import { gridCommandRoutes, gridReadRoutes } from './sessions.ts'
import { gridTemplateRoutes } from './templates.ts'

/** Grids belong to direct mode; the gateway shows their list, with the profit of the ledger. */
export const grid: Feature = (on) =>
  on.backend === 'gateway'
    ? [listRoute(on, '全部网格会话，只读 (all grid sessions, read-only)')]
    : [
        ...gridCommandRoutes(on),
        listRoute(on, '全部网格会话 (all grid sessions)'),
        ...gridReadRoutes(on),
        ...gridTemplateRoutes(on),
      ]

const listRoute = (on: Mount, summary: string): Route =>
  on.chosen.ofAccount({
    method: 'GET',
    path: '/grid/sessions',
    scope: 'view',
    isConditional: true,
    summary,
    answer: sessions,
    handle: ({ request }, link) => readStamped(on, link, 'gridSessions', request),
    withoutAccount: () => gridReply(on, { sessions: [], total: 0 }),
  })
