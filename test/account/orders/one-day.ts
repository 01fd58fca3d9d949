import type { Money, Quantity } from '../../../src/domain/money.ts'
import type { DriverEvent } from '../../../src/protocol/driver.ts'
import {
  BANK,
  type Bench,
  brokerDeal,
  brokerPosition,
  driver,
  quote,
  withRisk,
  yuan,
} from '../fixture.ts'

/** News of cash alone, in yuan. */
export const cash = (available: number): DriverEvent => ({
  kind: 'assetPushed',
  asset: {
    available: yuan(available) as number as Money,
    frozen: 0 as Money,
    marketValue: 0 as Money,
    total: 0 as Money,
  },
})

/** What an account sees at its own time. */
export const sightOf = ({ nowMs, quotes }: Bench) => ({
  nowMs,
  quote: (code: typeof BANK) => quotes.get(code),
})

/** Shares beside the first 1,000, in yuan a share: the deal, the holding and the cash behind it. */
export function bought(bench: Bench, quantity: number, price: number, fee = 50_000): void {
  const amount = (yuan(price) * quantity) as Money
  const deal = { quantity: quantity as Quantity, price: yuan(price), amount, fee: fee as Money }
  driver(bench, { kind: 'dealPushed', deal: brokerDeal({ clientOrderId: '', ...deal }) })
  const all = (1_000 + quantity) as Quantity
  driver(bench, { kind: 'positionPushed', position: brokerPosition({ quantity: all }) })
  driver(bench, cash((10_000_000_000 - amount - fee) / 10_000))
}

/** As {@link loser}, at a time of the same day. */
export function early(time: string): Bench {
  const bench = withRisk({ maxDailyLoss: 5_000 })
  bench.nowMs = Date.parse(`2026-08-11T${time}+08:00`)
  bench.wallMs = bench.nowMs
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  return bench.ready([brokerPosition()])
}

export function until(bench: Bench, time: string, day = '2026-08-11'): void {
  bench.nowMs = Date.parse(`${day}T${time}+08:00`)
  bench.wallMs = bench.nowMs
}
