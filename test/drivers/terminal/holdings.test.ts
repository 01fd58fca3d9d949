import t from 'tap'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { TerminalDriver } from '../../../src/drivers/terminal/driver.ts'
import type { PositionRow, SidecarEvent } from '../../../src/drivers/terminal/frames.ts'
import { holdingsOf } from '../../../src/drivers/terminal/holdings.ts'
import { positionOf } from '../../../src/drivers/terminal/rows.ts'
import type { SidecarListener } from '../../../src/drivers/terminal/sidecar-host.ts'
import type { DriverEvent } from '../../../src/protocol/driver.ts'
import { inTime } from '../../in-time.ts'
import { driverOf } from './driver-of.ts'

const row = (quantity: number, sellable: number, cost: number, code = '600036.SH'): PositionRow => {
  return { code, name: '招商银行', quantity, sellable, cost }
}
const rowOf = (holder: string, quantity: number, code?: string): PositionRow => ({
  ...row(quantity, quantity, 36, code),
  holder,
})
const held = (rows: readonly PositionRow[]) =>
  holdingsOf(rows.flatMap((one) => positionOf(one) ?? []))

t.test('F261 rows of one stock add up, at the cost of them all', async (t) => {
  const table = [
    [
      [row(1_000, 800, 36), row(500, 500, 39)],
      [1_500, 1_300, 370_000],
    ],
    [
      [row(1_000, 1_000, 36), row(0, 0, 0)],
      [1_000, 1_000, 360_000],
    ],
    [
      [row(0, 0, 0), row(1_000, 1_000, 36)],
      [1_000, 1_000, 360_000],
    ],
    [
      [row(100, 100, 0), row(300, 0, 36)],
      [400, 100, 360_000],
    ],
    [
      [row(0, 0, 0), row(0, 0, 0)],
      [0, 0, 0],
    ],
  ] as const
  for (const [rows, [quantity, sellable, costPrice]] of table) {
    const { holdings, split } = held(rows)
    t.match(holdings, [{ code: '600036.SH', quantity, sellable, costPrice }])
    t.equal(holdings.length, 1)
    t.strictSame([...split], ['600036.SH'])
  }
  const others = held([row(100, 0, 1), row(200, 0, 1, '000001.SZ')])
  t.strictSame(
    [others.holdings.map(({ quantity }) => quantity), others.split.size],
    [[100, 200], 0],
  )
})

/** A driver at a terminal that lists these rows. */
function driverAt(rows: () => readonly PositionRow[]) {
  let listener: SidecarListener = { closed: () => undefined }
  const call = async (method: string) => ({
    ok: true,
    value: method === 'query' ? { rows: rows() } : {},
  })
  const host = {
    listen: (next: SidecarListener) => {
      listener = next
    },
    open: async () => ({ call }),
  }
  const driver = driverOf(host)
  const heard: DriverEvent[] = []
  let next = Promise.withResolvers<void>()
  driver.open((event) => {
    heard.push(event)
    next.resolve()
  })
  const ask = async (command: Parameters<TerminalDriver['send']>[0]) => {
    next = Promise.withResolvers()
    driver.send(command)
    await inTime(next.promise, 'an answer')
    return heard.at(-1)
  }
  const push = (event: SidecarEvent) => {
    listener.event?.(event)
    return heard.at(-1)
  }
  return { ask, push }
}

t.test('F261 a push of one of the rows of a stock is no news of all of them', async (t) => {
  let rows = [row(1_000, 1_000, 36), row(500, 500, 36)]
  const { ask, push } = driverAt(() => rows)
  await ask({ kind: 'connect', callId: 1 })
  const query = { kind: 'query', callId: 2, what: 'positions' } as const
  t.match(await ask(query), { result: { value: { rows: [{ quantity: 1_500 }] } } })
  const pushed = { kind: 'position', row: row(0, 0, 0) } as const
  t.match(push(pushed), { kind: 'pushLeftOut' }, 'the holding is not gone; the list is asked')
  t.match(push({ ...pushed, row: row(0, 0, 0, '000001.SZ') }), { kind: 'positionPushed' })
  rows = [row(500, 500, 36)]
  await ask(query)
  t.match(push(pushed), { kind: 'positionPushed', position: { code: '600036.SH' as StockCode } })
})

t.test('F338 a first push of another shareholder’s number is no news of the whole', async (t) => {
  let rows = [rowOf('A1', 1_000)]
  const { ask, push } = driverAt(() => rows)
  await ask({ kind: 'connect', callId: 1 })
  const query = { kind: 'query', callId: 2, what: 'positions' } as const
  await ask(query)
  const pushed = (holder: string, quantity: number, code?: string) =>
    push({ kind: 'position', row: rowOf(holder, quantity, code) })
  t.match(pushed('A2', 100), { kind: 'pushLeftOut' }, 'bought there, and listed by nobody yet')
  t.match(pushed('A1', 900), { kind: 'positionPushed', position: { quantity: 900 } })
  t.match(pushed('', 800), { kind: 'positionPushed' }, 'whose it is nobody tells')
  t.match(pushed('A1', 100, '000001.SZ'), { kind: 'positionPushed' }, 'the first of its stock')
  t.match(pushed('A2', 100, '000001.SZ'), { kind: 'pushLeftOut' })
  rows = [rowOf('A2', 100)]
  await ask(query)
  t.match(pushed('A2', 0), { kind: 'positionPushed' }, 'the list has told of it')
})
