import { EventEmitter, once } from 'node:events'

import t, { type Test } from 'tap'
import { Checkpoints, type Movable } from '../../../src/storage/log/checkpoints.ts'

const TIMES = { everyMs: 1_000, restMs: 100, retryMs: 1 }

/** Databases that are written when a test says so, on a clock that it sets. */
function scene(t: Test) {
  const moved: string[] = []
  const events = new EventEmitter()
  const clock = { nowMs: 0, isUrgent: false }
  let under = 0
  const checkpoints = new Checkpoints({
    ...TIMES,
    isUrgent: () => clock.isUrgent,
    nowMs: () => clock.nowMs,
    moved: () => events.emit('moved'),
  })
  const awake = setInterval(() => undefined, 1_000) // its own timers let the process end
  t.teardown(() => {
    clearInterval(awake)
    checkpoints.close()
  })
  const one = (name: string, rooms: boolean[] = []): Movable & { hasPending: boolean } => ({
    hasPending: true,
    async move() {
      under += 1
      t.equal(under, 1, 'one at a time')
      await new Promise(setImmediate)
      under -= 1
      moved.push(name)
      const hasRoom = rooms.shift() ?? true
      this.hasPending = !hasRoom
      return hasRoom
    },
  })
  return { checkpoints, moved, clock, one, next: () => once(events, 'moved') }
}

/** Long enough for timers of a millisecond to have come and gone. */
async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
}

t.test('each in its time, with a rest between them, the oldest first', async (t) => {
  const { checkpoints, moved, clock, one, next } = scene(t)
  for (const name of ['a', 'b', 'c']) checkpoints.add(one(name))
  await turns()
  t.strictSame(moved, [], 'nothing is due')
  clock.nowMs = TIMES.everyMs
  checkpoints.hurry() // looks at the clock
  await next()
  await turns()
  t.strictSame(moved, ['a'], 'the others wait until it has rested')
  clock.nowMs += TIMES.restMs
  checkpoints.hurry()
  await next()
  t.strictSame(moved, ['a', 'b'])
})

t.test('when the log fills up nothing waits, and nobody is overtaken', async (t) => {
  const { checkpoints, moved, clock, one, next } = scene(t)
  t.equal(checkpoints.hurry(), false, 'there is nothing that could go')
  for (const name of ['a', 'b', 'c']) checkpoints.add(one(name))
  clock.isUrgent = true
  t.equal(checkpoints.hurry(), true)
  await next()
  await next()
  await next()
  t.strictSame(moved, ['a', 'b', 'c'])
  t.equal(checkpoints.hurry(), false)
})

t.test('a disk without room is not asked again and again, however urgent it is', async (t) => {
  const { checkpoints, moved, clock, one, next } = scene(t)
  checkpoints.add(one('a', [false]))
  clock.isUrgent = true
  checkpoints.hurry()
  await next()
  checkpoints.hurry()
  await turns()
  t.strictSame(moved, ['a'])
  clock.nowMs += TIMES.retryMs
  await next()
  t.strictSame(moved, ['a', 'a'], 'and then it is')
})
