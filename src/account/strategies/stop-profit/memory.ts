import type { StockCode } from '../../../domain/instrument.ts'
import type { Price } from '../../../domain/money.ts'
import type { Position } from '../../../domain/position.ts'
import type { Settings } from '../../../domain/settings/table.ts'
import { EMPTY_SLOT, type SignalSlot } from '../../../strategy/stop-profit/signal-slot.ts'
import type { PassPolicy } from '../../../strategy/stop-profit/stop-profit-pass.ts'
import type { GatewayRatios } from '../../model/events.ts'
import type { HeldStop } from '../../model/held-stop.ts'
import type { Moment } from '../../model/shown.ts'
import type { AccountState } from '../../model/state.ts'
import type { MemoryOf } from '../../model/strategy-memory.ts'

/** An order has ended that kept a stop-loss back: its shares are free once the broker shows it. */
export interface Freed {
  /** Calls from this one on left after its end was known. */
  readonly at: number
  /** From when on a list that was asked after its end is believed whatever it shows, and nothing is waited for, epoch ms. */
  readonly listedMs: number
  readonly untilMs: number
  readonly held: HeldStop | undefined
}

/** What dynamic take-profit and stop-loss remember besides the holdings: in memory only. */
interface StopProfitMemory {
  readonly slots: Map<StockCode, SignalSlot>
  /** The ex-day of the holding as its slot was looked at last: what waits is of the scale of that moment. */
  readonly scales: Map<StockCode, Position['exDay']>
  /** Last supplementary purchase that was sent or tried, epoch ms. */
  readonly lastAddMs: Map<StockCode, number>
  /** When a stock whose quotes were too few is to be evaluated again, epoch ms. */
  readonly evaluateAgainMs: Map<StockCode, number>
  /** Stocks of which it has been said already that a switch or an open order keeps them back, and the lowest price at which nothing more is to be said. */
  readonly notified: Map<StockCode, Price>
  /** Orders that have ended and kept one back: their shares are not shown as free yet. */
  readonly freed: Map<StockCode, Freed>
  /** Canceled sales whose rest waits for the shares that they had frozen: when they were first seen to have ended. */
  readonly ends: Map<string, Moment>
  /** Since when a switch stands as it stands, epoch ms: a setting, or a stock. */
  readonly switchedMs: Map<string, number>
  /** While the gateway wants its own module to act here; by the system clock. */
  gateway: { readonly ratios: GatewayRatios; readonly untilWallMs: number } | undefined
  /** Made once for the settings and ratios that it stands for: every band is made from it. */
  passPolicy:
    | {
        readonly settings: Settings
        readonly ratios: GatewayRatios | undefined
        readonly policy: PassPolicy
      }
    | undefined
  /** Whether automatic trading was on when the settings were last read. */
  wasTradingOn: boolean
}

export const MEMORY: MemoryOf<StopProfitMemory> = {
  fresh: ({ settings }) => ({
    slots: new Map(),
    scales: new Map(),
    lastAddMs: new Map(),
    evaluateAgainMs: new Map(),
    notified: new Map(),
    freed: new Map(),
    ends: new Map(),
    switchedMs: new Map(),
    gateway: undefined,
    passPolicy: undefined,
    wasTradingOn: settings.ENABLE_AUTO_TRADING,
  }),
}

/** What the strategy remembers for this account. */
export const memoryOf = ({ memories }: AccountState): StopProfitMemory => memories.of(MEMORY)

/** What waits of a holding. What was found at the prices before an ex-day does not: these may fall below an exit of theirs. */
export function slotOf(state: AccountState, { code, exDay }: Position): SignalSlot {
  const { slots, scales } = memoryOf(state)
  const isOfNow = scales.get(code) === exDay
  if (!isOfNow) scales.set(code, exDay)
  return (isOfNow && slots.get(code)) || EMPTY_SLOT
}

/** Forgets what waits, of every stock: the holdings have become others. */
export function clearSignals(state: AccountState): void {
  const memory = memoryOf(state)
  state.heldStops.clear()
  memory.slots.clear()
  memory.scales.clear()
  memory.lastAddMs.clear()
  memory.evaluateAgainMs.clear()
  memory.notified.clear()
  memory.freed.clear()
  memory.ends.clear()
}

/** Forgets a stock that is not held any more: what is bought again starts fresh. */
export function forgetStock(state: AccountState, code: StockCode): void {
  const memory = memoryOf(state)
  state.heldStops.delete(code)
  memory.slots.delete(code)
  memory.scales.delete(code)
  memory.evaluateAgainMs.delete(code)
  memory.notified.delete(code)
  memory.freed.delete(code)
  memory.switchedMs.delete(code)
}
