import type { QueryRows } from '../../../src/protocol/driver.ts'
import { oneThousandShares, orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { type RigOptions, XtRig } from './rig.ts'

/** What a stock is quoted at, in yuan, whose rows are looked at. */
export const BOOK = {
  last: 36,
  lastClose: 35.5,
  bid: [[35.99, 9_000]],
  ask: [[36, 9_000]],
} as const
/** An order that waits for its price. */
export const patient = (id: string) =>
  orderOf({ clientOrderId: id, quantity: shares(200), price: price(35) })
export const KEY = 'R0W5000000000000000000000A'
export const KEY_2 = 'R0W5000000000000000000000B'

/** A terminal with a thousand shares and a quote. */
export async function open(folder: string, parts: Partial<RigOptions> = {}): Promise<XtRig> {
  const rig = await XtRig.open({ folder, settings: oneThousandShares(), ...parts })
  rig.terminal.tick(SH, BOOK)
  return rig
}
/** The numbers of orders as they are listed. */
export const ids = (report: QueryRows): readonly string[] =>
  report.what === 'orders' ? report.rows.map(({ orderId }) => orderId) : []
