import t from 'tap'
import { QuoteChoice } from '../../../src/cluster/protocol/quote-choice.ts'
import { QuoteInterest } from '../../../src/cluster/protocol/quote-interest.ts'
import { QuoteTurn } from '../../../src/cluster/protocol/quote-turn.ts'
import { rankOf } from '../../../src/cluster/protocol/rendezvous.ts'

const CODE = '600036.SH'
const RULES = { silenceMs: 100, lagMs: 30 }
/** At the exchange; our own clock stands at small numbers. */
const T = 1_790_000_000_000

type Look = readonly [node: string, timeMs: number, nowMs: number, isTaken: boolean]

const CHOICES: readonly (readonly [name: string, looks: readonly Look[]])[] = [
  [
    'one node is followed, whatever others tell at the same time',
    [
      ['a', T, 0, true],
      ['b', T + 1, 1, false],
      ['a', T + 3, 3, true],
      ['b', T + 4, 4, false],
    ],
  ],
  [
    'F196 a node that is silent is left for another',
    [
      ['a', T, 0, true],
      ['b', T + 5, 100, false],
      ['b', T + 6, 101, true],
      ['a', T + 7, 102, false],
    ],
  ],
  [
    'one that goes on is followed for as long as it does',
    [
      ['a', T, 0, true],
      ['a', T + 60, 60, true],
      ['a', T + 120, 120, true],
      ['b', T + 125, 150, false],
    ],
  ],
  [
    'one that repeats what it has said is silent',
    [
      ['a', T, 0, true],
      ['a', T, 90, true],
      ['b', T + 1, 101, true],
    ],
  ],
  [
    'one that is far behind is left at once',
    [
      ['a', T, 0, true],
      ['b', T + 30, 1, false],
      ['b', T + 31, 2, true],
    ],
  ],
  [
    'what a node says of the far future binds nobody for longer than its silence',
    [
      ['a', T + 1e9, 0, true],
      ['b', T, 50, false],
      ['a', T + 1, 60, true],
      ['b', T + 2, 101, true],
    ],
  ],
]

for (const [name, looks] of CHOICES) {
  t.test(name, async (t) => {
    const choice = new QuoteChoice(RULES)
    for (const [node, timeMs, nowMs, isTaken] of looks) {
      t.equal(choice.takes(CODE, { node, timeMs }, nowMs), isTaken, `${node} at ${nowMs}`)
    }
  })
}

t.test('each code is followed by itself, and nodes that are silent are not counted', async (t) => {
  const choice = new QuoteChoice(RULES)
  choice.takes(CODE, { node: 'a', timeMs: T }, 0)
  choice.takes('000001.SZ', { node: 'b', timeMs: T }, 50)
  choice.takes('300750.SZ', { node: 'b', timeMs: T }, 60)
  t.strictSame(
    [...choice.nodes(100)],
    [
      ['a', 1],
      ['b', 2],
    ],
  )
  t.strictSame([...choice.nodes(101)], [['b', 2]])
  t.strictSame([...choice.nodes(161)], [])
})

/** The two nodes in the order in which they tell this code. */
const [FIRST = '', SECOND = ''] = ['n1', 'n2'].sort(
  (a, b) => rankOf(CODE, a, [b]) - rankOf(CODE, b, [a]),
)

t.test(
  'F196 of two that have a code one tells it, the other when that one is silent or behind',
  async (t) => {
    const first = new QuoteTurn(FIRST, RULES)
    const second = new QuoteTurn(SECOND, RULES)
    t.ok(second.isOurs(CODE, T, 0), 'until it has heard the other')
    for (const turn of [first, second]) {
      turn.hear(CODE, { node: FIRST, timeMs: T }, 0)
      turn.hear(CODE, { node: SECOND, timeMs: T }, 0)
    }
    t.ok(first.isOurs(CODE, T + 3, 3), 'who comes first is kept back by nobody')
    t.notOk(second.isOurs(CODE, T + 3, 3))
    t.ok(second.isOurs('000001.SZ', T, 3), 'of another code nothing was heard')
    t.notOk(second.isOurs(CODE, T + 30, 100))
    t.ok(second.isOurs(CODE, T + 31, 100), 'the first is behind')
    t.ok(second.isOurs(CODE, T + 3, 101), 'the first is silent')
    second.hear(CODE, { node: FIRST, timeMs: T + 3 }, 102)
    t.notOk(second.isOurs(CODE, T + 4, 103), 'it is back')
    second.hear(CODE, { node: FIRST, timeMs: T + 3 }, 200)
    t.ok(second.isOurs(CODE, T + 4, 203), 'what is repeated is no sign of life')
    second.hear(CODE, { node: FIRST, timeMs: T + 4 }, 204)
    second.forget(CODE)
    t.ok(second.isOurs(CODE, T + 4, 204))
  },
)

t.test('what is wanted is remembered until nobody asks any more, and so much of it', async (t) => {
  const interest = new QuoteInterest({ codesMax: 2, forgetMs: 100 })
  t.strictSame(interest.hear(CODE, 0), { isNew: true })
  t.strictSame(interest.hear('000001.SZ', 10), { isNew: true })
  t.equal(interest.hear('300750.SZ', 10), undefined, 'one more than there is room for')
  t.equal(interest.leftOut, 1)
  t.strictSame(interest.hear(CODE, 50), { isNew: false }, 'who is there is asked for again')
  t.ok(interest.isWanted(CODE, 149))
  t.notOk(interest.isWanted(CODE, 150))
  t.notOk(interest.isWanted('300750.SZ', 10))
  t.strictSame(interest.lapse(110), ['000001.SZ'])
  t.equal(interest.size, 1)
  t.strictSame(interest.hear('300750.SZ', 111), { isNew: true }, 'there is room again')
})
