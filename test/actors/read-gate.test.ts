import t from 'tap'
import { ReadGate } from '../../actors/account/read-gate.ts'

/** Reads that end when they are told to, with what has begun. */
function desk(atOnceMax: number, waitingMax: number) {
  const gate = new ReadGate('too many', { atOnceMax, waitingMax })
  const begun: number[] = []
  const ends: ((error?: Error) => void)[] = []
  const read = (n: number) =>
    gate.pass(() => {
      begun.push(n)
      return new Promise<number>((resolve, reject) => {
        ends[n] = (error) => (error === undefined ? resolve(n) : reject(error))
      })
    })
  return { begun, ends, read }
}

t.test(
  'so many read at once, the next ones in their turn, and one too many not at all',
  async (t) => {
    const { begun, ends, read } = desk(2, 2)
    const reads = [0, 1, 2, 3].map(read)
    t.strictSame(begun, [0, 1])
    await t.rejects(read(4), { code: 'OVERLOADED', message: 'too many' })
    ends[1]?.()
    t.equal(await reads[1], 1)
    t.strictSame(begun, [0, 1, 2])
    ends[0]?.()
    ends[2]?.()
    await Promise.all([reads[0], reads[2]])
    t.strictSame(begun, [0, 1, 2, 3])
    ends[3]?.()
    t.equal(await reads[3], 3)
  },
)

t.test('a read that fails leaves its place to the next one', async (t) => {
  const { begun, ends, read } = desk(1, 1)
  const [first, second] = [read(0), read(1)]
  ends[0]?.(new Error('torn'))
  await t.rejects(first, { message: 'torn' })
  t.strictSame(begun, [0, 1])
  ends[1]?.()
  t.equal(await second, 1)
  const third = read(2)
  ends[2]?.()
  t.equal(await third, 2)
})
