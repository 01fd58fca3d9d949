import type { AccountInput } from '../../../src/account/step.ts'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { ExecuteBuy, PlaceOrder } from '../../../src/protocol/orders.ts'
import { type Bench, commands, holder, KEY, keyOf, quote, yuan } from '../fixture.ts'
import { accepted } from '../play.ts'

export const RATE = 5

/** An account that sends so many orders a second, with a holding that may be sold. */
export const paced = (rate = RATE): Bench => holder({ maxOrdersPerSecond: rate })

/** One of many orders that differ. */
export const wanted = (n: number): Partial<PlaceOrder> => ({
  key: keyOf(n),
  price: yuan(35 + n / 100),
})

/** A person's request, whose caller waits so long. */
export function ask(
  bench: Bench,
  request: Extract<AccountInput, { kind: 'request' }>['request'],
  { ref = 1, patienceMs }: { ref?: number; patienceMs?: number } = {},
): readonly Effect[] {
  const deadline = patienceMs === undefined ? {} : { deadlineMs: bench.wallMs + patienceMs }
  return bench.input({ kind: 'request', ref, request, ...deadline })
}

/** Both clocks go on, and the timer of the queue rings. */
export function pass(bench: Bench, ms: number): readonly Effect[] {
  bench.nowMs += ms
  bench.wallMs += ms
  return bench.input({ kind: 'timer', name: 'queue' })
}

/** Client order ids that left for the broker. */
export const sent = (effects: readonly Effect[]): readonly string[] =>
  commands(effects).flatMap((command) =>
    command.kind === 'submit' ? [command.order.clientOrderId] : [],
  )

/** The broker takes what was sent; what that brings. */
export const taken = (bench: Bench, effects: readonly Effect[]): readonly Effect[] =>
  commands(effects).flatMap((command) => {
    if (command.kind !== 'submit') return []
    const { callId, order } = command
    return bench.input(accepted(callId, String(1_000 + callId), order.clientOrderId))
  })

/** A purchase of so many stocks, all of which have a price; the ids of its orders begin at a number. */
export function purchase(bench: Bench, count: number, firstKey = 0): ExecuteBuy {
  const codes = Array.from({ length: count }, (_, n) => `6000${10 + n}.SH` as StockCode)
  for (const code of codes) bench.quotes.set(code, quote(36, bench.nowMs))
  return {
    kind: 'executeBuy',
    key: KEY,
    keys: codes.map((_, n) => keyOf(firstKey + n)),
    requestHash: 'h',
    strategy: 'custom_stock',
    count,
    codes,
    source: 'test',
  }
}
