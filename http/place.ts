import { ServiceError } from '../src/domain/errors.ts'
import { withHeaders } from './request.ts'
import type { AccountSource, Incoming, Route } from './routes.ts'
import type { Service } from './service.ts'

/** A request and the account that it is about; undefined when it is about none, or about all. */
export interface Placed {
  readonly incoming: Incoming
  readonly accountId: string | undefined
}
export type Place = (route: Route, incoming: Incoming) => Placed

const HEADER = 'x-account-id'

/** The account that a request to the gateway names; undefined when it names none. */
export function namedAccount(source: AccountSource, incoming: Incoming): string | undefined {
  if (source === 'none') return undefined
  if (source === 'header') return incoming.request.headers.get(HEADER) || undefined
  const name: unknown = incoming[source]['account_id']
  return typeof name === 'string' ? name : undefined
}

function withAccount(source: AccountSource, incoming: Incoming, accountId: string): Incoming {
  if (source === 'query' || source === 'body') {
    return { ...incoming, [source]: { ...incoming[source], account_id: accountId } }
  }
  const headers = new Map(incoming.request.headers).set(HEADER, accountId)
  return { ...incoming, request: withHeaders(incoming.request, headers) }
}

/** Every route of direct mode is about its one account. */
export const directPlace =
  (accountId: string): Place =>
  (route, incoming) => ({ incoming, accountId: route.scope === 'open' ? undefined : accountId })

/**
 * A caller whose token names accounts sees these and no others: another one does not exist for it,
 * its first one stands in where none is named, and what is about all accounts is refused unless the
 * route keeps to the caller's accounts by itself.
 *
 * Errors  throws `UNKNOWN_ACCOUNT`, `SCOPE_REFUSED`.
 */
export const gatewayPlace =
  (service: Pick<Service, 'accounts'>): Place =>
  (route, incoming) => {
    if (route.scope === 'open' || route.confinesItself) return { incoming, accountId: undefined }
    const source = route.accountIn
    const only = incoming.request.caller?.accounts
    const named = namedAccount(source, incoming)
    if (only !== undefined) return confined({ only, source, named }, incoming, service)
    const isFirst = source !== 'none' && named === undefined
    return { incoming, accountId: isFirst ? service.accounts()[0]?.accountId : named }
  }

interface Named {
  readonly only: ReadonlySet<string>
  readonly source: AccountSource
  readonly named: string | undefined
}

function confined(
  { only, source, named }: Named,
  incoming: Incoming,
  service: Pick<Service, 'accounts'>,
): Placed {
  if (source === 'none') {
    throw new ServiceError('SCOPE_REFUSED', 'this token is for some accounts only, not for all')
  }
  const isAllowed = named === undefined || only.has(named)
  const first = service.accounts().find(({ accountId }) => only.has(accountId))
  const accountId = named ?? first?.accountId
  if (!isAllowed || accountId === undefined) {
    throw new ServiceError('UNKNOWN_ACCOUNT', 'no such account is registered')
  }
  return {
    incoming: named === undefined ? withAccount(source, incoming, accountId) : incoming,
    accountId,
  }
}
