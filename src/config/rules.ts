import { folderOf } from '../domain/ids.ts'
import type { Text } from '../domain/settings/row.ts'
import type { SectionProblem } from '../drivers/registration.ts'
import type { AccountConfig } from './account.ts'
import { clusterProblems } from './cluster-rules.ts'
import { DRIVER_NAMES, DRIVERS, type DriverName, defaultDriver, isReal } from './drivers.ts'
import { healthProblems } from './health-looks.ts'
import type { Problem } from './problems.ts'
import { isInvented, type ParsedConfig } from './schema.ts'
import { tokenProblems } from './tokens.ts'
import { type Path, valueAt } from './tree.ts'

/** The sections that are right in themselves; the others are already reported. */
export type Sections = Partial<ParsedConfig>
type Rule = (sections: Sections) => Problem[]

/** Every account has a driver: its own, or that of the market. */
export const resolveAccounts = ({ accounts, market }: Sections): AccountConfig[] =>
  (accounts ?? []).map((account) => ({
    ...account,
    driver: account.driver ?? defaultDriver(market?.source ?? 'simulated'),
  }))

const accountCount: Rule = ({ accounts, limits }) => {
  if (accounts === undefined || limits === undefined) return []
  if (accounts.length <= limits.accounts_max) return []
  const message = `共 ${accounts.length} 个账户，而 limits.accounts_max 是 ${limits.accounts_max} (${accounts.length} accounts, but limits.accounts_max is ${limits.accounts_max})`
  return [{ path: ['accounts'], message }]
}

const PORT_MAX = 65_535

/** Ports in a row that a setting takes. */
interface Ports {
  readonly path: Path
  readonly first: number
  readonly count: number
  /** What the port at this place is, for people. */
  readonly name: (index: number) => Text
}

/** Every fixed port of the service belongs to one listener. The later one in this list is the one to change. */
function wantedPorts({ accounts = [], direct, gateway }: Sections): Ports[] {
  const of = (path: Path, first: number | undefined, count: number, name: Ports['name']) =>
    first === undefined || first === 0 || count === 0 ? [] : [{ path, first, count, name }]
  const each = accounts.length
  return [
    ...of(['direct', 'base_port'], direct?.base_port, each, (index) => {
      return [`accounts[${index}] 的直连端口`, `the direct-mode port of accounts[${index}]`]
    }),
    ...of(['gateway', 'port'], gateway?.port, 1, () => ['gateway.port', 'gateway.port']),
    ...of(['direct', 'proxy_base_port'], direct?.proxy_base_port, each, (index) => {
      return [`accounts[${index}] 的代理端口`, `the port for proxies of accounts[${index}]`]
    }),
    ...of(['gateway', 'proxy_port'], gateway?.proxy_port, 1, () => [
      'gateway.proxy_port',
      'gateway.proxy_port',
    ]),
  ]
}

const noRoom = (first: number, count: number): string =>
  `从 ${first} 起，第 ${count} 个账户没有端口可用 (${first} leaves no port for account ${count})`

const ports: Rule = (sections) => {
  const wanted = wantedPorts(sections)
  return wanted.flatMap((ours, place) => {
    const { path, first, count } = ours
    if (first + count - 1 > PORT_MAX) {
      return [{ path, message: noRoom(first, count) }]
    }
    const other = wanted
      .slice(0, place)
      .find((theirs) => first < theirs.first + theirs.count && theirs.first < first + count)
    if (other === undefined) return []
    const port = Math.max(first, other.first)
    const [zh, en] = other.name(port - other.first)
    return [{ path, message: `${port} 也是 ${zh} (${port} is also ${en})` }]
  })
}

const driverMarkets: Rule = (sections) => {
  const { market } = sections
  if (market === undefined) return []
  if (market.source === 'cluster' && isInvented(market)) return inventedQuotes(sections)
  return resolveAccounts(sections).flatMap(({ driver }, index) => {
    const { markets } = DRIVERS[driver]
    if (markets === undefined || markets.includes(market.source)) return []
    const [zh, en] = [' 或 ', ' or '].map((word) => markets.map((each) => `"${each}"`).join(word))
    const message = `"${driver}" 需要 market.source 为 ${zh}，现为 "${market.source}" ("${driver}" needs market.source ${en}; it is "${market.source}")`
    return [{ path: ['accounts', index, 'driver'], message }]
  })
}

/** Real money is never traded on prices that somebody has made up. */
const inventedQuotes: Rule = (sections) =>
  resolveAccounts(sections).flatMap((account, index) => {
    if (!isReal(account)) return []
    const message = `"${account.driver}" 交易真实资金，而 market.quotes 是 "simulated"，请改为 "real" ("${account.driver}" trades real money, and market.quotes is "simulated"; set it to "real")`
    return [{ path: ['accounts', index, 'driver'], message }]
  })

const masterSwitch: Rule = (sections) => {
  if (sections.strategy?.ENABLE_AUTO_OPERATION !== true) return []
  const real = resolveAccounts(sections).findIndex(isReal)
  if (real < 0) return []
  const message = `accounts[${real}] 是真实账户，总开关须在每次启动后人工确认，请删除这一项 (accounts[${real}] has a real driver, so the master switch is confirmed by hand after every start; remove this key)`
  return [{ path: ['strategy', 'ENABLE_AUTO_OPERATION'], message }]
}

/** What the drivers say about their sections: of every account, and of the market. */
const driverSections: Rule = (sections) => {
  const { market } = sections
  const ofAccounts = resolveAccounts(sections).flatMap((account, index) =>
    DRIVER_NAMES.flatMap((name) => {
      const section = valueAt(account, [name])
      return problemsOf(name, { section, isUsed: account.driver === name }, [
        'accounts',
        index,
        name,
      ])
    }),
  )
  const ofMarket = DRIVER_NAMES.flatMap((name) =>
    market?.source === name ? problemsOf(name, { section: market, isUsed: true }, ['market']) : [],
  )
  return [...ofAccounts, ...ofMarket]
}

interface Looked {
  readonly section: unknown
  readonly isUsed: boolean
}

function problemsOf(name: DriverName, { section, isUsed }: Looked, path: Path): Problem[] {
  // The section was made by the schema of this driver.
  const problems = DRIVERS[name].problems as
    | ((section: unknown, isUsed: boolean) => readonly SectionProblem[])
    | undefined
  return (problems?.(section, isUsed) ?? []).map((found) => ({
    ...found,
    path: [...path, ...found.path],
  }))
}

/** What an account takes for itself, such as a port, no other account has. */
const driverOwn: Rule = (sections) => {
  const owners = new Map<string, number>()
  return resolveAccounts(sections).flatMap((account, index) => {
    const { driver } = account
    // The section was made by the schema of this driver.
    const own = DRIVERS[driver].own as ((section: unknown) => readonly SectionProblem[]) | undefined
    return (own?.(valueAt(account, [driver])) ?? []).flatMap(({ path, message: what }) => {
      const before = owners.get(what)
      if (before === undefined) {
        owners.set(what, index)
        return []
      }
      const message = `${what} 与 accounts[${before}] 相同 (${what} is also that of accounts[${before}])`
      return [{ path: ['accounts', index, driver, ...path], message }]
    })
  })
}

/** What the source of the quotes needs of the accounts. */
const marketAccounts: Rule = (sections) => {
  const { market, accounts } = sections
  const name = DRIVER_NAMES.find((each) => each === market?.source)
  if (market === undefined || accounts === undefined || name === undefined) return []
  const ids = resolveAccounts(sections).flatMap(({ driver, account_id: id }) =>
    driver === name ? [id] : [],
  )
  // The variant that its own schema has made.
  const found = DRIVERS[name].quotes?.problems?.(market as never, ids) ?? []
  return found.map(({ path, message }) => ({ path: ['market', ...path], message }))
}

/** `[smaller, larger]`: the first must not exceed the second. */
const ORDERED: readonly (readonly [section: 'strategy' | 'limits', smaller: Path, larger: Path])[] =
  [
    ['limits', ['runtime', 'restart_backoff_min_ms'], ['runtime', 'restart_backoff_max_ms']],
    ['limits', ['runtime', 'heartbeat_interval_ms'], ['runtime', 'heartbeat_timeout_ms']],
    ...DRIVER_NAMES.flatMap((name) =>
      (DRIVERS[name].ordered ?? []).map(
        ([smaller, larger]) => ['limits', [name, smaller], [name, larger]] as const,
      ),
    ),
    ['limits', ['cluster', 'ping_ms'], ['cluster', 'owner_timeout_ms']],
    ['limits', ['cluster', 'quote_want_ms'], ['cluster', 'quote_forget_ms']],
    ['strategy', ['MARKET_HEALTH_UNSTABLE_SCORE'], ['MARKET_HEALTH_DEGRADED_SCORE']],
    ['strategy', ['MARKET_HEALTH_DEGRADED_SCORE'], ['MARKET_HEALTH_HEALTHY_SCORE']],
    ['strategy', ['MARKET_HEALTH_MIN_EVENTS'], ['MARKET_HEALTH_MAX_EVENTS']],
  ]

const ordered: Rule = (sections) =>
  ORDERED.flatMap(([section, smaller, larger]) => {
    const low = numberAt(sections[section], smaller)
    const high = numberAt(sections[section], larger)
    if (low <= high) return []
    const name = [section, ...larger].join('.')
    const message = `${low} 大于 ${name}，后者是 ${high} (${low} exceeds ${name}, which is ${high})`
    return [{ path: [section, ...smaller], message }]
  })

const numberAt = (section: unknown, path: Path): number => Number(valueAt(section, path) ?? 0)

/** The same id twice would be one folder with two owners. Ids are compared as Windows compares folders. */
export function duplicateIds(accounts: unknown): Problem[] {
  if (!Array.isArray(accounts)) return []
  const first = new Map<string, number>()
  return accounts.flatMap((account: unknown, index) => {
    const id = valueAt(account, ['account_id'])
    if (typeof id !== 'string') return []
    const before = first.get(folderOf(id))
    if (before === undefined) {
      first.set(folderOf(id), index)
      return []
    }
    const message = `"${id}" 与 accounts[${before}] 的账号相同 ("${id}" is also the id of accounts[${before}])`
    return [{ path: ['accounts', index, 'account_id'], message }]
  })
}

/** Two accounts of one name would be taken for each other. */
const aliases: Rule = ({ accounts = [] }) => {
  const names = accounts.map(({ alias }) => alias.toLowerCase())
  return names.flatMap((name, index) => {
    const first = names.indexOf(name)
    if (name === '' || first === index) return []
    return [
      {
        path: ['accounts', index, 'alias'],
        message: `与 accounts[${first}] 的称呼相同 (is the alias of accounts[${first}] too)`,
      },
    ]
  })
}

const HTTPS_BOTH =
  '启用 HTTPS 须同时设置 ssl_certfile 与 ssl_keyfile (HTTPS needs both ssl_certfile and ssl_keyfile)'

const tls: Rule = ({ gateway }) => {
  if (gateway === undefined) return []
  const { ssl_certfile: cert, ssl_keyfile: key } = gateway
  if ((cert === '') === (key === '')) return []
  const missing = cert === '' ? 'ssl_certfile' : 'ssl_keyfile'
  return [{ path: ['gateway', missing], message: HTTPS_BOTH }]
}

/** A header that anybody can write is worth something only from a proxy that is known. */
const proxies: Rule = ({ gateway }) => {
  if (gateway?.trust_proxy !== true || gateway.proxies.length > 0) return []
  const message =
    '须在 gateway.proxies 写出代理的地址，否则任何调用者都能冒充别的地址 (needs the addresses of the proxies in gateway.proxies; otherwise every caller could name another address as its own)'
  return [{ path: ['gateway', 'trust_proxy'], message }]
}

const tokens: Rule = (sections) => tokenProblems(sections.tokens ?? [])

const RULES: readonly Rule[] = [
  driverSections,
  driverOwn,
  driverMarkets,
  marketAccounts,
  accountCount,
  aliases,
  ports,
  masterSwitch,
  ordered,
  ({ strategy }) => healthProblems(strategy),
  tls,
  proxies,
  tokens,
  clusterProblems,
]

/** Rules that span several settings. */
export const crossProblems = (sections: Sections): Problem[] =>
  RULES.flatMap((rule) => rule(sections))
