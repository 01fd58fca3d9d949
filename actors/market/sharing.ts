import { isInvented, type MarketConfig } from '../../src/config/schema.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { TimeSources } from '../../src/market/clock.ts'
import type { MarketLog } from '../../src/market/saved.ts'
import type { LiveMarket } from '../../src/ports/market-source.port.ts'
import type { QuoteExchange } from '../../src/ports/quote-exchange.port.ts'
import type { QuoteKind } from '../../src/protocol/shared-quotes.ts'
import { QuoteGiver, type QuoteGiverOptions } from './quote-giver.ts'
import { QuoteTaker, type QuoteTakerOptions } from './quote-taker.ts'

export type SharingLimits = QuoteGiverOptions['limits'] & QuoteTakerOptions['limits']

/** How the market of this computer is joined to those of the others in its cluster. */
export interface Sharing {
  readonly node: string
  readonly exchange: QuoteExchange
  readonly limits: SharingLimits
}

/** What of the parts of a market concerns its cluster. */
interface Joined {
  readonly config: MarketConfig
  readonly sharing?: Sharing | undefined
  readonly time: Pick<TimeSources, 'monotonicMs'>
  readonly log: MarketLog
}

const kindOf = (config: MarketConfig): QuoteKind => (isInvented(config) ? 'simulated' : 'real')

/** Under which quotes and bars are kept: those of one are never shown under another. */
export const sourceNameOf = (config: MarketConfig): string =>
  config.source === 'cluster' && isInvented(config) ? 'cluster-simulated' : config.source

/** Undefined where there is nothing to give: what others tell is not told on, and a recording is of another time. */
export function openGiver(
  { config, sharing, time, log }: Joined,
  feed: QuoteGiverOptions['feed'],
): QuoteGiver | undefined {
  const { source } = config
  if (sharing === undefined || source === 'cluster' || source === 'replay') return undefined
  const { node, exchange, limits } = sharing
  const self = { node, kind: kindOf(config), source }
  const { monotonicMs } = time
  return new QuoteGiver({ self, exchange, limits, feed, monotonicMs, log })
}

/** The quotes of the other nodes as the market of this one. */
export function openTaker(
  { node, exchange, limits }: Sharing,
  config: MarketConfig,
  { monotonicMs, log }: { readonly monotonicMs: () => number; readonly log: MarketLog },
): LiveMarket {
  const kind = kindOf(config)
  return {
    feed: new QuoteTaker({ node, kind, exchange, limits, monotonicMs, log }),
    fetch: async () => {
      throw new ServiceError(
        'CONFLICT',
        '其他节点只转发行情，没有历史 (other nodes send quotes, and no history)',
      )
    },
  }
}
