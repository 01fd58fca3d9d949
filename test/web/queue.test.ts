import t from 'tap'
import { queueOf } from '../../web/console/queue.ts'

t.test('F554 what finds no room is told so, and what waits keeps its turn', async (t) => {
  const queue = queueOf<string>(2)
  t.strictSame(['first', 'second', 'third'].map(queue.add), [true, true, false])
  t.equal(queue.next(), 'first')
  t.equal(queue.add('fourth'), true)
  t.strictSame([queue.next(), queue.next(), queue.next()], ['second', 'fourth', undefined])
})
