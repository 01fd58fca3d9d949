import t from 'tap'
import { lookAtStore, StoreWatch, UNASKED } from '../../../src/service/threads/store-watch.ts'

const LIMITS = { lateMs: 2_000, lateCheckMs: 500 }
const unanswered = (gapMs: number) => ({ isAnswered: false, gapMs })

t.test('F464 a store without an answer is late after its time, and no sooner', async (t) => {
  let sight = UNASKED
  for (let ms = 500; ms < 2_000; ms += 500) {
    sight = lookAtStore(sight, unanswered(500), LIMITS)
    t.notOk(sight.isLate, `${ms} ms`)
  }
  sight = lookAtStore(sight, unanswered(500), LIMITS)
  t.strictSame(sight, { waitedMs: 2_000, isLate: true })
  t.strictSame(lookAtStore(sight, { isAnswered: true, gapMs: 500 }, LIMITS), UNASKED)
})

t.test('F464 a process that was stopped says nothing of its disk', async (t) => {
  const sight = lookAtStore(UNASKED, unanswered(600_000), LIMITS)
  t.notOk(sight.isLate)
  t.notOk(lookAtStore(sight, unanswered(-3_600_000), LIMITS).isLate, 'nor a clock that went back')
})

t.test('F464 a disk that stands still is told once, and so is its end', async (t) => {
  const told: string[] = []
  const asked: PromiseWithResolvers<void>[] = []
  const turns: boolean[] = []
  let nowMs = 0
  const watch = new StoreWatch({
    ask: () => {
      const question = Promise.withResolvers<void>()
      asked.push(question)
      return question.promise
    },
    nowMs: () => nowMs,
    log: {
      error: (fields: object) => told.push(JSON.stringify(fields)),
      info: (fields: object) => told.push(JSON.stringify(fields)),
    } as never,
    onTurn: (isLate) => turns.push(isLate),
    limits: { ...LIMITS, lateCheckMs: 60_000 }, // by hand
  })
  t.teardown(() => watch.close())
  const look = async (afterMs: number) => {
    nowMs += afterMs
    watch.look()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await look(500)
  asked[0]?.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  await look(500)
  t.strictSame([watch.isLate, watch.waitedMs, told], [false, 0, []])
  for (let i = 0; i < 8; i++) await look(500)
  t.strictSame(told, ['{"alert":"disk_late","waitedMs":2000}'])
  t.strictSame([watch.isLate, watch.waitedMs], [true, 4_000])
  t.equal(asked.length, 2, 'one question at a time')
  asked[1]?.reject(new Error('given up'))
  await new Promise((resolve) => setImmediate(resolve))
  await look(500)
  t.ok(watch.isLate, 'no answer is none')
  asked.at(-1)?.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  await look(500)
  t.notOk(watch.isLate)
  t.match(told, [/disk_late/, /^{"waitedMs":4500}$/])
  t.strictSame(turns, [true, false])
})
