import t from 'tap'

interface Computer {
  readonly processors: number
  readonly nowMs: () => number
  readonly idleMs: () => number
}
interface Module {
  readonly Patience: new (msMax: number, computer: Computer) => { readonly isOver: boolean }
  until<T>(what: string, msMax: number, look: () => T | undefined): Promise<T>
}
const { Patience, until } = (await import(
  new URL('../../scripts/wine/patience.mjs', import.meta.url).href
)) as unknown as Module

/** Two processors, of whose time so much was idle. */
function computer() {
  const times = { nowMs: 5_000, idleMs: 90_000 }
  const pass = (ms: number, idleMs: number) => {
    times.nowMs += ms
    times.idleMs += idleMs
  }
  return { pass, processors: 2, nowMs: () => times.nowMs, idleMs: () => times.idleMs }
}

t.test('on an idle computer the limit is the limit', async (t) => {
  const idle = computer()
  const patience = new Patience(1_000, idle)
  t.equal(patience.isOver, false)
  idle.pass(999, 1_998)
  t.equal(patience.isOver, false)
  idle.pass(1, 2)
  t.equal(patience.isOver, true)
})

t.test('it passes as fast as the processors are idle', async (t) => {
  const busy = computer()
  const patience = new Patience(1_000, busy)
  busy.pass(1_500, 1_500)
  t.equal(patience.isOver, false, 'one of two had nothing to do')
  busy.pass(2_000, 0)
  t.equal(patience.isOver, false, 'both were busy')
  busy.pass(250, 500)
  t.equal(patience.isOver, true)
})

t.test('what never comes is given up on the busiest computer, too', async (t) => {
  const busy = computer()
  const patience = new Patience(1_000, busy)
  busy.pass(5_999, 0)
  t.equal(patience.isOver, false)
  busy.pass(1, 0)
  t.equal(patience.isOver, true)
})

t.test('a clock of the processors that is set back gives no time', async (t) => {
  const busy = computer()
  const patience = new Patience(1_000, busy)
  busy.pass(100, -50_000)
  t.equal(patience.isOver, false)
  busy.pass(1_000, 2_000)
  t.equal(patience.isOver, true)
})

t.test('what is awaited is looked for until it is there, or named', async (t) => {
  const found = [undefined, 'there']
  t.equal(await until('a word', 60_000, () => found.shift()), 'there')
  await t.rejects(
    until('a word', 0, () => undefined),
    /a word: not within 0 s/,
  )
})
