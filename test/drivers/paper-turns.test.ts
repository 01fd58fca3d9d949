import t from 'tap'
import type { PaperStore } from '../../src/drivers/paper/store.ts'
import { PAPER_SLOT } from '../../src/runtime/actor-board.ts'
import { Witness } from '../contract/driver.ts'
import { turnsUntil } from '../in-time.ts'
import { MemoryBooks } from '../simulation/fixtures/books.ts'
import { orderOf, price, SETTINGS, SH, story } from './fixtures/paper.ts'
import { LIMITS, PaperRig } from './fixtures/paper-rig.ts'

const ID = '10000001'
const BOOK = { last: 36, ask: [[36, 900]], bid: [[35.99, 900]] } as const
const FALLEN = { last: 34.9, ask: [[34.9, 900]] } as const

/** A disk that takes its time: what was decided waits until somebody says what has become of it. */
class SlowBooks implements PaperStore {
  readonly waiting: ((isWritten: boolean) => void)[] = []
  isSlow = false
  readonly #books = new MemoryBooks()

  claim: PaperStore['claim'] = (epoch, first) => this.#books.claim(epoch, first)
  isOwner = () => true
  newest = () => this.#books.newest()
  close = async () => undefined

  commit: PaperStore['commit'] = (epoch, changes, written) => {
    const end = (isWritten: boolean) => {
      if (isWritten) this.#books.commit(epoch, changes, written)
      else written(false)
    }
    if (this.isSlow && (changes.length > 0 || this.waiting.length > 0)) this.waiting.push(end)
    else end(true)
  }

  /** All that waits, in order. */
  end(isWritten: boolean): void {
    for (const end of this.waiting.splice(0)) end(isWritten)
  }
}

async function stage(dir: string) {
  const books = new SlowBooks()
  const rig = new PaperRig(dir, SETTINGS, LIMITS, () => books)
  rig.market.tick(SH, BOOK)
  const witness = new Witness(rig.driver())
  await witness.connect()
  await rig.board.untilQuiet()
  witness.events.length = 0
  books.isSlow = true
  return { books, rig, witness }
}

t.test(
  'nothing is told before it is written, and what was asked later is answered later',
  async (t) => {
    const { books, rig, witness } = await stage(t.testdir())
    witness.send({ kind: 'submit', order: orderOf({ price: price(35) }) })
    await turnsUntil(() => books.waiting.length === 1, 'the order to be decided')
    witness.send({ kind: 'query', what: 'asset' }) // it knows of the order
    await turnsUntil(() => books.waiting.length === 2, 'the query to be read')
    t.equal(story(witness.events), '')
    t.notOk(rig.board.isQuiet(), 'an exact replay waits')
    books.end(true)
    await rig.board.untilQuiet()
    t.match(
      witness.events.map(({ kind }) => kind),
      /submitAnswered.*queryAnswered/,
    )
    await rig.close()
  },
)

t.test('what a newer owner has made void is taken back whole, and said once', async (t) => {
  const { books, rig, witness } = await stage(t.testdir())
  for (const at of [35, 34.99]) {
    witness.send({ kind: 'submit', order: orderOf({ price: price(at) }) })
  }
  await turnsUntil(() => books.waiting.length > 0, 'the orders to be decided')
  rig.market.tick(SH, FALLEN) // fills them, as far as it knows
  t.ok(books.waiting.length >= 2)
  books.end(false)
  await rig.board.untilQuiet()
  t.equal(story(witness.events), 'disconnected', 'no order, no deal')
  t.strictSame(rig.market.armed(), [], 'its books are closed')
  await rig.close()
})

t.test('what was decided for a thread that is gone is not told to the next one', async (t) => {
  const { books, rig, witness } = await stage(t.testdir())
  witness.send({ kind: 'submit', order: orderOf({ price: price(35) }) })
  await turnsUntil(() => books.waiting.length > 0, 'the order to be decided')
  rig.actor.leave(ID)
  const next = new Witness(rig.driver({ epoch: 2 }))
  books.end(true)
  books.isSlow = false
  await next.connect()
  t.strictSame(
    next.events.filter(({ kind }) => kind !== 'connectAnswered'),
    [],
  )
  t.equal((await next.rows('orders')).rows.length, 1, 'though it is there')
  await rig.close()
})

t.test('a replay waits for the disk of a fill that nobody asked for', async (t) => {
  const rig = new PaperRig(t.testdir())
  rig.market.tick(SH, BOOK)
  const witness = new Witness(rig.driver())
  await witness.connect()
  await witness.submit(orderOf({ price: price(35) }))
  await rig.board.untilQuiet()
  rig.market.tick(SH, FALLEN)
  t.equal(rig.board.inFlight(PAPER_SLOT), 1, 'the wake-up is worked off, the append is to come')
  t.notOk(witness.events.some(({ kind }) => kind === 'dealPushed'))
  await rig.board.untilQuiet()
  t.ok(witness.events.some(({ kind }) => kind === 'dealPushed'))
  await rig.close()
})
