import { randomBytes } from 'node:crypto'
import type { Setting } from '../src/config/settings-list.ts'
import { ServiceError } from '../src/domain/errors.ts'
import { AddressList, isLoopback } from './access/address.ts'
import { type GatewayAccess, type GatewayRates, gatewayCaller } from './access/auth.ts'
import { directGuard, type Guard, gatewayGuard } from './access/guard.ts'
import { GuessLimit } from './access/guess-limit.ts'
import { RateLimit } from './access/rate-limit.ts'
import type { ScanBudget } from './access/scan-budget.ts'
import { type NamedTokens, TokenBook } from './access/tokens.ts'
import type { FrontLimits } from './desk/context.ts'
import { Tellings } from './desk/tellings.ts'
import { directContext } from './direct/context.ts'
import { routesOf } from './features.ts'
import { AccountFeeds } from './gateway/account-feeds.ts'
import { gatewayContext } from './gateway/context.ts'
import { GatewayModule } from './gateway/module.ts'
import { Probe } from './gateway/probe.ts'
import type { Caller } from './message/caller.ts'
import { Compression } from './message/compression.ts'
import type { HttpRequest } from './message/request.ts'
import { type Route, RouteTable } from './message/routes.ts'
import type { Installation } from './port/installation.ts'
import { RequestStats } from './port/request-stats.ts'
import type { AccountLink, Service } from './port/service.ts'
import type { Connections } from './sockets/connections.ts'
import { Dispatcher, type FrontLog } from './sockets/dispatcher.ts'
import { Door } from './sockets/door.ts'
import { listenForProxies } from './sockets/proxy-port.ts'
import { type Listener, listen, type TlsFiles } from './sockets/server.ts'
import type { Pages } from './sockets/static.ts'
import { EventFeed } from './stream/sse.ts'

interface CommonOptions {
  readonly service: Service
  /** Named tokens, beside the single one. */
  readonly tokens: NamedTokens
  readonly host: string
  /** 0 = any free port. */
  readonly port: number
  /** A second one for proxies that speak HTTP/1.0; 0 = any free port, undefined = none. */
  readonly proxyPort?: number | undefined
  /** The market clock, epoch milliseconds. */
  readonly clock: { nowMs(): number }
  /** A fresh idempotency key for an order of this account. */
  readonly newKey: (accountId: string) => string
  readonly log: FrontLog
  readonly limits: FrontLimits
  /** Shared by the listeners of a process. */
  readonly scans: ScanBudget
  /** Of the process: all its listeners share them. */
  readonly connections: Connections
  /** The built console or monitor; without it `/` is a plain start page. */
  readonly pages?: Pages | undefined
}

export interface DirectFrontOptions extends CommonOptions {
  readonly backend: 'direct'
  readonly accountId: string
  /** `SVC_API_TOKEN`; empty = none. */
  readonly token: string
  /** In its place once there are named tokens: that of the gateway, which asks direct mode with it. */
  readonly tokenBesideNamed?: string
  /** `WEB_PUBLIC_MODE`: refuse everything under `/api`. */
  readonly publicMode: boolean
  /** Origins of pages that may read and write, besides its own; exact. */
  readonly allowedOrigins: readonly string[]
  /** Shown by `GET /api/settings`. */
  readonly settings?: readonly Setting[] | undefined
  /** Where they were read; absent: the built-in demo. */
  readonly configFile?: string | undefined
  /** How the service is set up; absent where nobody says. */
  readonly installation?: () => Installation
}

export interface GatewayFrontOptions extends CommonOptions {
  readonly backend: 'gateway'
  /** `GW_API_TOKEN`, else `SVC_API_TOKEN`, else `api_token`; empty = local callers only. */
  readonly token: string
  readonly trustProxy: boolean
  /** Our own proxies, addresses and networks: nobody else is believed. */
  readonly proxies: readonly string[]
  /** Files of certificate and key: then it is HTTPS. */
  readonly tls: TlsFiles | undefined
  /** Addresses and networks; empty = all. */
  readonly allowedIps: readonly string[]
  /** Requests a minute and address; 0 = off. */
  readonly rateLimit: number
  readonly probe: {
    /** Of the tokens `WEB_API_TOKEN`, `SVC_API_TOKEN`, `api_token` the first that is set is sent. */
    readonly tokens: readonly string[]
    /** Address that direct mode listens on. */
    readonly host: string
    /** Port where the direct mode of this account listens; undefined = unknown. */
    readonly directPortOf: (link: AccountLink) => number | undefined
  }
}

export type FrontOptions = DirectFrontOptions | GatewayFrontOptions

/** One listener that answers. */
export interface Front {
  readonly backend: FrontOptions['backend']
  readonly scheme: 'http' | 'https'
  readonly host: string
  /** The port that is really listened on. */
  readonly port: number
  /** The same of the one for proxies. */
  readonly proxyPort: number | undefined
  /**
   * Has what is in the files of its certificate by now answer new connections; nothing where it has none.
   *
   * Errors  they cannot be used: the former one goes on.
   */
  renewCertificate(): void
  /**
   * Takes no more requests, lets open ones finish for a while, ends streams, closes the port. Resolves with whether all
   * of them were finished by then.
   */
  close(): Promise<boolean>
}

/**
 * Starts one listener: the direct mode of one account, or the gateway. Main thread only.
 *
 * Errors  rejects with `ListenError` when the port cannot be had; throws a RangeError for an
 *         `allowedIps` entry that is no address.
 */
export async function startFront(options: FrontOptions): Promise<Front> {
  const { host, limits, log } = options
  // The guard must know the port, which is known once it listens; nothing is served before that.
  const own = { port: options.port }
  const { dispatcher, door, close } = frontParts(options, own)
  const tls = options.backend === 'gateway' ? options.tls : undefined
  const listener = await listen({
    host,
    port: options.port,
    tls,
    waitMs: limits.listenWaitMs,
    retryMs: limits.listenRetryMs,
    waiting: () =>
      log.warn({ host, port: options.port }, 'the port is still held by the last run; waiting'),
    serve: (response, request) => dispatcher.serve(response, request),
    door,
  })
  own.port = listener.port
  const proxyListener = await listenBeside(options, dispatcher, door).catch((error: unknown) => {
    close()
    listener.closeAll()
    throw error
  })
  return {
    backend: options.backend,
    scheme: tls !== undefined ? 'https' : 'http',
    host,
    port: listener.port,
    proxyPort: proxyListener?.port,
    renewCertificate: () => tls && listener.renew(tls),
    close: async () => {
      listener.stopAccepting()
      proxyListener?.stopAccepting()
      close()
      const isAnswered = await dispatcher.drain()
      listener.closeAll()
      proxyListener?.closeAll()
      return isAnswered
    },
  }
}

/** The port for proxies, where one is wanted. What it reads is not encrypted, so beside HTTPS only this computer reaches it. */
async function listenBeside(
  options: FrontOptions,
  dispatcher: Dispatcher,
  door: Door,
): Promise<Listener | undefined> {
  const { proxyPort, limits } = options
  if (proxyPort === undefined) return undefined
  const isSecure = options.backend === 'gateway' && options.tls !== undefined
  const proxies = proxiesOf(options)
  return listenForProxies({
    host: isSecure ? '127.0.0.1' : options.host,
    port: proxyPort,
    limits,
    mayConnect: (address) => isLoopback(address) || proxies.has(address),
    door,
    serve: (response, request) => dispatcher.serve(response, request, 'proxies'),
    unreadable: () => dispatcher.unreadable(),
  })
}

const proxiesOf = (options: FrontOptions): AddressList =>
  new AddressList(options.backend === 'gateway' ? options.proxies : [])

/** A front without its listener. */
export interface FrontParts {
  readonly dispatcher: Dispatcher
  readonly door: Door
  readonly routes: readonly Route[]
  /** Ends what would keep the listener open. */
  readonly close: () => void
}

/** All that answers, for whatever brings the requests. `own.port` is read late. */
export function frontParts(options: FrontOptions, own: { readonly port: number }): FrontParts {
  const { limits, log, clock, pages, service } = options
  const { guard, routes, closing } =
    options.backend === 'direct' ? directParts(options, own) : gatewayParts(options)
  const stats = new RequestStats(
    options.backend,
    options.backend === 'direct' ? options.accountId : undefined,
  )
  service.metrics.watch(stats)
  const door = doorOf(options, stats)
  const compression = new Compression(limits)
  const dispatcher = new Dispatcher({
    guard,
    stats,
    door,
    table: new RouteTable(routes.map((route) => compression.around(route))),
    pages,
    limits,
    log,
    clock,
    idPrefix: randomBytes(6).toString('hex'),
  })
  return { dispatcher, door, routes, close: closing }
}

function doorOf(options: FrontOptions, stats: RequestStats): Door {
  const { backend, connections } = options
  const proxies = proxiesOf(options)
  return new Door({
    connections,
    mayUseReserved: backend === 'direct',
    kindOf: (address) => (isLoopback(address) ? 'local' : proxies.has(address) ? 'proxy' : 'other'),
    counts: stats.connections,
  })
}

interface Parts {
  readonly guard: Guard
  readonly routes: readonly Route[]
  /** Ends what would keep the listener open. */
  readonly closing: () => void
}

function directParts(options: DirectFrontOptions, own: { readonly port: number }): Parts {
  const { service, accountId, clock, limits, publicMode, allowedOrigins } = options
  const access = tokenAccess(options, options.tokenBesideNamed)
  const events = new EventFeed({
    clock,
    limits,
    find: () => service.find(accountId),
    isStillGood: (caller) => access.tokens.isStillGood(caller),
  })
  access.tokens.onChange(() => events.endWithdrawn())
  const tellings = new Tellings(options)
  return {
    guard: directGuard({ ...access, isPublic: publicMode, allowedOrigins }, own, accountId),
    routes: routesOf(directContext({ ...options, events, tellings }), access.tokens.isSet),
    closing: () => {
      tellings.close()
      events.close()
    },
  }
}

function gatewayParts(options: GatewayFrontOptions): Parts {
  const { limits, trustProxy } = options
  const proxies = new AddressList(options.proxies)
  const probe = new Probe({
    portOf: options.probe.directPortOf,
    host: options.probe.host,
    token: options.probe.tokens.find((text) => text !== '') ?? '',
    limits,
  })
  const access = {
    ...tokenAccess(options),
    proxy: { isTrusted: trustProxy, own: proxies },
    allowed: new AddressList(options.allowedIps),
    rates: ratesOf(options),
  }
  const stopProfit = new GatewayModule(options)
  const tellings = new Tellings(options)
  const callerOf = knownCaller(access)
  const feeds = new AccountFeeds({
    clock: options.clock,
    limits,
    find: (accountId) => options.service.find(accountId),
    isStillGood: (caller) => access.tokens.isStillGood(caller),
  })
  access.tokens.onChange(() => feeds.endWithdrawn())
  const context = gatewayContext({ ...options, probe, stopProfit, tellings, callerOf, feeds })
  return {
    guard: gatewayGuard(access, () => options.service.accounts()),
    routes: routesOf(context, access.tokens.isSet),
    closing: () => {
      tellings.close()
      feeds.close()
      stopProfit.close()
    },
  }
}

function ratesOf({ rateLimit, limits }: GatewayFrontOptions): GatewayRates {
  const addressesMax = limits.rateLimitAddressesMax
  const bucket = (perMinute: number) => new RateLimit({ perMinute, addressesMax })
  return {
    known: bucket(rateLimit),
    strangers: bucket(rateLimit),
    reserved: bucket(limits.reservedRatePerMinute),
  }
}

const tokenAccess = ({ token, tokens, limits }: FrontOptions, besideNamed = '') => ({
  tokens: new TokenBook(token, tokens, Date.now, besideNamed),
  guesses: new GuessLimit({
    guessesMax: limits.guessesMax,
    waitSecondsMax: limits.guessWaitSecondsMax,
    forgetMs: limits.guessForgetMs,
    addressesMax: limits.rateLimitAddressesMax,
  }),
})

/** For what is open to everybody and tells more to those who have a token. */
const knownCaller =
  (access: GatewayAccess) =>
  (request: HttpRequest): Caller | undefined => {
    if (!access.tokens.isSet) return undefined
    try {
      return gatewayCaller(request, access, performance.now())
    } catch (error) {
      if (error instanceof ServiceError) return undefined
      throw error
    }
  }
