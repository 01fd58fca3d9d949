import { PARAMETER_RANGES, shownDefaults } from '../../src/domain/settings/parameters.ts'
import * as answers from '../answers/account.ts'
import { timestampOf } from '../desk/context.ts'
import { json, type Reply } from '../message/reply.ts'
import type { Route } from '../message/routes.ts'
import type { GatewayContext } from './context.ts'

/**
 * The gateway holds no parameters of its own and shows the fixed defaults. The switches that only a
 * running process knows have no default: they are unknown.
 */
const FIXED_CONFIG = {
  ...shownDefaults(),
  StopLossEnabled: true,
  connectPort: 5_000,
  totalAccounts: '127.0.0.1',
} as const

/** Parameters under the address of direct mode. An unknown account has none, not even fixed ones. */
export function fixedConfig(on: GatewayContext): Route[] {
  const fixed = (): Reply =>
    json(200, {
      status: 'success',
      data: FIXED_CONFIG,
      ranges: PARAMETER_RANGES,
      timestamp: timestampOf(on),
    })
  return [
    on.chosen.ofAccount({
      method: 'GET',
      path: '/config',
      scope: 'view',
      summary: '固定的默认参数，只读 (the fixed defaults, read-only)',
      answer: answers.config,
      handle: fixed,
      withoutAccount: fixed,
    }),
  ]
}
