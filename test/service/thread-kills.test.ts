import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { PaperDeal, PaperOrder } from '../../src/drivers/paper/books.ts'
import { type StoredEntry, TABLE } from '../../src/protocol/store.ts'
import { verifyChain } from '../../src/storage/journal-chain.ts'
import { get, type Json, post, type Served, until } from './fixture.ts'
import { begin, ORDER, rows, v1 } from './fixtures/breakable.ts'
import { accountTables, paperTables, rowsOf } from './fixtures/disk.ts'

/** Places orders one after the other, each until it is known what became of it. */
class Caller {
  readonly #orders: string
  readonly #name: string
  /** Order numbers by key; empty for one that was certainly not taken. */
  readonly placed = new Map<string, string>()
  /** Answers that said neither, by code. */
  readonly retried = new Map<string, number>()

  constructor(served: Served, id: string, name: string) {
    this.#orders = `${v1(served, id)}/orders`
    this.#name = name
  }

  async place(fields: object): Promise<void> {
    const key = `${this.#name}-${this.placed.size}`
    for (;;) {
      const { status, body } = await post(this.#orders, fields, { 'Idempotency-Key': key })
      if (status === 201) {
        const number = body['data']?.['order_id']
        this.placed.set(key, number === undefined ? '' : String(number))
        return
      }
      const why = String(body['code'] ?? body['data']?.['state'])
      if (status < 500 && !['unknown', 'ORDER_IN_DOUBT_HELD'].includes(why)) {
        throw new Error(`${key}: ${status} ${why}`)
      }
      this.retried.set(why, (this.retried.get(why) ?? 0) + 1)
      await delay(50)
    }
  }
}

/**
 * The day's orders and the records, once nothing is in flight any more. What still waits is canceled: an order that is
 * larger than a tick rests at the price of its first fill, and the market may have walked away from it for good.
 */
async function settled(direct: string): Promise<Shown> {
  let orders: readonly Json[] = []
  const pending = () => orders.filter(({ is_pending }) => String(is_pending) !== 'false')
  await until(
    async () => {
      orders = rows(await get(`${direct}/api/orders`))
      // Filled in this moment, or canceled by the round before: that it stays pending would be the fault.
      await Promise.all(
        pending().map(({ order_id }) => post(`${direct}/api/orders/${order_id}/cancel`)),
      )
      return pending()
    },
    ({ length }) => length === 0,
  )
  return { orders, records: rows(await get(`${direct}/api/trade-records`)) }
}
interface Shown {
  readonly orders: readonly Json[]
  readonly records: readonly Json[]
}
const NOTHING: Shown = { orders: [], records: [] }
interface Place {
  readonly dataDir: string
  readonly id: string
}
const sum = (list: readonly Json[], field: string): number =>
  list.reduce((total, row) => total + Number(row[field]), 0)

/** What callers were told, what the account shows, what is on its disk and on that of the client. */
async function agrees(
  t: Test,
  { dataDir, id }: Place,
  callers: readonly Caller[],
  { orders, records }: Shown,
): Promise<void> {
  const told = callers.flatMap(({ placed }) => [...placed.values()])
  const numbers = told.filter((number) => number !== '')
  const absent = told.length - numbers.length
  t.comment(`${id}: ${numbers.length} orders placed, ${absent} not taken, ${records.length} fills`)
  t.ok(numbers.length > 0)
  t.equal(new Set(numbers).size, numbers.length, 'no number was given twice')
  const listed = orders.map(({ order_id }) => String(order_id))
  t.strictSame(
    numbers.filter((number) => !listed.includes(number)),
    [],
    'every order that was confirmed is there',
  )
  const paper = await paperTables(dataDir, id)
  const books = rowsOf<PaperOrder>(paper, 'orders').map(({ row }) => row)
  const deals = rowsOf<PaperDeal>(paper, 'deals').map(({ row }) => row)
  t.strictSame(
    books.map(({ orderId }) => orderId).sort(),
    [...numbers].sort(),
    'the client has these and no other: nothing was sent twice, nothing that counts as not taken',
  )
  t.strictSame(
    books.map(({ orderId, filledQuantity }) => [orderId, filledQuantity]).sort(),
    orders
      .filter(({ order_id }) => numbers.includes(String(order_id)))
      .map(({ order_id, traded_volume }) => [String(order_id), Number(traded_volume)])
      .sort(),
    'filled as far as the client says',
  )
  t.strictSame(
    records.map(({ trade_id }) => String(trade_id)).sort(),
    deals.map(({ dealId }) => dealId).sort(),
    'a record for every deal, and one only',
  )
  t.equal(sum(records, 'volume'), sum(orders, 'traded_volume'), 'records make up the fills')
  const tables = await accountTables(dataDir, id)
  const chain = verifyChain(rowsOf<StoredEntry>(tables, TABLE.journal))
  t.match(chain, { ok: true, value: { seq: tables[TABLE.journal]?.length } }, 'an unbroken journal')
}

const KILLS = 200
const VICTIMS = ['10000001', '10000002', '10000003'] as const
const STOCKS = ['600036', '601318', '601398'] as const

/** Kills one account again and again while its callers place orders, until all kills are done. */
async function harass(served: Served, index: number, count: { kills: number }): Promise<Caller[]> {
  const { board, supervisor } = served.service.system
  const name = `account/${VICTIMS[index]}`
  const slot = index + 1
  const callers = STOCKS.map((stock) => new Caller(served, VICTIMS[index] ?? '', stock))
  const placed = () => callers.reduce((sum, { placed }) => sum + placed.size, 0)
  let isOver = false
  const trading = callers.map(async (caller, n) => {
    const order = { ...ORDER, stock_code: STOCKS[n], order_volume: 100 * (n + 1) }
    // No two of one caller are alike: the like of one whose answer a kill took along would be refused.
    for (let i = 0; !isOver; i++) {
      await caller.place({ ...order, order_volume: 100 * (n + 1 + STOCKS.length * i) })
    }
  })
  while (count.kills < KILLS) {
    const how = count.kills++ % 3
    const life = board.incarnation(slot)
    if (how === 0) await supervisor.restartChild(name)
    else supervisor.fault(name, 'throw')
    const before = placed()
    // One kill of three comes in the middle of trading, the others as soon as the account is back.
    await until(
      async () => board.incarnation(slot) > life && board.status(slot) === 'ready',
      (isBack) => isBack && (how > 0 || placed() > before),
    )
  }
  isOver = true
  await Promise.all(trading)
  return callers
}

t.test('200 kills while orders are placed: no dead process, no lost write', async (t) => {
  const quick = { restart_backoff_min_ms: 1, restart_backoff_max_ms: 5 }
  const folder = t.testdir()
  const served = await begin(t, { ids: VICTIMS, runtime: quick, folder })
  const startMs = Date.now()
  const count = { kills: 0 }
  const callers = await Promise.all(VICTIMS.map((_, index) => harass(served, index, count)))
  const lives = VICTIMS.map((_, index) => served.service.system.board.incarnation(index + 1))
  t.ok(lives.reduce((sum, life) => sum + life) >= KILLS, `${lives.join(' + ')} lives`)
  t.comment(`${count.kills} kills in ${Date.now() - startMs} ms`)
  const shown = await Promise.all(served.direct.map((direct) => settled(direct)))
  await served.service.stop()
  for (const [index, id] of VICTIMS.entries()) {
    await agrees(
      t,
      { dataDir: join(folder, 'data'), id },
      callers[index] ?? [],
      shown[index] ?? NOTHING,
    )
  }
})
