import t from 'tap'
import { WaitingQuotes } from '../../actors/account/items.ts'
import { atBroker } from '../simulation/fixtures/at-broker.ts'
import { pass } from '../simulation/fixtures/calm.ts'
import { CODES } from '../simulation/fixtures/market.ts'

/** As many as may be decided ahead of the disk, and then more wake-ups than may wait in a lane. */
const [REQUESTS, TICKS] = [64, 600]
const TRADING = { globalAutoOperation: true, globalAllowBuySell: true }

t.test('F567 while the disk stands still the account lives, however many quotes cross', (t) =>
  atBroker(async (world) => {
    const { life } = world
    const save = (changes: Readonly<Record<string, number | boolean>>) =>
      world.request({ kind: 'saveConfig', changes, source: 'user' })
    await save(TRADING)
    for (const step of [1, 2, 3, 4]) {
      await world.tick(CODES[0], 36, step)
      await pass(world, 3_000)
    }
    for (let i = 0; i < REQUESTS; i++) await save({ stockStopLoss: 7 + (i % 2) / 10 })
    for (let i = 0; i < TICKS; i++) await world.tick(CODES[0], 32.9 - (i % 2) / 100, 4)
    t.equal(world.called.size, 0, 'nothing is durable, so nothing has left')
    await pass(world, 3_000)
    t.equal(world.life, life, 'it is the same life')
    await world.tick(CODES[0], 32.8, 4)
    await pass(world, 3_000)
    t.equal(world.called.size, 1, 'and one stop is at the broker')
  }),
)

t.test(
  'F567 the message that waits looks at every stock that has crossed until it is received',
  async (t) => {
    const [first, second] = CODES
    const quotes = new WaitingQuotes()
    t.notOk(quotes.join([first]), 'nothing waits')
    const message = quotes.begin([first])
    t.ok(quotes.join([second, first]))
    t.match(message, { kind: 'quotes', crossed: [first, second] })
    quotes.received()
    t.notOk(quotes.join([second]), 'what comes while it is worked off is another one')
  },
)
