import { accountStream } from '../answers/events.ts'
import type { Feature } from './feature.ts'

/** What changes in an account, as it changes. Direct mode has a stream of its own, with what its pages show. */
export const accountEvents: Feature = (on) => {
  if (on.backend !== 'gateway') return []
  return [
    on.account.ofAccount({
      method: 'GET',
      path: '/events',
      scope: 'view',
      summary: '账户变化的实时事件流 (event stream of what changes in an account)',
      produces: 'text/event-stream',
      stream: accountStream,
      handle: ({ request }, { accountId }) => on.feeds.open(accountId, request),
    }),
  ]
}
