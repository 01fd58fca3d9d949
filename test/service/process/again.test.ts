import t from 'tap'
import { Again } from '../../../src/service/process/again.ts'
import { inTime, turnsUntil } from '../../in-time.ts'

/** Work that fails so many times, and what was told of it. */
function work(failures: number) {
  const told: string[] = []
  const tries = { count: 0 }
  const again = new Again({
    work: async () => {
      tries.count += 1
      if (tries.count <= failures) throw new Error(`try ${tries.count}`)
    },
    failed: (error) => void told.push(String(error)),
    pauseMs: 1,
  })
  return { again, told, tries }
}

t.test(
  'F250 quotes that do not begin to be fed are told, and begun again until they are',
  async (t) => {
    const { again, told, tries } = work(2)
    await inTime(Promise.all([again.begin(), again.begin()]), 'the first try')
    t.strictSame(told, ['Error: try 1'], 'whoever began it goes on')
    await turnsUntil(() => tries.count === 3, 'the third try')
    await again.begin()
    t.strictSame(told, ['Error: try 1', 'Error: try 2'])
    t.equal(tries.count, 3, 'once it is done it is done')
  },
)

t.test('F250 nothing is tried any more once it is closed', async (t) => {
  const [closed, other] = [work(9), work(9)]
  t.teardown(() => other.again.close())
  await closed.again.begin()
  closed.again.close()
  await other.again.begin()
  await turnsUntil(() => other.tries.count === 3, 'the third try of another one')
  t.equal(closed.tries.count, 1)
})
