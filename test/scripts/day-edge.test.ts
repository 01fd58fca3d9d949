import t from 'tap'

interface Module {
  waitMs(nowMs: number): number
  readonly DayEdge: new (options: {
    readonly now: () => number
    readonly wait: (ms: number) => Promise<void>
    readonly say: (line: string) => void
  }) => { passed(): Promise<void> }
}
const { DayEdge, waitMs } = (await import(
  new URL('../../scripts/day-edge.mjs', import.meta.url).href
)) as Module

const at = (text: string) => Date.parse(`2026-${text}+08:00`)

t.test('a test file waits where midnight at the exchange is nearer than it may take', async (t) => {
  t.equal(waitMs(at('11-26T10:00:00')), 0)
  t.equal(waitMs(at('11-26T23:54:59.999')), 0)
  t.equal(waitMs(at('11-26T23:55:00')), 300_000)
  t.equal(waitMs(at('12-31T23:59:59.999')), 1)
  t.equal(waitMs(at('11-27T00:00:00')), 0)
})

t.test(
  'however many files wait for midnight, it is said once, and all begin after it',
  async (t) => {
    let nowMs = at('11-26T23:59:00')
    const said: string[] = []
    const waits: number[] = []
    const edge = new DayEdge({
      now: () => nowMs,
      // A timer that ends early.
      wait: async (ms) => {
        waits.push(ms)
        nowMs += Math.max(1, ms - 5)
      },
      say: (line) => said.push(line),
    })
    await Promise.all([edge.passed(), edge.passed(), edge.passed()])
    t.equal(nowMs, at('11-27T00:00:00'))
    t.equal(waits[0], 60_000)
    t.match(said, [/waiting 60 s for midnight/])
    t.equal(said.length, 1)
    nowMs += 1_000
    await edge.passed()
    t.equal(said.length, 1, 'and nobody waits then')
  },
)
