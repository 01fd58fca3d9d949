import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { bareCode } from '../../src/domain/instrument.ts'
import { toYuan } from '../../src/domain/money.ts'
import { isPending } from '../../src/domain/order.ts'
import { decode } from '../../src/protocol/codec.ts'
import { STORE_RANGE_MAX, type StoredEntry } from '../../src/protocol/store.ts'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import { EMPTY_JOURNAL, verifyChain } from '../../src/storage/journal-chain.ts'
import { Child } from './child.ts'
import { account, configFile, get, type Json, until } from './fixture.ts'
import { readPaperBooks } from './paper-books.ts'
import { type Sent, seeded, Trader } from './trader.ts'

const ROUNDS = 8
const SEED = 20_261_120
/** Each caller waits for an answer before it goes on. */
const CALLERS = 2
/** Answers before the kill, so that it comes at any stage: among the first ones or in full swing. */
const ANSWERS_MAX = 60
const EXTRA_MS_MAX = 15

const OVERRIDES = {
  accounts: (
    [
      ['10000001', '600036', 35.1],
      ['10000002', '601318', 48],
    ] as const
  ).map(([id, stock_code, cost_price]) =>
    account(id, [{ stock_code, volume: 100_000, cost_price }], 100_000_000),
  ),
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
  limits: { account: { doubt_query_interval_ms: 50, doubt_settle_ms: 200 } },
}

interface Service {
  readonly child: Child
  readonly gateway: string
  readonly dataDir: string
}

async function start(t: Test, folder: string): Promise<Service> {
  const child = new Child(t, folder, ['up', '--config', configFile(folder, OVERRIDES)])
  const [gateway = ''] = await child.ready()
  for (const { account_id } of OVERRIDES.accounts) {
    await until(
      () => get(`${gateway}/api/v1/accounts/${account_id}/status`),
      ({ body }) => String(body['data']?.['ready']) === 'true',
    )
  }
  return { child, gateway, dataDir: join(folder, 'data') }
}

/** Callers trade until the process is killed under their hands. */
async function tradeAndKill(service: Service, traders: readonly Trader[], random: () => number) {
  const wanted = 1 + Math.floor(random() * ANSWERS_MAX)
  const extraMs = random() * EXTRA_MS_MAX
  const reached = Promise.withResolvers<void>()
  let answers = 0
  const call = async (trader: Trader) => {
    for (;;) {
      await trader.act(service.gateway)
      answers += 1
      if (answers === wanted) reached.resolve()
    }
  }
  const callers = traders.flatMap((trader) => Array.from({ length: CALLERS }, () => call(trader)))
  const ended = Promise.allSettled(callers)
  await Promise.race([reached.promise, ended])
  await delay(extraMs)
  await service.child.kill()
  await ended
}

const keyOf = (row: Json): string => String(row['client_order_id'])
const isUnresolved = (row: Json): boolean => /^(submitted|inDoubt)$/.test(String(row['state']))

/** After a restart: nothing acknowledged is missing, every doubt ends, every key is one order. */
async function recovers(t: Test, { gateway }: Service, trader: Trader): Promise<void> {
  const listed = await until(
    () => trader.orders(gateway),
    (rows) => !rows.some(isUnresolved),
  )
  const numbers = new Map(listed.map((row) => [keyOf(row), String(row['order_id'])]))
  t.equal(numbers.size, listed.length, 'one row for one key')
  const taken = trader.sent.filter(({ fate }) => fate === 'taken')
  t.strictSame(
    taken.filter(({ key, orderId }) => numbers.get(key) !== orderId),
    [],
    `all ${taken.length} acknowledged orders are there under their numbers`,
  )
  for (const order of trader.sent.filter(({ fate }) => fate === 'open')) {
    await until(
      () => trader.send(gateway, order),
      ({ status }) => status === 201,
    )
    const before = numbers.get(order.key)
    if (before !== undefined && order.fate === 'taken') t.equal(order.orderId, before, 'the same')
  }
  for (const order of taken.slice(-3)) {
    const { headers } = await trader.send(gateway, { ...order })
    t.equal(headers.get('Idempotency-Replayed'), 'true')
  }
}

/** Nothing moves any more: every order has ended. */
async function calm({ gateway }: Service, trader: Trader): Promise<void> {
  const pending = (rows: readonly Json[]) =>
    rows.filter((row) => String(row['is_pending']) === 'true')
  for (const row of pending(await trader.orders(gateway))) {
    await trader.cancel(gateway, String(row['order_id']))
  }
  await until(
    () => trader.orders(gateway),
    (rows) => pending(rows).length === 0,
  )
}

const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
const list = (json: Json | undefined): readonly Json[] => (json ?? []) as unknown as Json[]

/** What the service shows of an account. */
async function shown({ gateway }: Service, { stock, orders }: Trader) {
  const mine = `${gateway}/api/v1/accounts/${stock.accountId}`
  const header = { 'X-Account-Id': stock.accountId }
  const [listed, records, positions, asset] = await Promise.all([
    get(`${mine}/orders`),
    get(`${gateway}/api/trade-records`, header),
    get(`${mine}/positions`),
    get(`${mine}/asset`),
  ])
  void orders
  return {
    cash: Number(asset.body['data']?.['cash']),
    orders: list(listed.body['data']?.['orders'])
      .filter((row) => keyOf(row) !== String(row['order_id'])) // never reached the trading client
      .map((row) => [
        keyOf(row),
        String(row['order_id']),
        Number(row['status']),
        Number(row['traded_volume']),
      ])
      .sort(byText),
    records: list(records.body['data'])
      .map((row) => [
        row['trade_id'],
        row['order_id'],
        row['trade_type'],
        row['price'],
        row['volume'],
        row['amount'],
        row['commission'],
      ])
      .sort(byText),
    recordIds: list(records.body['data'])
      .map((row) => Number(row['id']))
      .sort((a, b) => a - b),
    positions: list(positions.body['data']?.['positions'])
      .map((row) => [row['stock_code'], row['volume'], row['available'], row['cost_price']])
      .sort(byText),
  }
}

/** The same from the books of the trading client. */
async function booked({ dataDir }: Service, { stock }: Trader) {
  const { ledger, holdings, orders, deals } = await readPaperBooks(dataDir, stock.accountId)
  return {
    cash: toYuan(ledger.cash),
    orders: orders
      .map((row) => [
        row.clientOrderId,
        row.orderId,
        row.status as number,
        row.filledQuantity as number,
      ])
      .sort(byText),
    records: deals
      .map((row) => [
        row.dealId,
        row.orderId,
        row.side === 'buy' ? 'BUY' : 'SELL',
        toYuan(row.price),
        row.quantity,
        toYuan(row.amount),
        toYuan(row.fee),
      ])
      .sort(byText),
    recordIds: deals.map((_, i) => i + 1),
    positions: holdings
      .map((row) => [
        bareCode(row.code),
        row.quantity,
        row.quantity - row.locked,
        toYuan(row.costPrice),
      ])
      .sort(byText),
    isOpen: orders.some(({ status }) => isPending(status)),
  }
}

async function agrees(t: Test, service: Service, trader: Trader): Promise<void> {
  const { isOpen, ...books } = await booked(service, trader)
  t.notOk(isOpen, 'no order is open at the trading client')
  const keys = books.orders.map(([key]) => key)
  t.equal(new Set(keys).size, keys.length, 'no key was two orders')
  const refused = trader.sent.filter(({ fate }: Sent) => fate === 'refused')
  t.strictSame(
    refused.filter(({ key }) => keys.includes(key)),
    [],
    'what was refused was not sent',
  )
  const text = JSON.stringify(books)
  // The last push may still be on its way.
  await until(
    () => shown(service, trader),
    (now) => JSON.stringify(now) === text,
    5_000,
  ).catch(() => undefined)
  t.strictSame(await shown(service, trader), books, 'orders, records, positions and cash agree')
}

/** Every entry of the journal follows from the one before. */
async function chainHolds(t: Test, dataDir: string, accountId: string): Promise<void> {
  const database = openAccountDatabase(dataDir, accountId)
  let head = EMPTY_JOURNAL
  for (;;) {
    const rows = database.range({ table: 'journal', from: head.seq + 1, limit: STORE_RANGE_MAX })
    if (rows.length === 0) break
    const verdict = verifyChain(
      rows.map(({ value }) => decode<StoredEntry>(value)),
      head,
    )
    t.ok(verdict.ok, `${JSON.stringify(verdict)}`)
    if (!verdict.ok) break
    head = verdict.value
  }
  t.ok(head.seq > 100, `${head.seq} entries`)
  await database.close()
}

t.test(
  'killed while it trades, again and again: nothing is lost and nothing done twice',
  async (t) => {
    const folder = t.testdir()
    const random = seeded(SEED)
    const traders = OVERRIDES.accounts.map(({ account_id, paper: { positions } }, i) => {
      const { stock_code: code = '', cost_price: price = 0 } = positions[0] ?? {}
      return new Trader({ accountId: account_id, code, price }, SEED + i)
    })
    let service = await start(t, folder)
    for (let round = 1; round <= ROUNDS; round++) {
      await tradeAndKill(service, traders, random)
      const next = await start(t, folder)
      await t.test(`round ${round}`, async (t) => {
        for (const trader of traders) {
          await recovers(t, next, trader)
          await calm(next, trader)
          await agrees(t, next, trader)
        }
      })
      service = next
    }
    service.child.signal('SIGTERM')
    await service.child.exit
    for (const { stock, sent } of traders) {
      t.ok(sent.filter(({ fate }) => fate === 'taken').length > ROUNDS, 'it did trade')
      await chainHolds(t, service.dataDir, stock.accountId)
    }
  },
)
