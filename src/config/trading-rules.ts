import { createHash } from 'node:crypto'
import { CONSTANTS, WITHOUT_EFFECT } from '../domain/settings/table.ts'
import { riskSchema } from './risk.ts'
import { type Config, isInvented } from './schema.ts'
import { strategySchema } from './strategy.ts'

const DIGEST_DIGITS = 8

/** Constants that something reads under this very name: what is another name of a setting says nothing of its own. */
const READ: ReadonlySet<string> = new Set(
  CONSTANTS.filter(([name, row]) => !(WITHOUT_EFFECT.has(name) || 'twin' in row)).map(
    ([name]) => name,
  ),
)

/**
 * What the file of a node decides of how it trades, and no account brings along: each setting of `strategy` and `risk` that
 * is not as it is by default, with a digest of its value, `risk.price_deviation:1f3a5b7c …`. What was saved in an account
 * wins over the file and travels with the account.
 */
export function tradingRules(config: Pick<Config, 'market' | 'risk' | 'strategy'>): string {
  const { risk, strategy, market } = config
  return [
    ...set('strategy', strategy, strategySchema.parse({})).filter(([name]) => READ.has(name)),
    ...set('risk', risk, riskSchema.parse({})),
    ...unrealMarket(market).map((kind) => ['source', 'market.source', kind] as const),
  ]
    .map(([, path, value]) => `${path}:${digestOf(`${path}=${value}`)}`)
    .toSorted()
    .join(' ')
}

/** Prices of another day or of none; those of a real day are alike wherever they come from. */
function unrealMarket(market: Config['market']): readonly string[] {
  if (isInvented(market)) return ['invented']
  return market.source === 'replay' ? ['replay'] : []
}

type Values = Readonly<Record<string, unknown>>

/** As name, path and value. */
function set(section: string, values: Values, defaults: Values) {
  return Object.entries(values)
    .map(([name, value]) => [name, JSON.stringify(value)] as const)
    .filter(([name, text]) => text !== undefined && text !== JSON.stringify(defaults[name]))
    .map(([name, text]) => [name, `${section}.${name}`, text] as const)
}

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, DIGEST_DIGITS)
