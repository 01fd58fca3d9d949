import { reconcile as view } from '../../src/account/answers/safety.ts'
import type { ViewInputs } from '../../src/account/answers/view.ts'
import type { Difference } from '../../src/account/model/differences.ts'
import type { Effect } from '../../src/account/turn/turn.ts'
import type { Money, Quantity } from '../../src/domain/money.ts'
import type {
  BrokerAsset,
  BrokerDeal,
  BrokerOrder,
  BrokerPosition,
} from '../../src/domain/order.ts'
import type { DriverCommand, DriverEvent, QueryKind } from '../../src/protocol/driver.ts'
import { Bench, brokerDeal, brokerOrder, brokerPosition, commands, yuan } from './fixture.ts'

export const DEAL_KEY = '2026-08-11|600036.SH|buy|d1'
const MINUTE_MS = 60_000

/** The broker's side of the books; its four reports are made from it. */
export class Client {
  orders: BrokerOrder[] = []
  deals: BrokerDeal[] = []
  positions: BrokerPosition[] = [brokerPosition()]
  asset: BrokerAsset = cashOf(1_000_000)
  /** Reports that fail, with the words of the failure. */
  readonly broken = new Map<QueryKind, string>()
  /** Rows that the reports cannot tell, in words. */
  readonly leftOut = new Map<QueryKind, readonly string[]>()
  /** Numbers of orders that the list bears and no row tells. */
  otherNumbers: readonly string[] = []
  /** What still stands on the lane of the orders; empty: nothing. */
  standing = ''

  answer(bench: Bench, queries: readonly DriverCommand[]): readonly Effect[] {
    return queries.flatMap((query) => {
      if (query.kind === 'barrier') return this.#pass(bench, query.callId)
      if (query.kind !== 'query') return []
      const { callId, what } = query
      const message = this.broken.get(what)
      const rows = what === 'asset' ? [this.asset] : this[what]
      const leftOut = this.leftOut.get(what)
      const { otherNumbers } = this
      const report = { what, rows, otherNumbers, ...(leftOut && { leftOut }) }
      const result =
        message === undefined
          ? ({ ok: true, value: report as never } as const)
          : ({ ok: false, error: { code: 'FAILED', message } } as const)
      return driver(bench, { kind: 'queryAnswered', callId, what, result })
    })
  }

  #pass(bench: Bench, callId: number): readonly Effect[] {
    const { standing } = this
    const result =
      standing === ''
        ? ({ ok: true, value: null } as const)
        : ({ ok: false, error: { code: 'FAILED', message: standing } } as const)
    const effects = driver(bench, { kind: 'barrierAnswered', callId, result })
    return [...effects, ...this.answer(bench, commands(effects))]
  }
}

export function cashOf(available: number): BrokerAsset {
  const money = yuan(available) as number as Money
  return { available: money, frozen: 0 as Money, marketValue: 0 as Money, total: money }
}

export const driver = (bench: Bench, event: DriverEvent) => bench.input({ kind: 'driver', event })

/** Connected to this client; `effects` hold the call. */
export function connect(
  bench: Bench,
  client: Client,
  effects: readonly Effect[],
): readonly Effect[] {
  const [call] = commands(effects)
  const connected = driver(bench, {
    kind: 'connectAnswered',
    callId: call?.callId ?? 0,
    result: { ok: true, value: null },
  })
  return [...connected, ...client.answer(bench, commands(connected))]
}

export function together(): { readonly bench: Bench; readonly client: Client } {
  const [bench, client] = [new Bench(), new Client()]
  const started = bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
  connect(bench, client, started)
  return { bench, client }
}

/** A minute later the account compares. Returns what it found then. */
export function compare(bench: Bench, client: Client): readonly Difference[] {
  bench.nowMs += MINUTE_MS
  bench.wallMs += MINUTE_MS
  const before = bench.journal.length
  const queries = commands(bench.input({ kind: 'timer', name: 'reconcile' }))
  client.answer(bench, queries)
  return found(bench, before)
}

export const found = (bench: Bench, from = 0): readonly Difference[] =>
  bench.journal
    .slice(from)
    .flatMap(({ event }) => (event.kind === 'differenceFound' ? [event.difference] : []))

interface Shown {
  readonly data: {
    readonly result: string
    readonly last_run: object
    readonly differences: readonly { readonly id: number }[]
    readonly orders_in_doubt: readonly object[]
  }
}
export const shown = ({ state }: Bench) => (view({ state } as ViewInputs) as Shown).data

/** Our order 1001, known on both sides. */
export function rest(bench: Bench, client: Client): void {
  bench.place()
  client.orders = [brokerOrder()]
  driver(bench, { kind: 'orderPushed', order: brokerOrder() })
}
/** Bought, and told of: the books of both sides have it. */
export function fill(bench: Bench, client: Client): void {
  rest(bench, client)
  client.orders = [brokerOrder({ status: 56, filledQuantity: 100 as Quantity })]
  client.deals = [brokerDeal()]
  client.positions = [brokerPosition({ quantity: 1_100 as Quantity })]
  client.asset = cashOf(996_345)
}
export function tell(bench: Bench, { orders, deals, positions, asset }: Client): void {
  for (const order of orders) driver(bench, { kind: 'orderPushed', order })
  for (const deal of deals) driver(bench, { kind: 'dealPushed', deal })
  for (const position of positions) driver(bench, { kind: 'positionPushed', position })
  driver(bench, { kind: 'assetPushed', asset })
}
