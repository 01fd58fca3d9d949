import { type InBoth, inBoth, inQuotes } from '../../domain/in-both.ts'
import type { KillLevel } from '../../domain/kill-level.ts'
import type { Money } from '../../domain/money.ts'
import type { Position } from '../../domain/position.ts'

/** Triggers that raise the level by themselves. What they have raised, a person lowers. */
export type RaisingTrigger = 'max_rejects_in_row' | 'max_daily_loss'

/** Where the kill switch stands. Durable: it changes by the event `killSwitchSet` only. */
export interface KillSwitch {
  readonly level: KillLevel
  /** Epoch ms of the market clock; 0 while it was never touched. */
  readonly sinceMs: number
  readonly reason: string
  /** Who asked, as the journal keeps it, or the trigger that raised it: `trigger:max_daily_loss`. */
  readonly source: string
}

/** Whose words the reason is: ours where a trigger has raised the level, else somebody's own, which nobody takes apart. */
const isOwnReason = ({ source }: Pick<KillSwitch, 'source'>): boolean =>
  source.startsWith('trigger:')

/** The reason as it may stand within a text of ours. */
export const spokenReason = (of: Pick<KillSwitch, 'reason' | 'source'>): string =>
  isOwnReason(of) ? of.reason : inQuotes(of.reason)

/** The reason in each language. */
export const reasonInBoth = (of: Pick<KillSwitch, 'reason' | 'source'>): InBoth =>
  isOwnReason(of) ? inBoth(of.reason) : { zh: of.reason, en: of.reason }

export const KILL_SWITCH_OFF: KillSwitch = { level: 'off', sinceMs: 0, reason: '', source: '' }

/** How far the protective sales of a day have come: near their limit, or at it. */
export type ProtectiveStage = 'near' | 'reached'

/** What a person has been told of the limit of protective sales, and of which exchange day. */
export interface ProtectiveTold {
  /** Empty before the first. */
  readonly day: string
  readonly stage: ProtectiveStage
}

export const NOTHING_TOLD: ProtectiveTold = { day: '', stage: 'near' }

/** A holding that nobody had quoted: it stands in a total at its cost. */
export type UnpricedHolding = Pick<Position, 'code' | 'quantity' | 'costPrice'>

/** What the loss of an exchange day is measured from. */
export interface DayTotal {
  /** Empty before the first. */
  readonly day: string
  /**
   * Total of cash and holdings with which that day began: the last one before anything traded, else the first one seen;
   * of a holding without a price then, at its first one.
   */
  readonly total: Money
  /**
   * What holdings and deals had brought of the day by then; the loss is counted from it, so that no transfer of cash is in it.
   * Absent where nobody could tell, and in books of an earlier release: then total is compared with total.
   */
  readonly result?: Money
  /** Those that have none yet. Absent where all have. */
  readonly unpriced?: readonly UnpricedHolding[]
  /** Loss at which the trigger fired last; it fires again after a further full limit. */
  readonly firedAt: Money
}

export const NO_DAY_TOTAL: DayTotal = { day: '', total: 0 as Money, firedAt: 0 as Money }
