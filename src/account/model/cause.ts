/** Why a strategy is asked to evaluate a stock. */
export type Cause =
  /** A price left the band of the stock. */
  | 'tick'
  /** Something that the judgment rests on changed: the holding, an order, a switch, the connection. */
  | 'change'
  /** The moment that the strategy had named has come. */
  | 'alarm'
