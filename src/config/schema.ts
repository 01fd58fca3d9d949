import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { LOG_LEVELS } from '../domain/log-level.ts'
import { type AccountConfig, accountSchema } from './account.ts'
import { having, isReal } from './drivers.ts'
import type { DirectSecrets } from './environment.ts'
import { decimal, flag, token, whole } from './fields.ts'
import { type Limits, limitsSchema } from './limits.ts'
import { type StrategyConfig, strategySchema } from './strategy.ts'
import { tokensSchema } from './tokens.ts'

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
    'must be an origin such as "http://localhost:3000": scheme, host and port, nothing behind them',
})

const addressRange = z.string().refine(isAddressRange, {
  error: 'must be an IP address or a range such as "192.168.1.0/24"',
})
const isHost = (text: string): boolean => isIP(text) !== 0 || /^[A-Za-z0-9.-]{1,253}$/.test(text)

const marketSchema = z
  .discriminatedUnion('source', [
    z.strictObject({
      source: z.literal('simulated').describe('seeded random walk, always in session'),
      seed: whole({ default: 1, min: 0, max: 4_294_967_295 }, 'the same seed walks the same way'),
      interval_ms: whole(
        { default: 3_000, min: 1, max: 3_600_000 },
        'between two ticks of a code; milliseconds of market time',
      ),
      speed: decimal({ default: 1, min: 0.01, max: 1_000 }, 'market time to real time'),
    }),
    z.strictObject({
      source: z.literal('replay').describe('recorded ticks'),
      file: z
        .string()
        .min(1)
        .describe('newline-delimited JSON; relative to the configuration file'),
      speed: z
        .union([z.number().min(0.001).max(1e6), z.literal('max')], {
          error: 'must be a number from 0.001 to 1000000 or "max"',
        })
        .default(1)
        .describe('1 = as recorded'),
      autostart: flag(true, 'false waits for the operator'),
    }),
    ...Object.values(having('quotes')).map(({ market }) => market),
  ])
  .prefault({ source: 'simulated' })

const directSchema = z
  .strictObject({
    base_port: whole(
      { default: 5_000, min: 0, max: PORT_MAX },
      'account i listens on base_port + i; 0 = free ports',
    ),
    proxy_base_port: whole(
      { default: 0, min: 0, max: PORT_MAX },
      'account i has a second port for proxies that speak HTTP/1.0, with a token; 0 = none',
    ),
    host: z
      .string()
      .refine(isLoopback, {
        error: 'must be a loopback address such as "127.0.0.1"; other computers use the gateway',
      })
      .default('127.0.0.1')
      .describe('loopback only'),
    allowed_origins: z
      .array(webOrigin)
      .max(100)
      .default([])
      .describe('origins of other pages that may read and write direct mode from a browser'),
  })
  .prefault({})

const gatewaySchema = z
  .strictObject({
    host: z
      .string()
      .refine((text) => text === '' || isHost(text), {
        error: 'must be an IP address or a host name',
      })
      .default('')
      .describe('address to listen on; empty = 0.0.0.0, without a token 127.0.0.1'),
    port: whole({ default: 8_888, min: 0, max: PORT_MAX }, '0 = a free port'),
    proxy_port: whole(
      { default: 0, min: 0, max: PORT_MAX },
      'a second port for proxies that speak HTTP/1.0, with a token; 0 = none',
    ),
    api_token: token().default('').describe('GW_API_TOKEN and SVC_API_TOKEN win over it'),
    trust_proxy: flag(false, 'the right-most hop of X-Forwarded-For is the caller; with proxies'),
    proxies: z
      .array(addressRange)
      .max(1_000)
      .default([])
      .describe('addresses of our own proxies, with trust_proxy; nobody else is believed'),
    ssl_certfile: z
      .string()
      .default('')
      .describe('PEM file; with ssl_keyfile the gateway is HTTPS'),
    ssl_keyfile: z.string().default('').describe('PEM file, readable by this user only'),
    allowed_ips: z
      .array(addressRange)
      .max(10_000)
      .default([])
      .describe('addresses or ranges; empty = all'),
    rate_limit: whole(
      { default: 600, min: 0, max: 1_000_000 },
      'requests per minute and address; 0 = off',
    ),
  })
  .prefault({})

const riskSchema = z
  .strictObject({
    max_orders_per_second: whole(
      { default: 5, min: 0, max: 10_000 },
      'per account; more of people wait for their turn; 0 = off',
    ),
    max_orders_per_day: whole(
      { default: 500, min: 0, max: 1_000_000 },
      'per account, all but protective sales; 0 = off',
    ),
    max_protective_orders_per_day: whole(
      { default: 1_000, min: 0, max: 1_000_000 },
      'take-profit and stop-loss sales of an account; 0 = off',
    ),
    max_order_value: decimal({ default: 0, min: 0, max: 1e11 }, 'yuan; 0 = off'),
    price_deviation: decimal({ default: 0, min: 0, max: 1 }, 'from the last price; ratio; 0 = off'),
    max_daily_loss: decimal({ default: 0, min: 0, max: 1e11 }, 'yuan; 0 = off'),
    max_rejects_in_row: whole({ default: 10, min: 0, max: 10_000 }, '0 = off'),
    stale_quote_seconds: decimal({ default: 60, min: 0, max: 86_400 }, 'seconds; 0 = off'),
    refuse_duplicates: flag(false, 'refuse an order like one that is still open, whatever its key'),
  })
  .prefault({})

const auditSchema = z
  .strictObject({
    head_file: z
      .string()
      .default('')
      .describe('outside data_dir: takes a line whenever the end of a journal was published'),
    key_file: z
      .string()
      .default('')
      .describe('outside data_dir: Ed25519 key in PEM that signs those lines; "steward key"'),
  })
  .prefault({})

/** The configuration file, every default and every range. The order is the order of `steward check`. */
export const configSchema = z.strictObject({
  data_dir: z.string().min(1).default('./data').describe('one folder per account inside'),
  accounts: z.array(accountSchema).default([]).describe('the order fixes the direct-mode ports'),
  market: marketSchema,
  direct: directSchema,
  gateway: gatewaySchema,
  tokens: tokensSchema,
  strategy: strategySchema,
  risk: riskSchema,
  audit: auditSchema,
  log: z
    .strictObject({
      level: z.enum(LOG_LEVELS).default('info').describe('least level'),
      folder: z
        .string()
        .default('logs')
        .describe('inside data_dir, beside standard output; empty = no files'),
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

/** The strategy of one account: the simulation mode is on where orders would leave the computer. */
export const strategyOf = (
  { strategy }: Pick<Config, 'strategy'>,
  account: Pick<AccountConfig, 'driver'>,
): StrategyConfig => ({
  ...strategy,
  ENABLE_SIMULATION_MODE: strategy.ENABLE_SIMULATION_MODE ?? isReal(account),
})
