import { ServiceError } from '../../src/domain/errors.ts'
import type { TokenScope } from '../../src/domain/scope.ts'
import type { Backend } from '../message/errors.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import { type Call, type Handled, type Route, type RouteSpec, route } from '../message/routes.ts'
import type { AccountLink } from '../port/service.ts'
import type { FrontContext } from './context.ts'
import type { Envelope } from './envelope.ts'

/** Of the account that a request is about; undefined while none is registered. Errors  `UNKNOWN_ACCOUNT`. */
export type FindLink = (accountId: string | undefined) => AccountLink | undefined

interface AccountRouteSpec<P, Q, B>
  extends Omit<RouteSpec<P, Q, B>, 'handle' | 'scope' | 'confinesItself'> {
  readonly scope: TokenScope
  readonly handle: (call: Call<P, Q, B>, link: AccountLink) => Handled
  /** The answer while no account is registered; `UNKNOWN_ACCOUNT` when left out. */
  readonly withoutAccount?: () => Reply
}

/** A part of a backend's addresses: where they begin, what is around their answers. */
export class Zone {
  readonly envelope: Envelope
  readonly #prefix: string
  readonly #findLink: FindLink

  constructor(prefix: string, envelope: Envelope, findLink: FindLink) {
    this.envelope = envelope
    this.#prefix = prefix
    this.#findLink = findLink
  }

  /** A route below the prefix, about the process or about all accounts that the caller may see. */
  route<P, Q, B>(spec: RouteSpec<P, Q, B>): Route {
    return route({ ...spec, path: this.#prefix + spec.path })
  }

  /** A route below the prefix, about one account. */
  ofAccount<P, Q, B>(spec: AccountRouteSpec<P, Q, B>): Route {
    const { handle, withoutAccount = noAccount } = spec
    return this.route({
      ...spec,
      handle: (call, incoming) => {
        const link = this.#findLink(incoming.accountId)
        return link === undefined ? withoutAccount() : handle(call, link)
      },
    })
  }
}

export const noAccountError = (): ServiceError =>
  new ServiceError('UNKNOWN_ACCOUNT', '没有注册任何账户 (no account is registered)')

function noAccount(): never {
  throw noAccountError()
}

/** What one backend gives to every feature that it serves. */
export interface MountOf<B extends Backend> extends FrontContext {
  readonly backend: B
  /** About one account: the one of direct mode; on the gateway the one that the path names. */
  readonly account: Zone
  /** `/api` of both backends; on the gateway about the account of `X-Account-Id`, else its first. */
  readonly chosen: Zone
  /** About the process, or about several accounts. */
  readonly common: Zone
  /** Whether the caller may see an account. */
  readonly sees: (request: HttpRequest) => (accountId: string) => boolean
  /** Who asked, as the journal keeps it. */
  readonly source: (request: HttpRequest) => string
}
