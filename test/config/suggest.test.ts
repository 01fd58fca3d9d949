import fc from 'fast-check'
import t from 'tap'
import { editDistance, nearest } from '../../src/config/suggest.ts'

t.test('the distance counts inserts, removals, replacements and swaps of neighbors', async (t) => {
  const table: [string, string, number][] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['port', 'port', 0],
    ['prot', 'port', 1],
    ['pot', 'port', 1],
    ['sport', 'port', 1],
    ['part', 'port', 1],
    ['call_timout', 'call_timeout', 1],
    ['kitten', 'sitting', 3],
  ]
  for (const [from, to, distance] of table) t.equal(editDistance(from, to), distance, from)
})

t.test('the nearest known word is suggested, and nothing when none is near', async (t) => {
  const known = ['call_timeout', 'driver', 'STOP_LOSS_RATIO', 'up']
  t.equal(nearest('call_timout', known), 'call_timeout')
  t.equal(nearest('stop_loss_ratio', known), 'STOP_LOSS_RATIO')
  t.equal(nearest('pu', known), 'up')
  t.equal(nearest('completely_else', known), undefined)
  t.equal(nearest('x', []), undefined)
})

t.test('the distance is symmetric and zero only for equal words', async () => {
  const word = fc.string({ maxLength: 12 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b)
      return distance === editDistance(b, a) && (distance === 0) === (a === b)
    }),
  )
})
