import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { firstRows } from '../../src/drivers/paper/first-rows.ts'
import { openPaperStore, type PaperStore } from '../../src/drivers/paper/store.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import { copyDatabase } from '../../src/service/backups/copy-database.ts'
import { Log } from '../../src/storage/log/log.ts'
import { openEnvironment, openReadOnly } from '../../src/storage/open-environment.ts'
import { MemoryBooks } from '../simulation/fixtures/books.ts'
import { SETTINGS } from './fixtures/paper.ts'
import {
  batchesOf,
  booksIn,
  changesOf,
  commit,
  ID,
  LOST,
  logIn,
  sequencesIn,
} from './fixtures/paper-books.ts'

const first = () => firstRows(SETTINGS)

/** What holds of the books wherever they lie. */
async function contract(t: Test, store: PaperStore): Promise<void> {
  const claimed = await store.claim(1, first)
  t.strictSame(claimed?.ledger, first().ledger)
  t.equal(claimed?.holdings.length, first().holdings.length)
  const heard: string[] = []
  const say = (word: string) => (isWritten: boolean) => void heard.push(`${word} ${isWritten}`)
  store.commit(1, [changesOf(1)], say('one'))
  store.commit(1, [], say('nothing'))
  store.commit(1, [changesOf(2), changesOf(3)], say('two and three'))
  t.ok(await commit(store, 1, changesOf(4)))
  t.strictSame(heard, ['one true', 'nothing true', 'two and three true'], 'in order')
  t.strictSame(
    sequencesIn(await store.claim(1, first)),
    [1, 2, 3, 4],
    'the same owner reads them again',
  )
  t.ok(store.isOwner(1))
  t.strictSame(sequencesIn(await store.claim(3, first)), [1, 2, 3, 4], 'and so does the next one')
  t.notOk(await commit(store, 2, changesOf(5)), 'who comes late writes nothing')
  t.equal(await store.claim(2, first), null)
  t.strictSame([store.isOwner(2), store.newest()], [false, 3])
  t.ok(await commit(store, 3, changesOf(5)))
  t.strictSame(sequencesIn(await store.claim(3, first)), [1, 2, 3, 4, 5])
}

t.test('the contract of the books: on disk', async (t) => {
  const { store, close, warnings } = booksIn(t.testdir())
  await contract(t, store)
  await close()
  t.strictSame(warnings, [])
})

t.test('the contract of the books: of the simulation', (t) => contract(t, new MemoryBooks()))

t.test('F465 whoever watches the thread knows that it stands in an append', async (t) => {
  const paper = t.testdir()
  const seen: boolean[] = []
  const createLog: typeof Log.create = (root, limits) => {
    const log = Log.create(root, limits)
    const append = log.append.bind(log)
    log.append = (choose) => {
      seen.push(pulse.isAtDisk())
      return append(choose)
    }
    return log
  }
  const { log, pulse } = logIn(paper, {}, createLog)
  const store = openPaperStore(join(paper, '1'), { keepDays: 30 }, log)
  await store.claim(1, first)
  store.commit(1, [changesOf(1)], () => undefined)
  await log.settle()
  t.strictSame([seen, pulse.isAtDisk()], [[true], false])
  await store.close()
  await log.close()
})

t.test(
  'a turn of all accounts is one append; each is told in the order of its decision',
  async (t) => {
    const paper = t.testdir()
    const { log, pulse } = logIn(paper)
    const ids = ['1', '2', '3']
    const stores = ids.map((id) => openPaperStore(join(paper, id), { keepDays: 30 }, log))
    for (const store of stores) await store.claim(1, first)
    const heard: string[] = []
    for (const round of [1, 2]) {
      for (const [at, store] of stores.entries()) {
        store.commit(1, [changesOf(round)], () => heard.push(`${at}.${round}`))
      }
    }
    t.strictSame(
      [heard, pulse.begun, pulse.ended],
      [[], 1, 0],
      'nothing is told in the turn itself',
    )
    t.strictSame(batchesOf(paper), [])
    await log.settle()
    t.strictSame(heard, ['0.1', '1.1', '2.1', '0.2', '1.2', '2.2'])
    t.strictSame([pulse.begun, pulse.ended], [1, 1])
    t.strictSame(
      batchesOf(paper).map(({ records }) => records.map(({ key }) => key)),
      [ids],
      'one batch, a record for each account',
    )
    for (const store of stores) await store.close()
    await log.close()
  },
)

t.test('what is told lies in the log already', async (t) => {
  const paper = t.testdir()
  const { store, close } = booksIn(paper)
  await store.claim(1, first)
  for (let seq = 1; seq <= 5; seq++) {
    const found = await new Promise((resolve) => {
      store.commit(1, [changesOf(seq)], () => resolve(batchesOf(paper).length))
    })
    t.equal(found, seq)
  }
  await close()
})

t.test(
  'a process that ends without a word: the next owner finds all that was told, once',
  async (t) => {
    const paper = t.testdir()
    const before = booksIn(paper)
    await before.store.claim(1, first)
    for (let seq = 1; seq <= 3; seq++) await commit(before.store, 1, changesOf(seq))
    const after = booksIn(paper)
    t.strictSame(sequencesIn(await after.store.claim(2, first)), [1, 2, 3])
    t.ok(await commit(after.store, 2, changesOf(4)))
    const last = booksIn(paper)
    t.strictSame(sequencesIn(await last.store.claim(3, first)), [1, 2, 3, 4])
    t.strictSame(sequencesIn(await last.store.claim(3, first)), [1, 2, 3, 4], 'again')
    t.notOk(await commit(before.store, 1, changesOf(9)), 'the first one is late')
    await before.close() // what it had is there already
    t.strictSame(sequencesIn(await last.store.claim(3, first)), [1, 2, 3, 4])
    for (const { close } of [after, last]) await close()
    t.strictSame(
      [before, after, last].flatMap(({ warnings }) => warnings),
      [],
    )
  },
)

t.test('a clean end leaves no log, and no database that names one', async (t) => {
  const paper = t.testdir()
  for (const epoch of [1, 2]) {
    const { store, close, warnings } = booksIn(paper)
    const rows = await store.claim(epoch, first)
    t.strictSame(sequencesIn(rows), epoch === 1 ? [] : [1])
    t.ok(await commit(store, epoch, changesOf(epoch)))
    await close()
    t.strictSame(readdirSync(join(paper, 'logs')), [])
    t.strictSame(warnings, [])
    const env = openReadOnly(join(paper, ID, 'db'), ['meta'])
    t.strictSame(env.keys('meta'), ['epoch', 'ledger', 'schema'], 'as of a release without logs')
    await env.close()
  }
})

t.test('the database gets it after a while, and the log is not needed for it', async (t) => {
  const paper = t.testdir()
  const { store, log } = booksIn(paper, { checkpointMs: 1 })
  await store.claim(1, first)
  for (let seq = 1; seq <= 3; seq++) await commit(store, 1, changesOf(seq))
  await store.claim(1, first) // waits for it
  rmSync(join(paper, 'logs', String(String(log.ownName)), '0.log'))
  const after = booksIn(paper)
  t.strictSame(sequencesIn(await after.store.claim(2, first)), [1, 2, 3])
  t.match(after.warnings, [LOST], 'though nobody can know that')
  await after.close()
})

t.test(
  'F113 a log that is full, and a turn that is larger than it: nothing is lost, the order stays',
  async (t) => {
    const paper = t.testdir()
    const { store, pulse } = booksIn(paper, { logBytes: 32_768 })
    await store.claim(1, first)
    const told: number[] = []
    const text = 'x'.repeat(3_000)
    for (let seq = 1; seq <= 60; seq++) {
      store.commit(1, [changesOf(seq, text)], (isWritten) => isWritten && told.push(seq))
      if (seq % 3 === 0) await new Promise(setImmediate)
    }
    t.ok(await commit(store, 1, changesOf(61, 'y'.repeat(100_000)), changesOf(62)))
    t.ok(await commit(store, 1, changesOf(63)))
    t.strictSame(told, upTo(60))
    t.equal(pulse.begun, pulse.ended)
    const after = booksIn(paper)
    t.strictSame(sequencesIn(await after.store.claim(2, first)), upTo(63))
    t.strictSame(after.warnings, [])
    await after.close()
  },
)

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

t.test(
  'books of the release before, which does not open those that a log belongs to',
  async (t) => {
    const paper = t.testdir()
    const tables = ['meta', 'holdings', 'orders', 'deals', 'acted']
    const env = openEnvironment(join(paper, ID, 'db'), tables)
    const schema = () => {
      env.refresh()
      return decode(env.get('meta', 'schema') as Uint8Array)
    }
    const { ledger, holdings } = first()
    env.write(() => {
      env.put('meta', 'schema', encode(1))
      env.put('meta', 'epoch', encode(4))
      env.put('meta', 'ledger', encode({ ...ledger, session: 3 }))
      for (const holding of holdings) env.put('holdings', holding.code, encode(holding))
      for (const { seq, ...order } of changesOf(8).orders) {
        env.put('orders', [3, seq], encode({ ...order, session: 3, seq }))
      }
    })
    const { store, close } = booksIn(paper)
    t.equal(await store.claim(3, first), null, 'its epoch counts')
    t.equal(schema(), 1)
    t.strictSame(sequencesIn(await store.claim(5, first)), [8])
    t.equal(schema(), 2, 'it would go on without what lies in the log')
    await close()
    t.equal(schema(), 1)
    env.write(() => env.put('meta', 'schema', encode(3)))
    const later = booksIn(paper)
    await t.rejects(later.store.claim(6, first), /unknown schema 3/)
    await env.close()
  },
)

t.test('a copy has what only the log holds, and looks for no log', async (t) => {
  const data = t.testdir({ copy: {} })
  const paper = join(data, 'paper')
  const { store, close } = booksIn(paper)
  await store.claim(1, first)
  await commit(store, 1, changesOf(1))
  await store.claim(1, first) // the first of them is in the database
  for (let seq = 2; seq <= 3; seq++) await commit(store, 1, changesOf(seq))
  await copyDatabase(data, join(data, 'copy'), join('paper', ID, 'db'))
  t.ok(await commit(store, 1, changesOf(4)), 'it goes on')
  const copy = booksIn(join(data, 'copy', 'paper'))
  t.strictSame(sequencesIn(await copy.store.claim(2, first)), [1, 2, 3])
  t.strictSame(copy.warnings, [])
  t.strictSame(sequencesIn(await store.claim(2, first)), [1, 2, 3, 4])
  await copy.close()
  await close()
})

t.test(
  'F125 a disk that is full: the log takes what it can, and no database is touched',
  async (t) => {
    const paper = t.testdir()
    const disk = { free: 1_000_000 }
    const freeBytes = () => disk.free
    const limits = { logBytes: 32_768, writeMarginBytes: 10, checkpointMs: 1 }
    const { store, log, close } = booksIn(paper, { ...limits, freeBytes })
    await store.claim(1, first)
    disk.free = 0
    const env = openReadOnly(join(paper, ID, 'db'), ['orders'])
    const inDatabase = () => {
      env.refresh()
      return env.keys('orders').length
    }
    const text = 'x'.repeat(3_000)
    t.ok(await commit(store, 1, changesOf(1, text)), 'the log is there')
    let told = 1
    for (let seq = 2; seq <= 40; seq++) {
      store.commit(1, [changesOf(seq, text)], () => told++)
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    const before = told
    t.ok(before < 40, 'and has an end')
    t.equal(inDatabase(), 0)
    disk.free = 1_000_000
    t.ok(await commit(store, 1, changesOf(41)))
    t.equal(told, 40, 'what had waited came before it')
    disk.free = 0
    t.ok(await commit(store, 1, changesOf(42)))
    log.stopWaiting()
    await close()
    disk.free = 1_000_000
    const after = booksIn(paper)
    t.strictSame(
      sequencesIn(await after.store.claim(2, first)),
      upTo(42),
      'the log was left for it',
    )
    t.strictSame(after.warnings, [])
    await after.close()
    await env.close()
  },
)

t.test('F125 what finds no room before the process ends has not happened', async (t) => {
  const paper = t.testdir()
  const disk = { free: 1_000_000 }
  const freeBytes = () => disk.free
  const { store, log, close } = booksIn(paper, { writeMarginBytes: 10, freeBytes })
  await store.claim(1, first)
  t.ok(await commit(store, 1, changesOf(1)))
  disk.free = 0
  const large = commit(store, 1, changesOf(2, 'y'.repeat(100_000)))
  await new Promise(setImmediate)
  log.stopWaiting()
  t.equal(await large, false)
  await close()
  const after = booksIn(paper)
  t.strictSame(sequencesIn(await after.store.claim(2, first)), [1])
  await after.close()
})

t.test('F113 without room for a log the books are written without one', async (t) => {
  const paper = t.testdir()
  const { log, warnings } = logIn(paper, {}, () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  const store = openPaperStore(join(paper, ID), { keepDays: 30 }, log)
  await contract(t, store)
  t.match(warnings[0], /no room/)
  const { store: next, close } = booksIn(paper)
  t.strictSame(
    sequencesIn(await next.claim(4, first)),
    [1, 2, 3, 4, 5],
    'all of it in the database',
  )
  await store.close()
  await log.close()
  await close()
})
