import t from 'tap'
import { PAPER_SLOT } from '../../src/runtime/actor-board.ts'
import { Witness } from '../contract/driver.ts'
import { orderOf, price, SH } from './fixtures/paper.ts'
import { PaperRig } from './fixtures/paper-rig.ts'

const IDS = ['10000001', '10000002', '10000003']
const BOOK = { last: 36, ask: [[36, 900]], bid: [[35.99, 900]] } as const

t.test('the client beats for every account that it serves in one turn', async (t) => {
  const rig = new PaperRig(t.testdir())
  /** Beats while something is done in one go. */
  const beatsOf = (work: () => void): number => {
    const before = rig.board.heartbeat(PAPER_SLOT)
    work()
    return rig.board.heartbeat(PAPER_SLOT) - before
  }
  rig.market.tick(SH, BOOK)
  const guests: Witness[] = []
  const opening = beatsOf(() => {
    for (const [at, accountId] of IDS.entries()) {
      guests.push(new Witness(rig.driver({ accountId, slot: at + 1 })))
    }
  })
  t.equal(opening, IDS.length, 'their books are opened, one after the other')
  for (const guest of guests) await guest.connect()
  for (const guest of guests) await guest.submit(orderOf({ price: price(35) }))
  const filling = beatsOf(() => rig.market.tick(SH, { last: 34.9, ask: [[34.9, 900]] }))
  t.ok(filling > IDS.length, `${filling}: an order of each is filled`)
  const event = { kind: 'dayOpened', day: '2026-11-30', timeMs: rig.market.timeMs } as const
  const closing = beatsOf(() => rig.actor.receive(event, () => undefined))
  t.ok(closing >= IDS.length, `${closing}: the day of each ends`)
  await rig.close()
})
