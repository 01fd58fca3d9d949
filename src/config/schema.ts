import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { LOG_LEVELS } from '../domain/log-level.ts'
import { type AccountConfig, accountSchema } from './account.ts'
import { clusterSchema } from './cluster.ts'
import { having, isReal } from './drivers.ts'
import type { DirectSecrets } from './environment.ts'
import { decimal, filePath, flag, token, whole } from './fields.ts'
import { type Limits, limitsSchema } from './limits.ts'
import { riskSchema } from './risk.ts'
import { type StrategyConfig, strategySchema } from './strategy.ts'
import { isDay, tokensSchema } from './tokens.ts'

const PORT_MAX = 65_535
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** An address that only this computer reaches. IPv4 written as IPv6 counts as the IPv4 address. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  (isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))

/** `10.0.0.7`, `10.0.0.0/8`, `::1`, `fd00::/8`. A range of IPv4 inside IPv6 must stay inside it. */
const isAddressRange = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  if (bits === undefined) return true
  const [least, most] = family === 4 ? [0, 32] : [address.includes('.') ? 96 : 0, 128]
  return /^\d{1,3}$/.test(bits) && Number(bits) >= least && Number(bits) <= most
}
const isWebOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
const webOrigin = z.string().refine(isWebOrigin, {
  error:
    '须为页面来源，例如 "http://localhost:3000"：协议、主机、端口，后面没有别的 (must be an origin such as "http://localhost:3000": scheme, host and port, nothing behind them)',
})

const addressRange = z.string().refine(isAddressRange, {
  error:
    '须为 IP 地址或网段，例如 "192.168.1.0/24" (must be an IP address or a range such as "192.168.1.0/24")',
})
const isHost = (text: string): boolean => isIP(text) !== 0 || /^[A-Za-z0-9.-]{1,253}$/.test(text)

const marketSchema = z
  .discriminatedUnion('source', [
    z.strictObject({
      source: z
        .literal('simulated')
        .optional() // by itself a default leaves the union without a variant for a section that names no source
        .default('simulated')
        .describe(
          '行情来源：按种子随机生成，总在交易时间 (source of quotes: seeded random walk, always in session)',
        ),
      seed: whole(
        { default: 1, min: 0, max: 4_294_967_295 },
        '随机种子，相同种子走势相同 (seed; the same one walks the same way)',
      ),
      interval_ms: whole(
        { default: 3_000, min: 1, max: 3_600_000 },
        '一只代码两笔行情之间，行情时间 (between two ticks of a code, of market time)',
      ),
      speed: decimal(
        { default: 1, min: 0.01, max: 1_000 },
        '行情时间与实际时间之比 (market time to real time)',
      ),
    }),
    z.strictObject({
      source: z
        .literal('replay')
        .describe('行情来源：回放录制的行情 (source of quotes: recorded ticks)'),
      file: filePath()
        .min(1)
        .describe(
          '回放文件，每行一个 JSON，相对于配置文件 (replay file, newline-delimited JSON; relative to the configuration file)',
        ),
      speed: z
        .union([z.number().min(0.001).max(1e6), z.literal('max')], {
          error:
            '须为 0.001 至 1000000 的数字，或 "max" (must be a number from 0.001 to 1000000 or "max")',
        })
        .default(1)
        .describe('回放速度，1 = 与录制时相同 (speed of the replay; 1 = as recorded)'),
      autostart: flag(
        true,
        '是否自动开始回放，false = 等待人工开始 (whether the replay starts by itself; false waits for the operator)',
      ),
    }),
    z.strictObject({
      source: z
        .literal('cluster')
        .describe(
          '行情来源：集群中自己有行情的节点 (source of quotes: the nodes of the cluster that have some)',
        ),
      quotes: z
        .enum(['real', 'simulated'])
        .default('real')
        .describe(
          '取真实行情还是（试用时）模拟行情，两者从不混用 (those of the market, or invented ones to try it out; they are never mixed)',
        ),
    }),
    ...Object.values(having('quotes')).map(({ market }) => market),
  ])
  .prefault({ source: 'simulated' })

const directSchema = z
  .strictObject({
    base_port: whole(
      { default: 5_000, min: 0, max: PORT_MAX },
      '直连端口起点，第 i 个账户用 base_port + i，0 = 任意空闲端口 (first port of direct mode: account i listens on base_port + i; 0 = free ports)',
    ),
    proxy_base_port: whole(
      { default: 0, min: 0, max: PORT_MAX },
      '供 HTTP/1.0 代理使用的第二端口起点，需令牌，0 = 没有 (account i has a second port for proxies that speak HTTP/1.0, with a token; 0 = none)',
    ),
    host: z
      .string()
      .refine(isLoopback, {
        error:
          '须为本机地址，例如 "127.0.0.1"；其他电脑请用网关 (must be a loopback address such as "127.0.0.1"; other computers use the gateway)',
      })
      .default('127.0.0.1')
      .describe('直连监听地址，只能是本机 (address of direct mode; loopback only)'),
    allowed_origins: z
      .array(webOrigin)
      .max(100)
      .default([])
      .describe(
        '允许在浏览器中访问直连模式的其他页面来源 (origins of other pages that may read and write direct mode from a browser)',
      ),
  })
  .prefault({})

const gatewaySchema = z
  .strictObject({
    host: z
      .string()
      .refine((text) => text === '' || isHost(text), {
        error: '须为 IP 地址或主机名 (must be an IP address or a host name)',
      })
      .default('')
      .describe(
        '网关监听地址，空 = 0.0.0.0，没有令牌时 127.0.0.1 (address that the gateway listens on; empty = 0.0.0.0, without a token 127.0.0.1)',
      ),
    port: whole(
      { default: 8_888, min: 0, max: PORT_MAX },
      '网关端口，0 = 任意空闲端口 (port of the gateway; 0 = a free port)',
    ),
    proxy_port: whole(
      { default: 0, min: 0, max: PORT_MAX },
      '供 HTTP/1.0 代理使用的第二端口，需令牌，0 = 没有 (a second port for proxies that speak HTTP/1.0, with a token; 0 = none)',
    ),
    api_token: token()
      .default('')
      .describe(
        '网关令牌，环境变量 GW_API_TOKEN、SVC_API_TOKEN 优先 (token of the gateway; GW_API_TOKEN and SVC_API_TOKEN win over it)',
      ),
    trust_proxy: flag(
      false,
      '以 X-Forwarded-For 最右一跳为调用者，须同时设置 proxies (the right-most hop of X-Forwarded-For is the caller; with proxies)',
    ),
    proxies: z
      .array(addressRange)
      .max(1_000)
      .default([])
      .describe(
        '自己的代理地址，配合 trust_proxy，其他一律不信 (addresses of our own proxies, with trust_proxy; nobody else is believed)',
      ),
    ssl_certfile: filePath()
      .default('')
      .describe(
        '证书 PEM 文件，与 ssl_keyfile 一起启用 HTTPS (certificate in PEM; with ssl_keyfile the gateway is HTTPS)',
      ),
    ssl_keyfile: filePath()
      .default('')
      .describe('私钥 PEM 文件，只许本用户读取 (key in PEM, readable by this user only)'),
    allowed_ips: z
      .array(addressRange)
      .max(10_000)
      .default([])
      .describe('允许访问的地址或网段，空 = 全部 (addresses or ranges that may ask; empty = all)'),
    rate_limit: whole(
      { default: 600, min: 0, max: 1_000_000 },
      '每个地址每分钟的请求数，0 = 关闭 (requests per minute and address; 0 = off)',
    ),
  })
  .prefault({})

const auditSchema = z
  .strictObject({
    head_file: filePath()
      .default('')
      .describe(
        'data_dir 之外的文件，每次公布日志末端时追加一行 (outside data_dir: takes a line whenever the end of a journal was published)',
      ),
    key_file: filePath()
      .default('')
      .describe(
        'data_dir 之外的 Ed25519 私钥（PEM），为这些行签名，用 steward key 生成 (outside data_dir: Ed25519 key in PEM that signs the lines of head_file; "steward key")',
      ),
  })
  .prefault({})

/** The configuration file, every default and every range. The order is the order of `steward check`. */
export const configSchema = z.strictObject({
  data_dir: filePath()
    .min(1)
    .default('./data')
    .describe(
      '数据目录，里面每个账户一个文件夹 (folder of the data; one folder per account inside)',
    ),
  accounts: z
    .array(accountSchema)
    .default([])
    .describe('账户列表，顺序决定直连端口 (accounts; their order fixes the direct-mode ports)'),
  closed_days: z
    .array(
      z.string().refine(isDay, {
        error: '须为日期，例如 "2027-02-08" (must be a day such as "2027-02-08")',
      }),
    )
    .max(1_000)
    .default([])
    .describe(
      '本程序还不知道的休市日，按交易所公告，如 "2027-02-08"；给出任何一天，该年即算已知 (weekdays on which the exchange is closed, of a year that this program does not know yet; the year of any counts as known)',
    ),
  market: marketSchema,
  direct: directSchema,
  gateway: gatewaySchema,
  tokens: tokensSchema,
  strategy: strategySchema,
  risk: riskSchema,
  audit: auditSchema,
  cluster: clusterSchema,
  log: z
    .strictObject({
      level: z
        .enum(LOG_LEVELS)
        .default('info')
        .describe('记录的最低日志级别 (least level that is logged)'),
      folder: filePath()
        .default('logs')
        .describe(
          '日志文件夹，在 data_dir 内，标准输出之外另写一份，空 = 不写文件 (folder of log files inside data_dir, beside standard output; empty = no files)',
        ),
    })
    .prefault({}),
  limits: limitsSchema,
})

export type ParsedConfig = z.output<typeof configSchema>
export type MarketConfig = ParsedConfig['market']
/** What the service runs on: all sources merged, paths absolute, drivers decided. */
export type Config = Omit<ParsedConfig, 'accounts' | 'direct'> & {
  readonly accounts: readonly AccountConfig[]
  readonly direct: ParsedConfig['direct'] & DirectSecrets
}
export type { AccountConfig, Limits, StrategyConfig }

/** Whether prices are made up here or on another computer: such a market is always in session. */
export const isInvented = (market: MarketConfig): boolean =>
  market.source === 'simulated' || (market.source === 'cluster' && market.quotes === 'simulated')

/** The strategy of one account: the simulation mode is on where orders would leave the computer. */
export const strategyOf = (
  { strategy }: Pick<Config, 'strategy'>,
  account: Pick<AccountConfig, 'driver'>,
): StrategyConfig => ({
  ...strategy,
  ENABLE_SIMULATION_MODE: strategy.ENABLE_SIMULATION_MODE ?? isReal(account),
})
