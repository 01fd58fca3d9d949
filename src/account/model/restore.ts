/**
 * The books are older than what the trading client has seen: they were put back from a backup, or
 * removed and begun anew. Kept after it was dealt with, because ids made since then bear its mark.
 */
export interface Restore {
  /** Names this restore: each is dealt with once. */
  readonly mark: string
  /** Of the books as they were found. */
  readonly fromEpoch: number
  /** Highest that the trading client has seen; 0 when it could not say. */
  readonly clientEpoch: number
  /** Epoch ms of the market clock. */
  readonly foundMs: number
  /** When all four reports had been compared; 0 before. Nothing is sent until then. */
  readonly comparedMs: number
  /**
   * When a person had seen what the comparison found; 0 before, and nothing is sent until then. Absent in
   * books that an earlier release put back: it waited for the comparison alone.
   */
  readonly confirmedMs?: number
  /**
   * Marks of those that were dealt with before, the latest first. An account of a cluster that comes back to a computer
   * finds the one of the database there, which no other computer can take away.
   */
  readonly former?: readonly string[]
  /** What the trading client had and the books did not, up to the end of that comparison. */
  readonly since?: PlacedSince
}

/** What was placed after the backup, as far as the trading client still tells of it. */
interface PlacedSince {
  /** Client order ids, the first ones found. */
  readonly orders: readonly string[]
  readonly ordersTotal: number
  readonly deals: number
}

export const NOTHING_SINCE: PlacedSince = { orders: [], ordersTotal: 0, deals: 0 }
/** Orders that the report names; all of them are in the list of orders. */
export const SINCE_ORDERS_MAX = 200

/** Marks that are remembered: more than a cluster has computers. */
const FORMER_MAX = 32

/** Whether what this mark names was dealt with. */
export const isDealtWith = (restore: Restore | undefined, mark: string): boolean =>
  restore !== undefined && marksOf(restore).includes(mark)

/** What the next one remembers of this one, and of those before. */
export const formerOf = (restore: Restore | undefined): Pick<Restore, 'former'> =>
  restore === undefined ? {} : { former: marksOf(restore).slice(0, FORMER_MAX) }

const marksOf = ({ mark, former = [] }: Restore): readonly string[] => [mark, ...former]

/** Whether orders have to wait until a person has seen what the comparison found. */
export const isUnconfirmed = (restore: Restore | undefined): boolean => restore?.confirmedMs === 0

/** Whether orders have to wait for the comparison. */
export const isUncompared = (restore: Restore | undefined): boolean => restore?.comparedMs === 0

/**
 * What ids that follow from a counter are made of besides: an older database counts again what it has
 * counted before, and the orders of then are at the trading client.
 */
export const restoredSeed = ({ restore }: { readonly restore: Restore | undefined }): string =>
  restore === undefined ? '' : `|${restore.mark}`
