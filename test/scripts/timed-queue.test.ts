import t from 'tap'

interface Queue {
  next(): string | undefined
  readonly left: readonly string[]
}
interface Module {
  readonly TimedQueue: new (items: readonly string[], options?: object) => Queue
  minutesOf(word: string | undefined): number | undefined
}
const { TimedQueue, minutesOf } = (await import(
  new URL('../../scripts/timed-queue.mjs', import.meta.url).href
)) as Module

const ITEMS = ['a', 'b', 'c', 'd']

t.test('without a limit all items come, in their order', async (t) => {
  const queue = new TimedQueue(ITEMS, { now: () => Number.MAX_SAFE_INTEGER, random: () => 0.9 })
  t.strictSame(
    [1, 2, 3, 4, 5].map(() => queue.next()),
    [...ITEMS, undefined],
  )
  t.strictSame(queue.left, [])
})

t.test('once the time is over no item comes, and what is left is named', async (t) => {
  let ms = 1_000
  const queue = new TimedQueue(ITEMS, { minutes: 2, now: () => ms, random: () => 0.5 })
  t.equal(queue.next(), 'c', 'it begins anywhere')
  ms += 119_999
  t.equal(queue.next(), 'd')
  ms += 1
  t.equal(queue.next(), undefined)
  t.strictSame(queue.left, ['a', 'b'])
})

t.test('minutes are a number above 0, or not given', async (t) => {
  t.equal(minutesOf(undefined), undefined)
  t.equal(minutesOf('0.5'), 0.5)
  for (const word of ['0', '-1', 'x', '', 'NaN']) t.throws(() => minutesOf(word), /--minutes/, word)
})
