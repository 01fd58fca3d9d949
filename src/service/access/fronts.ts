import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ScanBudget } from '../../../http/access/scan-budget.ts'
import { type Front, type FrontOptions, startFront } from '../../../http/front.ts'
import type { AccountLink } from '../../../http/port/service.ts'
import { Connections } from '../../../http/sockets/connections.ts'
import type { TlsFiles } from '../../../http/sockets/server.ts'
import { loadPages } from '../../../http/sockets/static.ts'
import type { Config } from '../../config/schema.ts'
import type { Setting } from '../../config/settings-list.ts'
import type { Logger } from '../../observability/logger.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { descriptorsMax, descriptorsWantedBy, servedBy } from '../process/descriptors.ts'
import { StartError } from '../process/start-error.ts'
import { portOf } from '../settings/console-port.ts'
import { frontLimits } from '../settings/limits.ts'
import type { Scope } from '../settings/scope.ts'
import type { ActorSystem } from '../threads/actor-system.ts'
import { hasCertificate, readCertificate } from './certificate.ts'
import type { Chosen } from './chosen.ts'
import { installationOf } from './installation.ts'
import type { LiveTokens } from './live-tokens.ts'

/** What the set-up builds from `web/`. */
const PAGES = fileURLToPath(new URL('../../../web/dist', import.meta.url))

interface FrontsOptions {
  readonly config: Config
  readonly settings?: readonly Setting[] | undefined
  readonly configFile?: string | undefined
  readonly scope: Scope
  readonly log: Logger
}

const proxyPortOf = ({ direct }: Config, index: number): number | undefined =>
  direct.proxy_base_port === 0 ? undefined : direct.proxy_base_port + index

/** Read beforehand: what is wrong with a file is told in words, not by the socket library. */
function tlsFiles(config: Config): TlsFiles | undefined {
  if (!hasCertificate(config)) return undefined
  const read = readCertificate(config)
  if (!read.ok) throw new StartError(read.error)
  const { ssl_certfile: certFile, ssl_keyfile: keyFile } = config.gateway
  return { certFile, keyFile }
}

interface FrontParts {
  readonly system: ActorSystem
  readonly accounts: Accounts
  readonly chosen: Chosen
  readonly liveTokens: LiveTokens
  /** Filled with the ports that direct mode really listens on, by place in the configuration. */
  readonly ports: Map<number, number>
}

/** Opens every front of the process, or none. Errors  rejects with `ListenError` for a port, `StartError` for a file of TLS. */
export async function openFronts(
  { config, settings, configFile, scope, log }: FrontsOptions,
  parts: FrontParts,
): Promise<Front[]> {
  const { system, accounts, chosen, ports } = parts
  const served = chosen.map(([account]) => account)
  const common = {
    service: accounts,
    clock: system.clock,
    newKey: (accountId: string) => accounts.newKey(accountId),
    log,
    limits: frontLimits(config.limits),
    scans: new ScanBudget(frontLimits(config.limits)),
    connections: new Connections(
      frontLimits(config.limits),
      descriptorsMax(),
      descriptorsWantedBy(servedBy(served, config.cluster), accounts, config.cluster),
    ),
    tokens: parts.liveTokens,
  }
  const consolePages = loadPages({
    folder: join(PAGES, 'console'),
    mayConnectElsewhere: false,
    hasFallback: false,
  })
  const direct: FrontOptions[] = chosen.map(([{ account_id }, index]) => ({
    ...common,
    backend: 'direct',
    accountId: account_id,
    host: config.direct.host,
    port: portOf(config, index),
    proxyPort: proxyPortOf(config, index),
    token: config.direct.api_token,
    tokenBesideNamed: config.gateway.api_token,
    publicMode: config.direct.public_mode,
    allowedOrigins: config.direct.allowed_origins,
    settings,
    configFile,
    installation: () =>
      installationOf(config, {
        env: process.env,
        hasNamed: parts.liveTokens.tokens.length > 0,
      }),
    pages: consolePages,
  }))
  const gateway = (): FrontOptions => ({
    ...common,
    backend: 'gateway',
    host: config.gateway.host,
    port: config.gateway.port,
    proxyPort: config.gateway.proxy_port || undefined,
    token: config.gateway.api_token,
    trustProxy: config.gateway.trust_proxy,
    proxies: config.gateway.proxies,
    tls: tlsFiles(config),
    allowedIps: config.gateway.allowed_ips,
    rateLimit: config.gateway.rate_limit,
    pages: loadPages({
      folder: join(PAGES, 'monitor'),
      mayConnectElsewhere: true,
      hasFallback: true,
    }),
    probe: {
      tokens: [config.direct.api_token, config.gateway.api_token],
      host: config.direct.host,
      directPortOf: ({ configIndex }: AccountLink) =>
        configIndex === undefined
          ? undefined
          : ports.get(configIndex) || portOf(config, configIndex) || undefined,
    },
  })
  const wanted = [
    ...(scope.kind === 'direct' ? [] : [gateway()]),
    ...(scope.kind === 'gateway' ? [] : direct),
  ]
  const fronts: Front[] = []
  try {
    for (const options of wanted) {
      const front = await startFront(options)
      fronts.push(front)
      if (front.proxyPort !== undefined) {
        const { backend, proxyPort: port } = front
        log.info({ backend, port }, 'listens for proxies that speak HTTP/1.0')
      }
      const index = chosen.find(
        ([{ account_id }]) => options.backend === 'direct' && account_id === options.accountId,
      )?.[1]
      if (index !== undefined) ports.set(index, front.port)
    }
    return fronts
  } catch (error) {
    await Promise.all(fronts.map((front) => front.close()))
    throw error
  }
}

/** Where a person on this computer finds it. */
export function urlOf({ scheme, host, port }: Front): string {
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${scheme}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}
