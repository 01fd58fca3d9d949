import t from 'tap'
import { ProcessorTimes } from '../../src/runtime/processor-times.ts'

/** Two processors, of which the test says what they did. */
function computer(processors: number) {
  const at = { idleMs: 0 as number | undefined, ownMs: 0 }
  const times = new ProcessorTimes({ processors, idleMs: () => at.idleMs, ownMs: () => at.ownMs })
  return { at, times }
}

t.test('idle is what the processors did not do since the last look', async (t) => {
  const { at, times } = computer(2)
  t.equal(times.idleMs(0), undefined, 'nothing to compare with')
  at.idleMs = 300
  t.equal(times.idleMs(250), 300)
  t.equal(times.idleMs(500), 0, 'others have had them')
  at.idleMs = 250
  t.equal(times.idleMs(750), 0, 'a counter that goes back is no chance')
  times.rest()
  at.idleMs = 9_000
  t.equal(times.idleMs(10_000), undefined, 'nobody had asked')
})

t.test('a container with one of many processors has left what it did not use', async (t) => {
  const { at, times } = computer(1)
  times.idleMs(0)
  at.idleMs = 15_000
  at.ownMs = 950
  t.equal(times.idleMs(1_000), 50)
  at.idleMs = 30_000
  t.equal(times.idleMs(2_000), 1_000)
})

t.test('where the computer does not tell, it is what this process has left over', async (t) => {
  const { at, times } = computer(2)
  at.idleMs = undefined
  times.idleMs(0)
  at.ownMs = 400
  t.equal(times.idleMs(250), 100)
})

t.test('the real computer tells', async (t) => {
  const times = new ProcessorTimes()
  times.idleMs(performance.now())
  const idleMs = times.idleMs(performance.now())
  t.ok(idleMs !== undefined && idleMs >= 0)
})
