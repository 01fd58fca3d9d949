import t from 'tap'
import { Player, story } from '../../simulation/fixtures/play.ts'
import { outcome } from './fixtures/history.ts'
import { PLAIN } from './fixtures/nature.ts'
import type { Played, Task } from './fixtures/play.thread.ts'
import { REACHED } from './fixtures/reached.ts'

/** `CLUSTER_HISTORIES` for more, `SIMULATION_SEED` to begin elsewhere; `npm run prove -- --cluster` plays on. */
const COUNT = Number(process.env['CLUSTER_HISTORIES'] ?? 300)
const FIRST = Number(process.env['SIMULATION_SEED'] ?? 1)
/** Everything must have come once in so many histories. */
const SELDOM = 300

t.test(
  'whatever breaks: one node at a time may order, each call stands in the journal before, and accounts come back',
  { timeout: 1_800_000 },
  async (t) => {
    t.comment(`seeds ${FIRST} … ${FIRST + COUNT - 1}`)
    const player = new Player<Task, Played>(new URL('fixtures/play.thread.ts', import.meta.url))
    t.teardown(() => player.close())
    const { failure, tally } = await player.play({ from: FIRST, count: COUNT })
    if (failure !== undefined) t.comment(story(failure))
    t.equal(failure?.why, undefined)
    if (COUNT < SELDOM) return
    for (const what of REACHED) t.ok(tally.has(what), `${what}: ${tally.get(what) ?? 0}`)
  },
)

// Found by chance beyond the histories that each run plays, and shrunk to what matters.
t.test(
  'F722 a record that is deleted behind a renewal nobody was shown lets nobody take over',
  async (t) => {
    const moves = [
      { kind: 'controlOutage', a: 237, b: 27 },
      { kind: 'sleep', a: 128, b: 1 },
      { kind: 'stop', a: 252, b: 6 },
      { kind: 'deaf', a: 2, b: 36 },
      { kind: 'forget', a: 0, b: 0 },
    ] as const
    const odd = { accounts: 3, doubled: 51, late: 24, stale: 88, blindFromMs: 2_719 }
    t.equal(await outcome({ nature: { ...PLAIN, ...odd, seed: 41_053_886 }, moves }), undefined)
  },
)

t.test(
  'F726 a record that is deleted before a new watch has shown it lets nobody take over',
  async (t) => {
    const moves = [
      { kind: 'crashAndDeaf', a: 0, b: 39 },
      { kind: 'wait', a: 0, b: 16 },
      { kind: 'forget', a: 1, b: 0 },
    ] as const
    t.equal(await outcome({ nature: { ...PLAIN, accounts: 3, seed: 216 }, moves }), undefined)
  },
)

t.test('F729 records that are deleted again and again let nobody take over', async (t) => {
  const moves = [
    { kind: 'forget', a: 2, b: 33 },
    { kind: 'forget', a: 1, b: 21 },
    { kind: 'forget', a: 1, b: 19 },
    { kind: 'journalOutage', a: 183, b: 12 },
    { kind: 'forget', a: 2, b: 36 },
    { kind: 'wallAhead', a: 0, b: 19 },
    { kind: 'forget', a: 1, b: 0 },
  ] as const
  const odd = { accounts: 3, lost: 12, doubled: 49, late: 58 }
  t.equal(await outcome({ nature: { ...PLAIN, ...odd, seed: 128_764 }, moves }), undefined)
})

t.test(
  'F754 an account comes back whose owner took over just behind the revision that was put back',
  async (t) => {
    const moves = [
      { kind: 'putBack', a: 208, b: 32 },
      { kind: 'forget', a: 163, b: 15 },
      { kind: 'putBack', a: 67, b: 36 },
      { kind: 'drain', a: 219, b: 23 },
      { kind: 'controlOutage', a: 269, b: 37 },
      { kind: 'putBack', a: 0, b: 5 },
      { kind: 'cut', a: 16, b: 31 },
      { kind: 'cut', a: 213, b: 26 },
      { kind: 'crashComputer', a: 181, b: 6 },
      { kind: 'crashComputer', a: 44, b: 0 },
      { kind: 'crashForGood', a: 14, b: 37 },
    ] as const
    const odd = { hosts: 2, accounts: 1, late: 19, spurious: 71, driftPpm: 29_584 }
    t.equal(await outcome({ nature: { ...PLAIN, ...odd, seed: 5_011_744 }, moves }), undefined)
  },
)

t.test(
  'F753 who has not noticed yet that the control bucket was put back deposes no new life',
  async (t) => {
    const moves = [
      { kind: 'crashAndDeaf', a: 0, b: 25 },
      { kind: 'crashComputer', a: 0, b: 35 },
      { kind: 'stopAtGap', a: 0, b: 11 },
      { kind: 'putBack', a: 0, b: 0 },
      { kind: 'drain', a: 2, b: 0 },
    ] as const
    const odd = { accounts: 3, doubled: 20, late: 33 }
    t.equal(await outcome({ nature: { ...PLAIN, ...odd, seed: 97_014_931 }, moves }), undefined)
  },
)

t.test(
  'F727 accounts come back where the control bucket is put back, and its revisions with it',
  async (t) => {
    const moves = [
      { kind: 'wait', a: 0, b: 39 },
      { kind: 'crash', a: 1, b: 39 },
      { kind: 'putBack', a: 0, b: 30 },
    ] as const
    t.equal(await outcome({ nature: { ...PLAIN, accounts: 3, seed: 4 }, moves }), undefined)
  },
)

t.test(
  'F755 a record that is deleted from a bucket that was put back lets nobody take over',
  async (t) => {
    const moves = [
      { kind: 'forget', a: 2, b: 11 },
      { kind: 'deaf', a: 0, b: 35 },
      { kind: 'crash', a: 0, b: 15 },
      { kind: 'drain', a: 1, b: 24 },
      { kind: 'forget', a: 1, b: 25 },
      { kind: 'forget', a: 1, b: 6 },
      { kind: 'drain', a: 0, b: 11 },
      { kind: 'putBack', a: 0, b: 0 },
      { kind: 'forget', a: 1, b: 6 },
      { kind: 'forget', a: 0, b: 0 },
    ] as const
    const odd = { accounts: 3, lost: 16, doubled: 47 }
    t.equal(await outcome({ nature: { ...PLAIN, ...odd, seed: 510_507 }, moves }), undefined)
  },
)

t.test(
  'F756 a revision that is used anew behind a bucket that was put back renews nobody',
  async (t) => {
    const moves = [
      { kind: 'sleep', a: 190, b: 21 },
      { kind: 'copy', a: 2, b: 12 },
      { kind: 'copy', a: 3, b: 25 },
      { kind: 'copy', a: 1, b: 3 },
      { kind: 'putBack', a: 0, b: 33 },
      { kind: 'sleep', a: 143, b: 11 },
      { kind: 'copy', a: 0, b: 23 },
      { kind: 'journalOutage', a: 216, b: 3 },
      { kind: 'copy', a: 0, b: 31 },
      { kind: 'crash', a: 0, b: 37 },
      { kind: 'putBack', a: 0, b: 3 },
      { kind: 'sleep', a: 245, b: 5 },
      { kind: 'sleep', a: 255, b: 30 },
      { kind: 'stop', a: 185, b: 6 },
      { kind: 'sleep', a: 1, b: 13 },
      { kind: 'crashAndDeaf', a: 3, b: 7 },
      { kind: 'sleep', a: 0, b: 0 },
    ] as const
    const odd = { hosts: 4, accounts: 3, spurious: 66 }
    t.equal(await outcome({ nature: { ...PLAIN, ...odd, seed: 638_118 }, moves }), undefined)
  },
)

t.test('a history is the same each time', async (t) => {
  const player = new Player<Task, Played>(new URL('fixtures/play.thread.ts', import.meta.url))
  t.teardown(() => player.close())
  const [first, again] = [
    await player.play({ from: 7, count: 3 }),
    await player.play({ from: 7, count: 3 }),
  ]
  t.strictSame(again, first)
})
