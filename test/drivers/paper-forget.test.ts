import t from 'tap'
import { openPaperStore, type PaperStore } from '../../src/drivers/paper/store.ts'
import { Witness } from '../contract/driver.ts'
import { orderOf, price, SETTINGS, SH } from './fixtures/paper.ts'
import { LIMITS, PaperRig } from './fixtures/paper-rig.ts'

const BOOK = { last: 36, ask: [[36, 900]], bid: [[35.99, 900]] } as const
const ID = '10000001'

/** Books on disk whose open environments are counted. */
function counting() {
  const count = { open: 0 }
  const openStore: typeof openPaperStore = (folder, limits, log) => {
    count.open += 1
    const store = openPaperStore(folder, limits, log)
    const close = async () => {
      await store.close()
      count.open -= 1
    }
    return {
      claim: (epoch, first) => store.claim(epoch, first),
      commit: (epoch, changes, written) => store.commit(epoch, changes, written),
      isOwner: (epoch) => store.isOwner(epoch),
      newest: () => store.newest(),
      close,
    } satisfies PaperStore
  }
  return { count, openStore }
}

t.test('an account that is done with keeps no books open; the next one finds them', async (t) => {
  const { count, openStore } = counting()
  const rig = new PaperRig(t.testdir(), SETTINGS, LIMITS, openStore)
  rig.market.tick(SH, BOOK)
  for (let epoch = 1; epoch <= 30; epoch++) {
    const driver = rig.driver({ epoch })
    const witness = new Witness(driver)
    await witness.connect()
    if (epoch === 1) await witness.submit(orderOf({ price: price(35) }))
    t.equal((await witness.rows('orders')).rows.length, 1, 'the order rests')
    t.equal(count.open, 1)
    driver.close()
    const forgotten = rig.actor.forget(ID)
    if (epoch % 2 === 0) await forgotten // every other one comes back while the books are closing
    if (epoch % 2 === 0) t.equal(count.open, 0)
  }
  await rig.close()
  t.equal(count.open, 0)
  t.strictSame(rig.market.armed(), [], 'nobody hears of ticks any more')
})

t.test('what still waits when the account is done with comes to nothing', async (t) => {
  const { count, openStore } = counting()
  const rig = new PaperRig(t.testdir(), SETTINGS, LIMITS, openStore)
  const driver = rig.driver()
  driver.open(() => undefined)
  driver.send({ kind: 'query', callId: 1, what: 'asset' })
  await rig.actor.forget(ID)
  await new Promise(setImmediate)
  await rig.board.untilQuiet()
  t.equal(count.open, 0)
  await rig.close()
})
