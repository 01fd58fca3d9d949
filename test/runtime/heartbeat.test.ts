import fc from 'fast-check'
import t from 'tap'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import {
  checkHeartbeat,
  type HeartbeatVerdict,
  type HeartbeatWatch,
  type MachineTime,
  punctualityOf,
  startHeartbeat,
  watchHeartbeat,
} from '../../src/runtime/heartbeat.ts'

const LIMITS = {
  timeoutMs: 2_000,
  startTimeoutMs: 10_000,
  endTimeoutMs: 3_000,
  patienceMs: 30_000,
  startPatienceMs: 120_000,
  checkIntervalMs: 250,
  beatIntervalMs: 100,
}
/** One processor at least has nothing to do. */
const FREE: MachineTime = { idleMs: 500, punctuality: 1 }
const BUSY: MachineTime = { idleMs: 0, punctuality: 1 }

interface Look {
  readonly heartbeat: number
  readonly nowMs: number
  readonly processorMs?: number | undefined
  readonly machine?: MachineTime
}
interface Found {
  readonly verdict: HeartbeatVerdict
  readonly atMs: number
}
/** The first look that finds the actor stuck. */
function found(phase: HeartbeatWatch['phase'], looks: readonly Look[]): Found | undefined {
  let watch = watchHeartbeat(phase, { heartbeat: 0, nowMs: 0 })
  for (const { machine = FREE, ...sample } of looks) {
    const next = checkHeartbeat(watch, sample, machine, LIMITS)
    const { verdict } = next
    if (verdict === 'hung' || verdict === 'starved') return { verdict, atMs: sample.nowMs }
    watch = next.watch
  }
  return undefined
}
const stuckAtMs = (phase: HeartbeatWatch['phase'], looks: readonly Look[]): number | undefined =>
  found(phase, looks)?.atMs
/** A look each 250 ms, with the heartbeat that the actor has by then. */
const looks = (
  untilMs: number,
  heartbeatAt: (nowMs: number) => number,
  more: (nowMs: number) => Partial<Look> = () => ({}),
): Look[] =>
  Array.from({ length: untilMs / 250 }, (_, i) => {
    const nowMs = (i + 1) * 250
    return { heartbeat: heartbeatAt(nowMs), nowMs, ...more(nowMs) }
  })
const SILENT = () => 0

t.test('a heartbeat that stands still for the timeout means stuck', async (t) => {
  t.equal(stuckAtMs('ready', looks(30_000, SILENT)), 2_000)
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
  t.equal(stuckAtMs('starting', looks(30_000, SILENT)), 10_000)
  t.equal(
    stuckAtMs(
      'starting',
      looks(30_000, (nowMs) => nowMs),
    ),
    10_000,
  )
})

interface Case {
  readonly what: string
  readonly machine: MachineTime
  /** Part of the time for which the thread computes; undefined when it does not say. */
  readonly runs: number | undefined
  readonly expected: Found | undefined
}
const CASES: readonly Case[] = [
  {
    what: 'it loops, and has a processor for itself',
    machine: BUSY,
    runs: 1,
    // What it had computed before it was first asked is not known.
    expected: { verdict: 'hung', atMs: 2_250 },
  },
  {
    what: 'it loops, and shares its processor with three others',
    machine: BUSY,
    runs: 0.25,
    expected: { verdict: 'hung', atMs: 8_250 },
  },
  {
    what: 'it is blocked, and a processor is free',
    machine: FREE,
    runs: 0,
    expected: { verdict: 'hung', atMs: 2_000 },
  },
  {
    what: 'it is inside a native call, and a processor is free',
    machine: FREE,
    runs: undefined,
    expected: { verdict: 'hung', atMs: 2_000 },
  },
  {
    what: 'it is blocked, and the processors are half busy',
    machine: { idleMs: 125, punctuality: 1 },
    runs: 0,
    expected: { verdict: 'hung', atMs: 4_000 },
  },
  {
    what: 'it gets nothing of a busy computer',
    machine: BUSY,
    runs: 0,
    expected: { verdict: 'starved', atMs: 30_000 },
  },
  {
    what: 'it gets a hundredth of a busy computer',
    machine: BUSY,
    runs: 0.01,
    expected: { verdict: 'starved', atMs: 30_000 },
  },
  {
    what: 'a container lets nobody run for three quarters of the time',
    machine: { idleMs: 1_000, punctuality: 0.25 },
    runs: 0,
    expected: { verdict: 'hung', atMs: 8_000 },
  },
  {
    what: 'nobody knows what the computer does',
    machine: { idleMs: undefined, punctuality: 1 },
    runs: undefined,
    expected: { verdict: 'hung', atMs: 2_000 },
  },
]
for (const { what, machine, runs, expected } of CASES) {
  t.test(`a silent actor: ${what}`, async (t) => {
    const told = (nowMs: number) => (runs === undefined ? undefined : 5_000 + runs * nowMs)
    const silent = looks(60_000, SILENT, (nowMs) => ({ machine, processorMs: told(nowMs) }))
    t.strictSame(found('ready', silent), expected)
  })
}

t.test('a start waits for a busy computer too, for so long and no longer', async (t) => {
  const starved = looks(300_000, SILENT, () => ({ machine: BUSY, processorMs: 50 }))
  t.strictSame(found('starting', starved), { verdict: 'starved', atMs: 120_000 })
  const loops = looks(300_000, SILENT, (nowMs) => ({ machine: BUSY, processorMs: nowMs / 2 }))
  t.strictSame(found('starting', loops), { verdict: 'hung', atMs: 20_000 })
})

t.test('an end waits for a busy computer too, and beats are no excuse', async (t) => {
  t.equal(
    stuckAtMs(
      'ending',
      looks(30_000, (nowMs) => nowMs),
    ),
    3_000,
  )
  const starved = looks(300_000, SILENT, () => ({ machine: BUSY, processorMs: 50 }))
  t.strictSame(found('ending', starved), { verdict: 'starved', atMs: 30_000 })
})

t.test('a limit that somebody has raised above the patience holds', async (t) => {
  const limits = { ...LIMITS, timeoutMs: 60_000 }
  let watch = watchHeartbeat('ready', { heartbeat: 0, nowMs: 0 })
  for (let nowMs = 250; nowMs < 60_000; nowMs += 250) {
    const next = checkHeartbeat(watch, { heartbeat: 0, nowMs }, BUSY, limits)
    t.not(next.verdict, 'starved')
    watch = next.watch
  }
  t.equal(checkHeartbeat(watch, { heartbeat: 0, nowMs: 60_000 }, BUSY, limits).verdict, 'starved')
})

t.test('one that is waited for says so, and a beat clears it', async (t) => {
  const verdicts: HeartbeatVerdict[] = []
  let watch = watchHeartbeat('ready', { heartbeat: 0, nowMs: 0 })
  for (const nowMs of [500, 1_000, 1_500, 2_000, 2_250, 2_500, 2_750, 3_000]) {
    const heartbeat = nowMs > 2_600 ? 1 : 0
    const next = checkHeartbeat(watch, { heartbeat, nowMs }, BUSY, { ...LIMITS, timeoutMs: 1_250 })
    verdicts.push(next.verdict)
    watch = next.watch
  }
  const [up, late] = ['alive', 'waiting']
  t.strictSame(verdicts, [up, up, up, up, late, late, up, up])
})

t.test('a watcher that was paused itself accuses nobody', async (t) => {
  const silent = (nowMs: number): Look => ({ heartbeat: 0, nowMs })
  for (const pauseMs of [2_001, 60_000, 8 * 3_600_000]) {
    const before = looks(1_750, SILENT)
    const after = looks(1_750, SILENT).map(({ nowMs }) => silent(nowMs + 1_750 + pauseMs))
    t.equal(stuckAtMs('ready', [...before, silent(1_750 + pauseMs), ...after]), undefined)
    const onceMore = silent(1_750 + pauseMs + 2_000)
    t.equal(
      stuckAtMs('ready', [...before, silent(1_750 + pauseMs), ...after, onceMore]),
      onceMore.nowMs,
      'but from then on it counts again',
    )
  }
})

t.test('a watcher that always comes too late still ends what never beats', async (t) => {
  const late = Array.from({ length: 200 }, (_, i) => ({ heartbeat: 0, nowMs: (i + 1) * 2_500 }))
  t.strictSame(found('ready', late), { verdict: 'starved', atMs: 110 * 2_500 })
})

t.test('timers that are a little early or late do not put it off', async (t) => {
  const times = [249, 501, 749, 1_002, 1_249, 1_500, 1_748, 2_001]
  t.equal(
    stuckAtMs(
      'ready',
      times.map((nowMs) => ({ heartbeat: 0, nowMs })),
    ),
    2_001,
  )
})

t.test('a pause shorter than the timeout counts as one look', async (t) => {
  const times = [250, 2_200, 2_450, 2_700, 2_950, 3_200, 3_450, 3_700]
  t.equal(
    stuckAtMs(
      'ready',
      times.map((nowMs) => ({ heartbeat: 0, nowMs })),
    ),
    3_700,
  )
})

const interval = fc.record({
  gapMs: fc.integer({ min: 0, max: 6_000 }),
  idleMs: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
  punctuality: fc.double({ min: 0, max: 1, noNaN: true }),
  /** Of the thread. */
  ranMs: fc.integer({ min: 0, max: 250 }),
})

/** Whether every look says what is expected of all silence up to it. */
function silenceHolds(
  looks: readonly { readonly gapMs: number; readonly ranMs: number }[],
  machine: MachineTime,
  expected: (sums: { wakefulMs: number; ranMs: number; silentMs: number }) => HeartbeatVerdict,
): boolean {
  let [nowMs, processorMs] = [0, 100]
  const sums = { wakefulMs: 0, ranMs: 0, silentMs: 0 }
  let watch = watchHeartbeat('ready', { heartbeat: 7, nowMs, processorMs })
  return looks.every(({ gapMs, ranMs }) => {
    nowMs += gapMs
    processorMs += ranMs
    const hasOverslept = gapMs > LIMITS.timeoutMs
    sums.silentMs += Math.min(gapMs, 275)
    sums.wakefulMs = hasOverslept ? 0 : sums.wakefulMs + Math.min(gapMs, 275)
    sums.ranMs = hasOverslept ? 0 : sums.ranMs + ranMs
    const next = checkHeartbeat(watch, { heartbeat: 7, nowMs, processorMs }, machine, LIMITS)
    watch = next.watch
    return next.verdict === expected(sums)
  })
}
const starvedOrWaiting = (silentMs: number): HeartbeatVerdict => {
  if (silentMs >= LIMITS.patienceMs) return 'starved'
  return silentMs >= LIMITS.timeoutMs ? 'waiting' : 'alive'
}

t.test('beside a free processor, hung is the timeout of wakeful silence', async () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 60 }), (intervals) =>
      silenceHolds(
        intervals.map(({ gapMs }) => ({ gapMs, ranMs: 0 })),
        FREE,
        ({ wakefulMs, silentMs }) => (wakefulMs >= 2_000 ? 'hung' : starvedOrWaiting(silentMs)),
      ),
    ),
  )
})

t.test('on a busy computer, hung is the timeout of own computing and nothing else', async () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 200 }), (intervals) =>
      silenceHolds(intervals, BUSY, ({ ranMs, silentMs }) =>
        ranMs >= 2_000 ? 'hung' : starvedOrWaiting(silentMs),
      ),
    ),
  )
})

t.test('whatever the computer does, one that beats between any two looks is alive', async () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 100 }), (intervals) => {
      let nowMs = 0
      let watch = watchHeartbeat('ready', { heartbeat: 0, nowMs })
      return intervals.every(({ gapMs, ranMs, ...machine }, heartbeat) => {
        nowMs += gapMs
        const sample = { heartbeat: heartbeat + 1, nowMs, processorMs: ranMs }
        const next = checkHeartbeat(watch, sample, machine, LIMITS)
        watch = next.watch
        return next.verdict === 'alive'
      })
    }),
  )
})

t.test('beats that come as often as they can are punctual, fewer are not', async (t) => {
  const table = [
    [2, 250, 1],
    [3, 250, 1],
    [1, 250, 0.8],
    [1, 1_000, 0.2],
    [9, 1_000, 1],
    [4, 0, 1],
  ] as const
  for (const [beats, gapMs, expected] of table) {
    t.equal(punctualityOf(beats, gapMs, LIMITS), expected, `${beats} in ${gapMs} ms`)
  }
})

t.test('an actor beats at once and again until it is told to end', async (t) => {
  const board = new ActorBoard(createActorBoard(2))
  const end = startHeartbeat(board, 1, 1)
  t.equal(board.heartbeat(1), 1)
  while (board.heartbeat(1) < 4) await new Promise((resolve) => setTimeout(resolve, 1))
  end()
  t.equal(board.heartbeat(0), 0, 'other rows are left alone')
})
