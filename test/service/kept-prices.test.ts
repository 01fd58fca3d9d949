import t from 'tap'
import type { Published, Resource } from '../../src/protocol/account.ts'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import { KeptReads } from '../../src/service/accounts/kept-reads.ts'

const SLOT = 1
const CALL = { timeoutMs: 1_000, correlationId: '' }
const QUOTE_SLOTS = [3, 4]
const SHOWS_NO_PRICE: ReadonlySet<Resource> = new Set(['orders'])

/** An account that is ready, its clock and its market in the hands of the test. */
function ready({ priceAgeMs = 100, isOwner = true } = {}) {
  const board = new ActorBoard(createActorBoard(2))
  board.setStatus(SLOT, 'ready')
  const asked: Resource[] = []
  const market = { writes: 0, stamp: 0, nowMs: 1_000 }
  const gate = { open: Promise.resolve() }
  const reads = new KeptReads({
    accountId: 'A',
    alias: '',
    system: {
      board,
      quotes: {
        writes: () => market.writes,
        stamp: (slots: readonly number[]) => (slots.length === 0 ? 0 : market.stamp),
      } as never,
    },
    slot: SLOT,
    isOwner: () => isOwner,
    isInSession: () => true,
    priceAgeMs,
    steadyMs: () => market.nowMs,
    ask: async (resource): Promise<Published> => {
      asked.push(resource)
      const version = board.version(SLOT)
      const isPriced = !SHOWS_NO_PRICE.has(resource)
      const [quoteSlots, quoteStamp] = isPriced ? [QUOTE_SLOTS, market.stamp] : [[], 0]
      const bytes = Buffer.from(`${quoteStamp}`)
      await gate.open
      return { resource, bytes, version, quoteSlots, quoteStamp, dataVersion: 1 }
    },
  })
  const priceMoves = () => {
    market.writes += 1
    market.stamp += 1
  }
  const shown = async (resource: Resource) =>
    Buffer.from((await reads.read(resource, CALL)).bytes).toString()
  return { reads, board, asked, market, gate, priceMoves, shown }
}

t.test('overtaken prices are shown for at most the time that is configured', async (t) => {
  const { asked, market, priceMoves, shown } = ready({ priceAgeMs: 100 })
  t.equal(await shown('positions'), '0')
  priceMoves()
  market.nowMs += 99
  t.equal(await shown('positions'), '0', 'from memory')
  market.nowMs += 1
  t.equal(await shown('positions'), '1')
  t.same(asked, ['positions', 'positions'])
})

t.test('whoever asks after a pause is shown the newest prices', async (t) => {
  const { market, priceMoves, shown } = ready({ priceAgeMs: 100 })
  await shown('positions')
  market.nowMs += 3_000
  priceMoves()
  t.equal(await shown('positions'), '1')
})

t.test('what stays the same is kept for as long as it does', async (t) => {
  const { asked, market, shown } = ready({ priceAgeMs: 100 })
  await shown('positions')
  market.nowMs += 60_000
  market.writes += 1 // of a stock that is not held
  await shown('positions')
  market.nowMs += 60_000
  await shown('positions')
  t.same(asked, ['positions'])
})

t.test('what the account has done is shown at once, with the prices of that moment', async (t) => {
  const { board, priceMoves, shown, asked } = ready({ priceAgeMs: 100 })
  await shown('positions')
  priceMoves()
  board.bumpVersion(SLOT)
  t.equal(await shown('positions'), '1')
  t.same(asked, ['positions', 'positions'])
})

t.test('who was shown a price in one view is not shown an older one in another', async (t) => {
  const { market, priceMoves, shown, asked } = ready({ priceAgeMs: 100 })
  t.equal(await shown('positions'), '0')
  priceMoves()
  market.nowMs += 10
  t.equal(await shown('status'), '1')
  t.equal(await shown('positions'), '1')
  t.equal(await shown('orders'), '0', 'which shows no price and says nothing of them')
  t.equal(await shown('status'), '1')
  t.same(asked, ['positions', 'status', 'positions', 'orders'])
})

t.test('the time that an answer takes counts as its age', async (t) => {
  const { market, gate, priceMoves, reads, shown } = ready({ priceAgeMs: 100 })
  const answered = Promise.withResolvers<void>()
  gate.open = answered.promise
  const first = reads.read('positions', CALL)
  priceMoves()
  market.nowMs += 100
  answered.resolve()
  t.equal(Buffer.from((await first).bytes).toString(), '0')
  t.equal(await shown('positions'), '1')
})

t.test('without such a time every move is shown', async (t) => {
  const { priceMoves, shown } = ready({ priceAgeMs: 0 })
  t.equal(await shown('positions'), '0')
  priceMoves()
  t.equal(await shown('positions'), '1')
})

t.test('nothing is kept of an account that another process runs', async (t) => {
  const { priceMoves, shown, asked } = ready({ isOwner: false })
  t.equal(await shown('positions'), '0')
  priceMoves()
  t.equal(await shown('positions'), '1')
  t.same(asked, ['positions', 'positions'])
})
