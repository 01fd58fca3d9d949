import { type Money, toYuan } from '../../domain/money.ts'
import type { AccountEvent } from './events.ts'

/** One event in the words of people. */
export interface Presented {
  /** Who caused it. */
  readonly source: string
  /** One plain sentence, Chinese first. */
  readonly summary: string
  /** Instead of the event itself. */
  readonly body?: unknown
}

/** The words for some kinds of events. */
export type JournalWords = {
  readonly [K in AccountEvent['kind']]?: (event: Extract<AccountEvent, { kind: K }>) => Presented
}

/** Fields that hold ten-thousandths of a yuan wherever they stand in an event. One place, checked by a test. */
const UNIT_FIELDS: ReadonlySet<string> = new Set([
  'price',
  'amount',
  'fee',
  'filledAmount',
  'costPrice',
  'baseCostPrice',
  'highestPrice',
  'stopLossPrice',
  'breakoutHighestPrice',
  'effectiveCost',
  'thresholdCost',
])

/**
 * An event's body as JSON shows it: money in yuan, and null for a number that the trading client has not given.
 * `further` names fields that are money in this event only.
 */
export function inYuan(value: unknown, further: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => inYuan(item, further))
  if (typeof value !== 'object' || value === null) return value
  const shown: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    const isUnnumbered = name === 'orderId' && inner === ''
    const isUnits = UNIT_FIELDS.has(name) || further.includes(name)
    shown[name] = isUnnumbered
      ? null
      : isUnits && typeof inner === 'number'
        ? toYuan(inner as Money)
        : inYuan(inner, further)
  }
  return shown
}
