import fc from 'fast-check'
import t from 'tap'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import {
  checkHeartbeat,
  type HeartbeatWatch,
  startHeartbeat,
  watchHeartbeat,
} from '../../src/runtime/heartbeat.ts'

const LIMITS = { timeoutMs: 2_000, startTimeoutMs: 10_000, checkIntervalMs: 250 }

interface Look {
  readonly heartbeat: number
  readonly nowMs: number
}
/** Time of the first look that finds the actor stuck. */
function stuckAtMs(phase: HeartbeatWatch['phase'], looks: readonly Look[]): number | undefined {
  let watch = watchHeartbeat(phase, { heartbeat: 0, nowMs: 0 })
  for (const check of looks) {
    const next = checkHeartbeat(watch, check, LIMITS)
    if (next.isStuck) return check.nowMs
    watch = next.watch
  }
  return undefined
}
/** A look each 250 ms, with the heartbeat that the actor has by then. */
const looks = (untilMs: number, heartbeatAt: (nowMs: number) => number): Look[] =>
  Array.from({ length: untilMs / 250 }, (_, i) => {
    const nowMs = (i + 1) * 250
    return { heartbeat: heartbeatAt(nowMs), nowMs }
  })

t.test('a heartbeat that stands still for the timeout means stuck', async (t) => {
  t.equal(
    stuckAtMs(
      'ready',
      looks(30_000, () => 0),
    ),
    2_000,
  )
  t.equal(
    stuckAtMs(
      'ready',
      looks(30_000, (nowMs) => Math.min(nowMs, 5_000)),
    ),
    7_000,
  )
})

t.test('a beating heart is never stuck, also when its counter wraps around', async (t) => {
  t.equal(
    stuckAtMs(
      'ready',
      looks(60_000, (nowMs) => nowMs | 0),
    ),
    undefined,
  )
  t.equal(
    stuckAtMs(
      'ready',
      looks(60_000, (nowMs) => (2 ** 31 - 9_000 + nowMs) | 0),
    ),
    undefined,
  )
  t.equal(
    stuckAtMs(
      'ready',
      looks(60_000, (nowMs) => Math.floor(nowMs / 1_900)),
    ),
    undefined,
  )
})

t.test('an actor that starts has longer, but a beating heart is no excuse', async (t) => {
  t.equal(
    stuckAtMs(
      'starting',
      looks(30_000, () => 0),
    ),
    10_000,
  )
  t.equal(
    stuckAtMs(
      'starting',
      looks(30_000, (nowMs) => nowMs),
    ),
    10_000,
  )
})

t.test('a watcher that was paused itself accuses nobody', async (t) => {
  const silent = (nowMs: number): Look => ({ heartbeat: 0, nowMs })
  for (const pauseMs of [2_001, 60_000, 8 * 3_600_000]) {
    const before = looks(1_750, () => 0)
    const after = looks(1_750, () => 0).map(({ nowMs }) => silent(nowMs + 1_750 + pauseMs))
    t.equal(stuckAtMs('ready', [...before, silent(1_750 + pauseMs), ...after]), undefined)
    const onceMore = silent(1_750 + pauseMs + 2_000)
    t.equal(
      stuckAtMs('ready', [...before, silent(1_750 + pauseMs), ...after, onceMore]),
      onceMore.nowMs,
      'but from then on it counts again',
    )
  }
})

t.test('a pause shorter than the timeout counts as two looks', async (t) => {
  const times = [250, 2_200, 2_450, 2_700, 2_950, 3_200, 3_450]
  t.equal(
    stuckAtMs(
      'ready',
      times.map((nowMs) => ({ heartbeat: 0, nowMs })),
    ),
    3_450,
  )
})

t.test('whatever the pauses, stuck needs the timeout of wakeful silence', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 60 })
  fc.assert(
    fc.property(gaps, (gaps) => {
      let nowMs = 0
      let wakefulMs = 0
      let watch = watchHeartbeat('ready', { heartbeat: 7, nowMs })
      return gaps.every((gapMs) => {
        nowMs += gapMs
        wakefulMs = gapMs > 2_000 ? 0 : wakefulMs + Math.min(gapMs, 500)
        const next = checkHeartbeat(watch, { heartbeat: 7, nowMs }, LIMITS)
        watch = next.watch
        return next.isStuck === wakefulMs >= 2_000
      })
    }),
  )
})

t.test('an actor beats at once and again until it is told to end', async (t) => {
  const board = new ActorBoard(createActorBoard(2))
  const end = startHeartbeat(board, 1, 1)
  t.equal(board.heartbeat(1), 1)
  while (board.heartbeat(1) < 4) await new Promise((resolve) => setTimeout(resolve, 1))
  end()
  t.equal(board.heartbeat(0), 0, 'other rows are left alone')
})
