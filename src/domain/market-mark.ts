/** Who causes what nobody has asked for: the prices. */
export const MARKET = 'market'

/** What the market moves by itself, on a rising day with every tick: highs and stop prices of holdings. */
export const isMarketMark = (kind: string, body: object): boolean =>
  kind === 'holdingChanged' && 'source' in body && body.source === MARKET
