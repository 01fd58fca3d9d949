import { ServiceError } from '../../src/domain/errors.ts'
import { ACCOUNT_ID } from '../../src/domain/ids.ts'
import { type FrontContext, sourceOf } from '../desk/context.ts'
import { statusEnvelope, v1Envelope } from '../desk/envelope.ts'
import { type FindLink, type MountOf, Zone } from '../desk/mount.ts'
import type { Caller } from '../message/caller.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink } from '../port/service.ts'
import type { AccountFeeds } from './account-feeds.ts'
import type { GatewayModule } from './module.ts'
import type { Probe } from './probe.ts'

interface Own extends FrontContext {
  readonly probe: Probe
  /** Event streams, one for each account that somebody follows. */
  readonly feeds: AccountFeeds
  /** Take-profit and stop-loss of the gateway's own. */
  readonly stopProfit: GatewayModule
  /** Whose token the request carries; undefined when none is configured, or it is not a good one. */
  readonly callerOf: (request: HttpRequest) => Caller | undefined
}

/** What the features of the gateway are given. */
export interface GatewayContext extends MountOf<'gateway'>, Own {}

/** The gateway: all accounts under `/api/v1`, and under `/api` what direct mode answers for one. */
export function gatewayContext(own: Own): GatewayContext {
  const v1 = v1Envelope(own)
  const findLink: FindLink = (accountId) =>
    accountId === undefined ? undefined : accountOf(own, accountId)
  return {
    ...own,
    backend: 'gateway',
    account: new Zone('/api/v1/accounts/{account_id}', v1, findLink),
    chosen: new Zone('/api', statusEnvelope(own), findLink),
    common: new Zone('/api/v1', v1, findLink),
    sees: ({ caller }) => maySee(caller),
    source: (request) => sourceOf('gateway', request),
  }
}

export const maySee =
  (caller: Caller | undefined) =>
  (accountId: string): boolean =>
    caller?.accounts?.has(accountId) ?? true

/** The accounts that a caller may see, in the order of their registration. */
export const accountsOf = (
  { service }: Pick<GatewayContext, 'service'>,
  caller: Caller | undefined,
): readonly AccountLink[] => service.accounts().filter(({ accountId }) => maySee(caller)(accountId))

/** Errors  `UNKNOWN_ACCOUNT`. */
function accountOf({ service }: Pick<Own, 'service'>, accountId: string): AccountLink {
  const link = ACCOUNT_ID.test(accountId) ? service.find(accountId) : undefined
  if (link !== undefined) return link
  throw new ServiceError(
    'UNKNOWN_ACCOUNT',
    '没有注册这个账户，请核对账号 (no such account is registered)',
  )
}
