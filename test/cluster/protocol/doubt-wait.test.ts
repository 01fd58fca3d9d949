import t from 'tap'
import {
  type DoubtEffect,
  type DoubtState,
  type Found,
  startDoubt,
  stepDoubt,
} from '../../../src/cluster/protocol/doubt-wait.ts'
import { DEFAULT_TIMING } from '../../../src/cluster/protocol/timing.ts'
import { at } from './fixtures/values.ts'

const OPEN = [
  { id: 'a', deadlineMs: 1 },
  { id: 'b', deadlineMs: at(9_999_999).wallMs },
]

class Doubt {
  state: DoubtState = startDoubt(OPEN, DEFAULT_TIMING, at(1_000))
  effects: readonly DoubtEffect[] = []

  tick(monoMs: number): this {
    return this.#feed(stepDoubt(this.state, { is: 'tick' }, at(monoMs)))
  }
  said(answers: Readonly<Record<string, Found>> | undefined, monoMs: number): this {
    const question = this.state.questions
    const told = answers === undefined ? undefined : new Map(Object.entries(answers))
    return this.#feed(stepDoubt(this.state, { is: 'said', question, answers: told }, at(monoMs)))
  }
  #feed({ state, effects }: ReturnType<typeof stepDoubt>): this {
    this.state = state
    this.effects = effects
    return this
  }
}

t.test('what is there is believed at once', async (t) => {
  const doubt = new Doubt().tick(1_000)
  t.strictSame(doubt.effects, [{ do: 'askBroker', question: 1, ids: ['a', 'b'] }])
  doubt.said({ a: 'there', b: 'there' }, 1_100)
  t.strictSame(doubt.effects, [
    { do: 'resolved', id: 'a', outcome: 'found' },
    { do: 'resolved', id: 'b', outcome: 'found' },
    { do: 'cleared' },
  ])
  t.strictSame(doubt.tick(99_000).effects, [])
})

t.test('F161 what is not there is believed only when it was asked late enough', async (t) => {
  const doubt = new Doubt().tick(1_000).said({ a: 'absent', b: 'there' }, 1_100)
  t.strictSame(doubt.effects, [{ do: 'resolved', id: 'b', outcome: 'found' }])
  doubt.tick(12_400).said({ a: 'absent' }, 12_600)
  t.strictSame(doubt.effects, [], 'asked too early, answered later')
  t.strictSame(doubt.tick(12_700).effects, [{ do: 'askBroker', question: 3, ids: ['a'] }])
  doubt.said({ a: 'absent' }, 12_710)
  t.strictSame(doubt.effects, [{ do: 'resolved', id: 'a', outcome: 'expired' }, { do: 'cleared' }])
})

t.test(
  'the deadlines of another computer shorten nothing, and no answer proves nothing',
  async (t) => {
    const doubt = new Doubt()
    for (let monoMs = 1_000; monoMs < 12_500; monoMs += 100) {
      if (doubt.tick(monoMs).effects.length > 0)
        doubt.said({ a: 'absent', b: 'absent' }, monoMs + 10)
      t.strictSame(doubt.effects, [])
    }
    doubt.tick(12_500)
    t.strictSame(doubt.effects.length, 1, 'asked again as soon as it may be believed')
    t.strictSame(doubt.said(undefined, 12_600).effects, [])
    t.strictSame(doubt.tick(14_600).said({ a: 'absent' }, 14_610).effects, [
      { do: 'resolved', id: 'a', outcome: 'expired' },
    ])
  },
)

t.test('an answer to an earlier question counts for nothing', async (t) => {
  const doubt = new Doubt().tick(12_500)
  const answers = new Map([['a', 'absent' as const]])
  const old = stepDoubt(doubt.state, { is: 'said', question: 0, answers }, at(12_600))
  t.strictSame(old.effects, [])
})
