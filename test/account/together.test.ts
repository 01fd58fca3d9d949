import t from 'tap'
import { emptyState } from '../../src/account/model/state.ts'
import { type AccountInput, stepTogether } from '../../src/account/step.ts'
import type { StrategyManifest } from '../../src/account/strategies/manifest.ts'
import type { Turn } from '../../src/account/turn/turn.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Quantity } from '../../src/domain/money.ts'
import { ANY_PRICE } from '../../src/strategy/band.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  commands,
  holder,
  KEY,
  keyOf,
  policy,
  rest,
} from './fixture.ts'
import { accepted, dealt, pushed, said } from './play.ts'

const rejected = (n: number): AccountInput =>
  said({
    kind: 'submitAnswered',
    callId: n,
    clientOrderId: keyOf(n),
    outcome: { kind: 'rejected', message: 'no' },
  })

/** What is known of an order and its holding, once all has been said. */
const known = ({ state }: Bench) => ({
  orders: [...state.orders.values()],
  deals: [...state.deals.keys()],
  positions: [...state.positions.values()],
  shares: [...state.shares.keys()],
  level: state.killSwitch.level,
  rejectsInRow: state.rejectsInRow,
})

/** The answer to the usual order, and what is pushed of it until it is filled. */
function news(bench: Bench): readonly AccountInput[] {
  const [submit] = commands(bench.place())
  const bought = { filledQuantity: 100 as Quantity, status: 56 as const }
  return [
    accepted(submit?.callId ?? 0),
    pushed({ status: 50 }),
    dealt(),
    pushed(bought),
    said({ kind: 'positionPushed', position: brokerPosition({ quantity: 1_100 as Quantity }) }),
  ]
}

t.test('what comes together leaves what it leaves one after the other', async (t) => {
  const [alone, together] = [holder(), holder()]
  for (const input of news(alone)) alone.input(input)
  together.together(news(together))
  t.same(known(together), known(alone))
  t.match([...together.state.orders.values()].at(-1), { status: 'filled' })
})

t.test('and its stock is judged once', async (t) => {
  const looks = { count: 0 }
  const evaluate = (_: Turn, code: StockCode) => {
    if (code === BANK) looks.count += 1
  }
  const traceRow = () => {
    throw new Error('it notes nothing')
  }
  const onlooker: StrategyManifest = {
    name: 'onlooker',
    evaluate,
    bandOf: () => ANY_PRICE,
    traceRow,
  }
  /** After the order has left, and with all that is said of it. */
  const looksAt = (hear: (bench: Bench, inputs: readonly AccountInput[]) => void): number => {
    const bench = new Bench(emptyState(policy), [onlooker]).ready([brokerPosition()])
    const inputs = news(bench)
    looks.count = 0
    hear(bench, inputs)
    return looks.count
  }
  t.equal(
    looksAt((bench, inputs) => {
      for (const input of inputs) bench.input(input)
    }),
    5,
  )
  t.equal(
    looksAt((bench, inputs) => bench.together(inputs)),
    1,
  )
})

t.test('what guards the account follows each of them', async (t) => {
  const bench = holder({ maxRejectsInRow: 2 })
  for (const n of [11, 12, 13]) bench.place({ key: keyOf(n), requestHash: keyOf(n) })
  const taken = { orderId: '1013', clientOrderId: keyOf(13), status: 50 } as const
  bench.together([rejected(11), rejected(12), pushed(taken)])
  t.match(bench.state.killSwitch, { level: 'all', source: 'trigger:max_rejects_in_row' })
  t.equal(bench.state.rejectsInRow, 0, 'though the next one was taken')
})

t.test('what is pushed behind a list is no part of it', async (t) => {
  const bench = holder()
  rest(bench, 7)
  bench.input({ kind: 'timer', name: 'poll' })
  const asked = [...bench.state.calls].find(([, call]) => call.kind === 'query')
  if (asked === undefined) throw new Error('nothing was asked')
  const [callId, call] = asked
  const what = call.kind === 'query' ? call.what : 'asset'
  const value = { what, rows: [] } as never
  const turn = bench.turn()
  stepTogether(turn, [
    said({ kind: 'queryAnswered', callId, what, result: { ok: true, value } }),
    pushed({ clientOrderId: KEY }),
  ])
  t.equal(turn.asked, undefined)
})
