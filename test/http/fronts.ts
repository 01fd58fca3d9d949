import { Connections } from '../../http/connections.ts'
import type { FrontLimits } from '../../http/context.ts'
import {
  type DirectFrontOptions,
  type Front,
  type GatewayFrontOptions,
  startFront,
} from '../../http/front.ts'
import { ScanBudget } from '../../http/scan-budget.ts'
import { limitsSchema } from '../../src/config/limits.ts'
import { frontLimits } from '../../src/service/settings/limits.ts'
import { type FakeLink, FakeService, NOW_MS } from './fake-service.ts'

export const FRONT_LIMITS: FrontLimits = frontLimits(limitsSchema.parse({}))

export interface Logged {
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

interface Bench {
  readonly service: FakeService
  readonly front: Front
  readonly logged: Logged[]
}

const log = (logged: Logged[]) => {
  const write = (fields: Logged['fields'], message: string): void => {
    logged.push({ fields, message })
  }
  return { warn: write, error: write }
}

const common = (links: readonly FakeLink[], limits: Partial<FrontLimits>, logged: Logged[]) => ({
  service: new FakeService(links),
  host: '127.0.0.1',
  port: 0,
  clock: { nowMs: () => NOW_MS },
  newKey: () => 'fresh-key',
  log: log(logged),
  limits: { ...FRONT_LIMITS, ...limits },
  scans: new ScanBudget({ ...FRONT_LIMITS, ...limits }),
  connections: new Connections({ ...FRONT_LIMITS, ...limits }, undefined),
  tokens: [],
})

type Loose<T extends { readonly limits: FrontLimits }> = Partial<Omit<T, 'limits'>> & {
  readonly limits?: Partial<FrontLimits>
}

type Closer = { teardown(then: () => unknown): void }

/** What a direct-mode listener on a free port is started with. */
export function directOptions(
  link: FakeLink,
  { limits = {}, ...options }: Loose<DirectFrontOptions>,
  logged: Logged[] = [],
) {
  const base = common([link], limits, logged)
  return {
    ...base,
    backend: 'direct' as const,
    accountId: link.accountId,
    token: '',
    publicMode: false,
    allowedOrigins: [],
    ...options,
    limits: base.limits,
  }
}

/** A direct-mode listener on a free port; closed when the test ends. */
export async function directFront(
  t: Closer,
  link: FakeLink,
  options: Loose<DirectFrontOptions> = {},
): Promise<Bench> {
  const logged: Logged[] = []
  const whole = directOptions(link, options, logged)
  const front = await startFront(whole)
  t.teardown(() => front.close())
  return { service: whole.service as FakeService, front, logged }
}

/** What a gateway on a free port is started with. */
export function gatewayOptions(
  links: readonly FakeLink[],
  { limits = {}, ...options }: Loose<GatewayFrontOptions>,
  logged: Logged[] = [],
) {
  const base = common(links, limits, logged)
  return {
    ...base,
    backend: 'gateway' as const,
    token: '',
    trustProxy: false,
    proxies: [],
    tls: undefined,
    allowedIps: [],
    rateLimit: 0,
    probe: { tokens: [], host: '127.0.0.1', directPortOf: () => undefined },
    ...options,
    limits: base.limits,
  }
}

/** A gateway listener on a free port; closed when the test ends. */
export async function gatewayFront(
  t: Closer,
  links: readonly FakeLink[],
  options: Loose<GatewayFrontOptions> = {},
): Promise<Bench> {
  const logged: Logged[] = []
  const whole = gatewayOptions(links, options, logged)
  const front = await startFront(whole)
  t.teardown(() => front.close())
  return { service: whole.service as FakeService, front, logged }
}
