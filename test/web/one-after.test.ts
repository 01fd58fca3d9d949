import t from 'tap'
import { oneAfter } from '../../web/shared/one-after.ts'

/** Reads that end when they are told to. */
function slow() {
  const ends: (() => void)[] = []
  const read = () => new Promise<void>((resolve) => ends.push(resolve))
  return { ends, refresh: oneAfter(read) }
}

t.test('who asks while a read is on its way gets one that began after he asked', async (t) => {
  const { ends, refresh } = slow()
  const first = refresh()
  const [second, third] = [refresh(), refresh()]
  t.equal(ends.length, 1)
  ends[0]?.()
  await first
  await Promise.resolve()
  t.equal(ends.length, 2, 'one for both')
  ends[1]?.()
  await Promise.all([second, third])
  t.equal(ends.length, 2)
  const fourth = refresh()
  t.equal(ends.length, 3)
  ends[2]?.()
  await fourth
})

t.test('one that waits is never lost, however often it is asked for', async (t) => {
  const { ends, refresh } = slow()
  const first = refresh()
  const second = refresh()
  ends[0]?.()
  await first
  await Promise.resolve()
  const third = refresh() // while the second is on its way
  ends[1]?.()
  await second
  await Promise.resolve()
  t.equal(ends.length, 3)
  ends[2]?.()
  await third
})
