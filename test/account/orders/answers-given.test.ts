import t from 'tap'
import type { AccountRequest } from '../../../src/protocol/account.ts'
import {
  type Bench,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  Bench as NewBench,
} from '../fixture.ts'
import { accepted, reborn, started } from '../play.ts'

const OTHER = '01ARZ3NDEKTSV4RRFFQ69G5FAW'
const source = 'service/stop'

function asked(bench: Bench, request: AccountRequest): void {
  bench.input({ kind: 'request', ref: 900, request } as never)
}

/** An order that was taken; its process says what became of its answers, and then it ends. */
function nextLife(ends: (bench: Bench) => void): Bench {
  const bench = new NewBench().ready([brokerPosition()])
  const [{ callId = 0 } = {}] = commands(bench.place())
  bench.input(accepted(callId, '1001', KEY))
  ends(bench)
  const next = reborn(bench)
  next.journal.unshift(...bench.journal)
  started(next, { orders: [brokerOrder()], positions: [brokerPosition()] })
  return next
}

/** What the like of it comes to. */
const again = (bench: Bench): string => {
  const effects = bench.place({ key: OTHER })
  const refusal = effects.find((effect) => effect.kind === 'refuse')
  return refusal?.kind === 'refuse' ? refusal.error.code : (commands(effects)[0]?.kind ?? '')
}
const inGoodOrder = (bench: Bench) => asked(bench, { kind: 'answersGiven', source })
const missed = (bench: Bench) => asked(bench, { kind: 'noteTold', told: [], untold: [KEY], source })

t.test('F838 a process that ended in good order has told of its orders', async (t) => {
  t.equal(again(nextLife(inGoodOrder)), 'submit')
  const twice = nextLife(inGoodOrder)
  const third = reborn(twice)
  started(third, { orders: [brokerOrder()], positions: [brokerPosition()] })
  t.equal(again(third), 'submit', 'nor does a later one that is killed put it in doubt again')
})

t.test('an end that told nothing, or of an answer that was missed, leaves it untold', async (t) => {
  t.equal(again(nextLife(() => undefined)), 'ORDER_UNTOLD', 'it was killed')
  const before = nextLife((bench) => {
    missed(bench)
    inGoodOrder(bench)
  })
  t.equal(again(before), 'ORDER_UNTOLD', 'the front said so before')
  const after = nextLife((bench) => {
    inGoodOrder(bench)
    missed(bench)
  })
  t.equal(again(after), 'ORDER_UNTOLD', 'the front said so after')
})

t.test('F838 what an earlier release has gone on with is folded as it is stored', async (t) => {
  const next = nextLife(inGoodOrder)
  // Such a release puts the order in doubt again, and keeps a field of a row that it does not know.
  missed(next)
  t.match(next.state.orders.get(KEY), { isTold: true, untoldMs: Number })
  t.equal(again(next), 'ORDER_UNTOLD')
})

t.test('an order without an answer is not counted among those that have one', async (t) => {
  const bench = new NewBench().ready([brokerPosition()])
  bench.place()
  asked(bench, { kind: 'answersGiven', source })
  t.equal(bench.state.orders.get(KEY)?.isTold, undefined)
})
