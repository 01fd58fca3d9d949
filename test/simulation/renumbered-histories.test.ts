import t from 'tap'
import { outcome } from './fixtures/history.ts'
import type { Move } from './fixtures/moves.ts'
import { PLAIN } from './fixtures/nature.ts'

// Histories that were found by chance beyond those that each run plays, shrunk to what matters.

const move = (kind: Move['kind'], a = 0, b = 0): Move => ({ kind, a, b })

t.test(
  'F533 a number that goes round three orders of two stocks leads none to another',
  async (t) => {
    const moves = [
      move('foreign', 1),
      move('place', 2),
      move('place'),
      move('tick'),
      move('deaf', 0, 1),
      move('amend', 1),
      move('renumber', 0, 5_159),
    ]
    t.equal(await outcome({ nature: PLAIN, moves }), undefined)
  },
)

t.test('F535 a cancel reaches no order that has the number by then', async (t) => {
  const moves = [
    move('place', 49),
    move('run', 5),
    move('place', 84),
    move('run', 5),
    move('renumber', 0, 3),
    move('run', 1),
    move('wait'),
    move('run', 1),
    move('cancel', 1),
    move('run', 3),
  ]
  t.equal(await outcome({ nature: { ...PLAIN, lists: 'gaps' }, moves }), undefined)
})

t.test('F533 nor does one that an order from a telephone had', async (t) => {
  const moves = [
    move('commandFault'),
    move('swing', 26_357),
    move('shorten'),
    move('phone', 23_460),
    move('renumber', 0, 40_907),
    move('day'),
  ]
  t.equal(await outcome({ nature: { ...PLAIN, isActing: true }, moves }), undefined)
})

t.test('F723 a sale that nobody has told of may be filled, as its day is over', async (t) => {
  const moves = [move('swing', 7_999), move('day', 52_092), move('lack', 1, 1)]
  t.equal(await outcome({ nature: { ...PLAIN, isActing: true }, moves }), undefined)
})

t.test('F880 a fill is not taken for that of the order whose number it has since', async (t) => {
  const moves = [
    move('place', 19_570),
    move('place', 2),
    move('deaf', 0, 1),
    move('renumber', 0, 3),
    move('swing', 26_418, 56_300),
  ]
  t.equal(await outcome({ nature: { ...PLAIN, deals: 'perOrder' }, moves }), undefined)
})

t.test('F884 nor for that of an order from a telephone', async (t) => {
  const moves = [
    move('foreign', 3),
    move('swing', 44_599),
    move('shorten', 2),
    move('renumber', 0, 803),
  ]
  const nature = { ...PLAIN, isActing: true, deals: 'perOrder', pushes: 'none' } as const
  t.equal(await outcome({ nature, moves }), undefined)
})

t.test('F922 a fill that was told before its order is known under the next number', async (t) => {
  const runs = Array.from({ length: 4 }, () => move('run', 1))
  const moves = [move('foreign', 60_951), move('eventFault', 1), ...runs, move('renumber')]
  t.equal(await outcome({ nature: { ...PLAIN, deals: 'listedBare' }, moves }), undefined)
})
