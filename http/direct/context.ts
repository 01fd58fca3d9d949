import type { Setting } from '../../src/config/settings-list.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { AccountReplies, AccountRequest, ReplyTo } from '../../src/protocol/account.ts'
import { type FrontContext, sourceOf, within } from '../desk/context.ts'
import { statusEnvelope } from '../desk/envelope.ts'
import { type MountOf, Zone } from '../desk/mount.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Installation } from '../port/installation.ts'
import type { AccountLink } from '../port/service.ts'
import type { EventFeed } from '../stream/sse.ts'

interface Own extends FrontContext {
  readonly accountId: string
  readonly events: EventFeed
  /** What the process was started with; absent where nobody says. */
  readonly settings?: readonly Setting[] | undefined
  /** Absolute path of the file that they were read from. */
  readonly configFile?: string | undefined
  /** How the service is set up; absent where nobody says. */
  readonly installation?: () => Installation
}

/** What the features of one direct-mode listener are given. */
export interface DirectContext extends MountOf<'direct'>, Own {}

/** Direct mode: one account, everything under `/api`. */
export function directContext(own: Own): DirectContext {
  const zone = new Zone('/api', statusEnvelope(own), () => linkOf(own))
  return {
    ...own,
    backend: 'direct',
    account: zone,
    chosen: zone,
    common: zone,
    sees: () => (accountId) => accountId === own.accountId,
    source: (request) => sourceOf('direct', request),
  }
}

/** Errors  `UNKNOWN_ACCOUNT` while the account is not registered. */
export function linkOf({ service, accountId }: Pick<Own, 'service' | 'accountId'>): AccountLink {
  const link = service.find(accountId)
  if (link === undefined)
    throw new ServiceError('UNKNOWN_ACCOUNT', '账户尚未注册 (the account is not registered)')
  return link
}

/** What the account answers by itself, without the broker. */
export const ask = <R extends AccountRequest>(
  context: DirectContext,
  request: HttpRequest,
  body: R,
): Promise<ReplyTo<R>> =>
  linkOf(context).ask(body, within(context.limits.commandTimeoutMs, request))

/** A command as a route words it; who asked is added to each in one place. */
export type Unsigned<R> = R extends { readonly source: string } ? Omit<R, 'source'> : never

/** A command that the account carries out by itself, in the name of the caller. */
export const command = <R extends Unsigned<AccountRequest>>(
  context: DirectContext,
  request: HttpRequest,
  body: R,
) => {
  const reply = ask(context, request, { ...body, source: context.source(request) })
  return reply as Promise<AccountReplies[R['kind']]> // of a request, its reply
}

/** The three switches under the names that clients read at top level. */
export const switches = (report: AccountReplies['setMaster']) => ({
  isMonitoring: report.isMonitoring,
  autoTradingEnabled: report.autoTradingEnabled,
  gridTradingEnabled: report.gridTradingEnabled,
})
