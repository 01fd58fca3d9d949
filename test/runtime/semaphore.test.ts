import t from 'tap'
import { Semaphore } from '../../src/runtime/semaphore.ts'

/** Lets everything happen that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

t.test('so many at a time, the others in the order in which they came', async (t) => {
  const turns = new Semaphore(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const takeAs = async (n: number) => {
    ends[n] = await turns.take()
    begun.push(n)
  }
  const all = [0, 1, 2, 3, 4].map(takeAs)
  await settle()
  t.strictSame(begun, [0, 1])
  ends[1]?.()
  await settle()
  t.strictSame(begun, [0, 1, 2])
  ends[0]?.()
  ends[2]?.()
  await Promise.all(all)
  t.strictSame(begun, [0, 1, 2, 3, 4])
})

t.test('a turn ends once, however often that is said', async (t) => {
  const turns = new Semaphore(1)
  const end = await turns.take()
  end()
  end()
  await turns.take()
  let isThird = false
  void turns.take().then(() => {
    isThird = true
  })
  await settle()
  t.notOk(isThird, 'the second still has the only turn')
})
