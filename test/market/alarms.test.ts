import t from 'tap'
import { ActorAlarm, AlarmFeed } from '../../src/market/alarms.ts'
import { createMarketMemory } from '../../src/market/memory.ts'

const memory = () => createMarketMemory({ codesMax: 4, actorSlots: 3 })

t.test('nothing is due before somebody has set an alarm', async (t) => {
  const shared = memory()
  const feed = new AlarmFeed(shared)
  t.equal(feed.isDue(Number.MAX_SAFE_INTEGER), false)
  t.strictSame(feed.takeDue(Number.MAX_SAFE_INTEGER), [])
})

t.test('an alarm is due from its moment on, and rings once', async (t) => {
  const shared = memory()
  const feed = new AlarmFeed(shared)
  const alarm = new ActorAlarm(shared, 1)
  alarm.set(1_000)
  t.equal(feed.isDue(999), false)
  t.equal(feed.isDue(1_000), true)
  t.strictSame(feed.takeDue(1_000), [1])
  t.equal(feed.isDue(2_000), false)
})

t.test('the last word counts; the same word again is none, until it has rung', async (t) => {
  const shared = memory()
  const feed = new AlarmFeed(shared)
  const alarm = new ActorAlarm(shared, 1)
  alarm.set(1_000)
  alarm.set(3_000)
  t.equal(feed.isDue(1_000), false)
  alarm.set(Number.POSITIVE_INFINITY)
  t.equal(feed.isDue(9_000), false)
  alarm.set(2_000)
  t.strictSame(feed.takeDue(2_000), [1])
  alarm.set(2_000)
  t.equal(feed.isDue(2_000), false, 'it has not heard the bell yet')
  alarm.rung()
  alarm.set(2_000)
  t.equal(feed.isDue(2_000), true)
})

t.test('alarms of several ring in the order of their slots, those that are due', async (t) => {
  const shared = memory()
  const feed = new AlarmFeed(shared)
  const alarms = [0, 1, 2].map((slot) => new ActorAlarm(shared, slot))
  alarms[2]?.set(1_000)
  alarms[0]?.set(1_500)
  alarms[1]?.set(2_500)
  t.strictSame(feed.takeDue(1_500), [0, 2])
  t.equal(feed.isDue(2_499), false)
  t.strictSame(feed.takeDue(2_500), [1])
})

t.test('a new life of an account begins without the alarm of the old one', async (t) => {
  const shared = memory()
  const feed = new AlarmFeed(shared)
  new ActorAlarm(shared, 1).set(1_000)
  const next = new ActorAlarm(shared, 1)
  t.equal(feed.isDue(1_000), false)
  next.set(1_000)
  t.equal(feed.isDue(1_000), true)
})
