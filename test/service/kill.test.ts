import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type StoredEntry, TABLE } from '../../src/protocol/store.ts'
import { verifyChain } from '../../src/storage/journal-chain.ts'
import { account, configFile, get, type Json, until } from './fixture.ts'
import { bookedBooks, shownBooks } from './fixtures/books.ts'
import { Child } from './fixtures/child.ts'
import { accountTables, rowsOf } from './fixtures/disk.ts'
import { seeded, Trader } from './fixtures/trader.ts'

const ROUNDS = 8
const SEED = 20_261_120
/** For each account; each waits for an answer before it goes on. */
const CALLERS = 2
/** Answers before the kill, so that it comes among the first ones or in full swing. */
const ANSWERS_MAX = 60
const EXTRA_MS_MAX = 15
/** Every so many rounds the restart is killed too, while it recovers. */
const RECOVERY_KILL_EVERY = 3
const RECOVERY_MS_MAX = 300

const STOCKS = [
  { accountId: '10000001', code: '600036', price: 35.1 },
  { accountId: '10000002', code: '601318', price: 48 },
] as const
const OVERRIDES = {
  accounts: STOCKS.map(({ accountId, code, price }) =>
    account(accountId, [{ stock_code: code, volume: 100_000, cost_price: price }], 100_000_000),
  ),
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
  // It trades as fast as it can, and refused often enough by the broker.
  risk: {
    max_orders_per_second: 0,
    max_orders_per_day: 0,
    max_rejects_in_row: 0,
    refuse_duplicates: false,
  },
  limits: { account: { doubt_query_interval_ms: 50, doubt_settle_ms: 200 } },
}

/** The service on one data directory, through all its lives. */
class Lives {
  readonly #t: Test
  readonly #folder: string
  readonly #config: string
  #child: Child | undefined
  gateway = ''

  constructor(t: Test, folder: string) {
    this.#t = t
    this.#folder = folder
    this.#config = configFile(folder, OVERRIDES)
  }

  get dataDir(): string {
    return join(this.#folder, 'data')
  }

  get child(): Child {
    this.#child ??= new Child(this.#t, this.#folder, ['up', '--config', this.#config])
    return this.#child
  }

  /** Starts it and waits until it may trade. */
  async start(): Promise<void> {
    ;[this.gateway = ''] = await this.child.ready()
    for (const { accountId } of STOCKS) {
      await until(
        () => get(`${this.gateway}/api/v1/accounts/${accountId}/status`),
        ({ body }) => String(body['data']?.['ready']) === 'true',
      )
    }
  }

  async kill(): Promise<void> {
    await this.child.kill()
    this.#child = undefined
  }

  /** A start that does not live long enough to be ready. */
  async startAndKill(afterMs: number): Promise<void> {
    const { child } = this
    await until(
      async () => child.said('actor starts'),
      (lines) => lines.length > 0,
    )
    await delay(afterMs)
    await this.kill()
  }
}

/** Callers trade until the process is killed under their hands. */
async function tradeAndKill(lives: Lives, traders: readonly Trader[], random: () => number) {
  const wanted = 1 + Math.floor(random() * ANSWERS_MAX)
  const extraMs = random() * EXTRA_MS_MAX
  const reached = Promise.withResolvers<void>()
  let answers = 0
  const call = async (trader: Trader): Promise<never> => {
    for (;;) {
      await trader.act(lives.gateway)
      answers += 1
      if (answers === wanted) reached.resolve()
    }
  }
  const callers = traders.flatMap((trader) => Array.from({ length: CALLERS }, () => call(trader)))
  const ended = Promise.allSettled(callers)
  await Promise.race([reached.promise, ended])
  await delay(extraMs)
  await lives.kill()
  await ended
}

const keyOf = (row: Json): string => String(row['client_order_id'])
const isUnresolved = (row: Json): boolean => /^(submitted|inDoubt)$/.test(String(row['state']))
const isOpen = (row: Json): boolean => String(row['is_pending']) === 'true'

/**
 * After a restart: nothing acknowledged is missing, every doubt ends, and what was under way is one
 * order when it is asked for again. Returns how many were under way.
 */
async function recovers(t: Test, gateway: string, trader: Trader): Promise<number> {
  const listed = await until(
    () => trader.orders(gateway),
    (rows) => !rows.some(isUnresolved),
  )
  const numbers = new Map(listed.map((row) => [keyOf(row), String(row['order_id'])]))
  t.equal(numbers.size, listed.length, 'one row for one key')
  const taken = trader.sent.filter(({ fate }) => fate === 'taken')
  const missing = taken.filter(({ key, orderId }) => numbers.get(key) !== orderId)
  t.strictSame(missing, [], `all ${taken.length} acknowledged orders are there`)
  const underWay = trader.sent.filter(({ fate }) => fate === 'open')
  for (const order of underWay) {
    await until(
      () => trader.send(gateway, order),
      ({ status }) => status !== 202 && status !== 503, // known or refused, not "not yet"
    )
    const known = numbers.get(order.key) ?? order.key
    if (known !== order.key) t.equal(order.orderId, known, 'it had reached the trading client')
  }
  for (const order of taken.slice(-3)) {
    const again = { ...order }
    t.equal((await trader.send(gateway, again)).headers.get('Idempotency-Replayed'), 'true')
    t.strictSame(again, order, 'the same key, the same order')
  }
  return underWay.length
}

/** Ends every order that still waits, so that nothing moves any more. */
async function calmDown(gateway: string, trader: Trader): Promise<void> {
  for (const row of (await trader.orders(gateway)).filter(isOpen)) {
    await trader.cancel(gateway, String(row['order_id']))
  }
  await until(
    () => trader.orders(gateway),
    (rows) => !rows.some(isOpen),
  )
}

/** The service and the broker have the same orders, deals, holdings and cash. */
async function agrees(t: Test, { gateway, dataDir }: Lives, trader: Trader): Promise<void> {
  const { accountId } = trader.stock
  const { books, keys, isOpen } = await bookedBooks(dataDir, accountId)
  t.notOk(isOpen, 'no order is open at the trading client')
  t.equal(new Set(keys).size, keys.length, 'no key was two orders')
  const refused = trader.sent.filter(({ fate }) => fate === 'refused').map(({ key }) => key)
  t.strictSame(
    refused.filter((key) => keys.includes(key)),
    [],
    'what was refused was never sent',
  )
  const text = JSON.stringify(books)
  const isSame = (shown: object) => JSON.stringify(shown) === text
  // The last push may still be on its way. When it never comes, the comparison below says what is missing.
  const ask = () => shownBooks(gateway, accountId)
  await until(ask, isSame).catch(() => undefined)
  t.strictSame(await ask(), books, `${books.records.length} records, holdings and cash agree`)
}

/** Every entry of the journal follows from the one before. */
async function chainHolds(t: Test, dataDir: string, accountId: string): Promise<void> {
  const entries = rowsOf<StoredEntry>(await accountTables(dataDir, accountId), TABLE.journal)
  const verdict = verifyChain(entries)
  t.match(verdict, { ok: true, value: { seq: entries.length } })
  t.ok(entries.length > 100, `${entries.length} entries`)
}

t.test('killed while it trades, again and again: nothing lost, nothing done twice', async (t) => {
  const random = seeded(SEED)
  const traders = STOCKS.map((stock, i) => new Trader(stock, SEED + i))
  const lives = new Lives(t, t.testdir())
  let underWay = 0
  await lives.start()
  for (let round = 1; round <= ROUNDS; round++) {
    await tradeAndKill(lives, traders, random)
    if (round % RECOVERY_KILL_EVERY === 0) await lives.startAndKill(random() * RECOVERY_MS_MAX)
    await lives.start()
    await t.test(`kill ${round}`, async (t) => {
      for (const trader of traders) {
        underWay += await recovers(t, lives.gateway, trader)
        await calmDown(lives.gateway, trader)
        await agrees(t, lives, trader)
      }
    })
  }
  lives.child.signal('SIGTERM')
  await lives.child.exit
  t.ok(underWay > ROUNDS, `${underWay} orders were under way when it was killed`)
  for (const { stock, sent } of traders) {
    const taken = sent.filter(({ fate }) => fate === 'taken').length
    t.ok(taken > 5 * ROUNDS, `${taken} of ${sent.length} orders were taken`)
    await chainHolds(t, lives.dataDir, stock.accountId)
  }
})
