import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { open } from 'lmdb'
import t from 'tap'
import { feeRatesOf } from '../../src/domain/fees.ts'
import { type Books, booksOf } from '../../src/drivers/paper/books.ts'
import { Draft } from '../../src/drivers/paper/draft.ts'
import { firstRows } from '../../src/drivers/paper/first-rows.ts'
import type { PaperStore } from '../../src/drivers/paper/store.ts'
import { NEEDS_SUSPENSION } from '../platform.ts'
import { SETTINGS } from './fixtures/paper.ts'
import { booksIn, commit, ID } from './fixtures/paper-books.ts'

const CHILD = join(import.meta.dirname, 'fixtures', 'paper-child.ts')
const KILLS = 6
/** Bytes of the log, and milliseconds until the database gets what is in it. */
const LOGS = [
  ['65536', '60000'], // killed with all of it in the log
  ['65536', '1'], // on its way into the database
  ['32768', '60000'], // the log is full again and again
] as const

function start(dir: string, epoch: number) {
  const args = [
    ...process.execArgv,
    CHILD,
    dir,
    String(epoch),
    ...(LOGS[epoch % LOGS.length] ?? []),
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return { child, exited: once(child, 'exit') }
}

/** Starts the child, kills it after so many lines, and returns what it said. */
async function tradeAndKill(dir: string, epoch: number, linesMax: number): Promise<string[]> {
  const { child, exited } = start(dir, epoch)
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (lines.length === linesMax) child.kill('SIGKILL')
  }
  await exited
  return lines
}

const openBooks = (dir: string) => booksIn(join(dir, 'paper'), { keepDays: 30 })

async function readBooks(store: PaperStore, epoch: number) {
  const rows = await store.claim(epoch, () => {
    throw new Error('there are no books')
  })
  if (rows === null) throw new Error('the epoch went backwards')
  return booksOf(rows)
}

/** What the first books and the deals since say that the books must be now. */
function replayed({ deals }: Books) {
  const { ledger, holdings } = firstRows(SETTINGS)
  const sums = { cash: ledger.cash as number, held: {} as Record<string, number> }
  const filled: Record<string, number> = {}
  for (const { code, quantity } of holdings) sums.held[code] = quantity
  for (const { row } of deals) {
    const sign = row.side === 'buy' ? 1 : -1
    sums.cash -= sign * row.amount + row.fee
    sums.held[row.code] = (sums.held[row.code] ?? 0) + sign * row.quantity
    filled[row.orderId] = (filled[row.orderId] ?? 0) + row.quantity
  }
  return { ...sums, filled }
}

function stated({ ledger, holdings, orders }: Books) {
  const traded = [...orders.values()].filter(({ row }) => row.filledQuantity > 0)
  return {
    cash: ledger.cash as number,
    held: Object.fromEntries(Array.from(holdings, ([code, { quantity }]) => [code, quantity])),
    filled: Object.fromEntries(traded.map(({ row }) => [row.orderId, row.filledQuantity])),
  }
}

const saidBy = ({ orders, deals }: Books) =>
  new Set([
    'connected',
    ...Array.from(orders.keys(), (orderId) => `order ${orderId}`),
    ...deals.map(({ row }) => `deal ${row.dealId}`),
  ])

t.test(
  'F112 killed at any moment: what was said is in the books, and the books add up',
  async (t) => {
    const dir = t.testdir()
    const said: string[] = []
    for (let epoch = 1; epoch <= KILLS; epoch++) {
      said.push(...(await tradeAndKill(dir, epoch, 20 + 17 * epoch)))
      const { store, warnings, close } = openBooks(dir)
      const books = await readBooks(store, epoch)
      const known = saidBy(books)
      t.same(
        said.filter((line) => !known.has(line)),
        [],
        `kill ${epoch}: nothing said is missing`,
      )
      t.same(stated(books), replayed(books), `kill ${epoch}: the deals explain the books`)
      t.ok(new Draft(books, feeRatesOf(SETTINGS.fees)).available() >= 0)
      t.equal(books.ledger.dealSeq, books.deals.length, 'numbers go on without a gap')
      t.strictSame(warnings, [])
      await close()
    }
    t.ok(
      said.some((line) => line.startsWith('deal')),
      'it did trade',
    )
    t.strictSame(readdirSync(join(dir, 'paper', 'logs')), [], 'no log is kept')
  },
)

t.test(
  'F112 a process that was suspended and wakes up tells nothing more',
  NEEDS_SUSPENSION,
  async (t) => {
    const dir = t.testdir()
    const { child, exited } = start(dir, 3)
    const said: string[] = []
    const { store, warnings, close } = openBooks(dir)
    const read = async () => saidBy(await readBooks(store, 4))
    let known = new Set<string>()
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line)
      if (said.length !== 40) continue
      child.kill('SIGSTOP')
      const reading = read()
      // It may sleep with the lock of its log in its hand; then it is found once it has let go of it.
      const isFree = await Promise.race([reading.then(() => true), pause(1_000).then(() => false)])
      if (!isFree) child.kill('SIGCONT')
      known = await reading
      child.kill('SIGCONT')
    }
    t.strictSame(await exited, [null, 'SIGKILL'], 'by itself')
    t.equal(said.pop(), 'locked out')
    t.strictSame(
      said.filter((line) => !known.has(line)),
      [],
      'all that it ever said was there when the books were taken over',
    )
    t.strictSame(await read(), known, 'and it has changed nothing since')
    t.strictSame(warnings, [])
    await close()
  },
)

t.test('old days are pruned, and an older epoch writes nothing', async (t) => {
  const dir = t.testdir()
  const { store, close } = booksIn(dir, { keepDays: 2 })
  const first = firstRows(SETTINGS)
  const claimed = await store.claim(1, () => first)
  t.same(claimed?.ledger, first.ledger)
  const empty = { holdings: [], goneHoldings: [], orders: [], deals: [], acted: [] }
  for (let session = 2; session <= 6; session++) {
    const seq = session
    const order = { session, seq, fee: 0, row: { orderId: String(seq), status: 54 } }
    const ledger = { ...first.ledger, session, orderSeq: seq }
    await commit(store, 1, { ...empty, ledger, orders: [order as never] })
  }
  t.same(
    (await store.claim(1, () => first))?.orders.map(({ seq }) => seq),
    [6],
  )
  const sessions = async () => {
    const found: number[] = []
    for (let session = 1; session <= 6; session++) {
      await commit(store, 1, { ...empty, ledger: { ...first.ledger, session } })
      const rows = await store.claim(1, () => first)
      if (rows?.orders.length) found.push(session)
    }
    return found
  }
  t.same(await sessions(), [4, 5, 6], 'the day under way and two before it')
  t.notOk(
    await commit(store, 0, { ...empty, ledger: first.ledger }),
    'an older epoch writes nothing',
  )
  t.equal(await store.claim(0, () => first), null)
  t.notOk(store.isOwner(0))
  t.ok(store.isOwner(1))
  await close()
})

t.test('a damaged row is never believed', async (t) => {
  const dir = t.testdir()
  const { store, close } = booksIn(dir, { keepDays: 2 })
  await store.claim(1, () => firstRows(SETTINGS))
  await close()
  const root = open({ path: join(dir, ID, 'db'), noSubdir: false })
  const rows = root.openDB<Uint8Array, string>({ name: 'holdings', encoding: 'binary' })
  const bytes = rows.get('600036.SH')
  if (bytes === undefined) throw new Error('no row')
  const damaged = Buffer.from(bytes)
  damaged.writeUInt8(damaged.readUInt8(20) ^ 1, 20)
  rows.putSync('600036.SH', damaged)
  await root.close()
  const again = booksIn(dir, { keepDays: 2 })
  await t.rejects(
    again.store.claim(2, () => firstRows(SETTINGS)),
    /holdings\["600036\.SH"\] are damaged/,
  )
  await again.close()
})

t.test('books that were there and are gone are not begun anew', async (t) => {
  const dir = t.testdir()
  const { store, close } = booksIn(dir, { keepDays: 2 })
  await store.claim(1, () => firstRows(SETTINGS))
  await close()
  rmSync(join(dir, ID, 'db', 'data.mdb'))
  t.throws(() => booksIn(dir, { keepDays: 2 }), /data\.mdb is missing or empty/)
})
