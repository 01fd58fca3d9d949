import { ServiceError } from '../../src/domain/errors.ts'
import { ACCOUNT_ID } from '../../src/domain/ids.ts'
import type { Caller } from '../caller.ts'
import type { FrontContext } from '../context.ts'
import type { HttpRequest } from '../request.ts'
import type { AccountLink } from '../service.ts'
import type { GatewayModule } from './module.ts'
import type { Probe } from './probe.ts'

/** What the routes of the gateway share. */
export interface GatewayContext extends FrontContext {
  readonly probe: Probe
  /** Take-profit and stop-loss of the gateway's own. */
  readonly stopProfit: GatewayModule
  /** Whose token the request carries; undefined when none is configured, or it is not a good one. */
  readonly callerOf: (request: HttpRequest) => Caller | undefined
}

/** The accounts that a caller may see, in the order of their registration. */
export const accountsOf = (
  { service }: Pick<GatewayContext, 'service'>,
  caller: Caller | undefined,
): readonly AccountLink[] =>
  service.accounts().filter(({ accountId }) => caller?.accounts?.has(accountId) ?? true)

const unknownAccount = (): ServiceError =>
  new ServiceError('UNKNOWN_ACCOUNT', 'no such account is registered')

/** Errors  `UNKNOWN_ACCOUNT`. */
export function accountOf({ service }: GatewayContext, accountId: string): AccountLink {
  const link = ACCOUNT_ID.test(accountId) ? service.find(accountId) : undefined
  if (link === undefined) throw unknownAccount()
  return link
}

/**
 * The account that a compatible request means: that of `X-Account-Id`, else the first one, else
 * none. Never another than the one that was named.
 *
 * Errors  `UNKNOWN_ACCOUNT`; `BAD_REQUEST` when the header came twice.
 */
export function chosenAccount(
  context: GatewayContext,
  { headers, repeated }: HttpRequest,
): AccountLink | undefined {
  if (repeated.has('x-account-id')) {
    throw new ServiceError('BAD_REQUEST', 'more than one X-Account-Id')
  }
  const named = headers.get('x-account-id') ?? ''
  return named === '' ? context.service.accounts()[0] : accountOf(context, named)
}
