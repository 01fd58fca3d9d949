import t from 'tap'
import { inTime } from '../../in-time.ts'
import { SH, SZ } from '../fixtures/paper.ts'
import { at, openQuotes } from './quotes-rig.ts'
import type { Terminal } from './terminal.ts'

/** The next subscription, as the codes that it names. */
const subscribed = ({ quotes }: Terminal): Promise<readonly string[]> =>
  inTime(
    new Promise((resolve) => {
      quotes.onSubscribe = resolve
    }),
    'a subscription',
  )
/** Resolves when so many full ticks were answered. */
const looks = (terminal: Terminal, wanted: number): Promise<void> =>
  inTime(
    new Promise((resolve) => {
      let seen = 0
      terminal.onRequest = (method, when) => {
        if (method === 'full_tick' && when === 'after' && ++seen === wanted) resolve()
      }
    }),
    'looks at the quotes',
  )
const book = (last: number) => ({ last, lastClose: 35.5 })

for (const release of ['2022-09', '2023-03', '2024-04', '250516']) {
  t.test(`release ${release}: what a restarted terminal forgot is subscribed again`, async (t) => {
    process.env['FAKE_XT_MANNER'] = release
    t.teardown(() => delete process.env['FAKE_XT_MANNER'])
    const { rig, quotes, until, start } = await openQuotes(t)
    const { terminal } = rig
    process.env['FAKE_XT_QUOTE_PORT'] = String(terminal.port)
    terminal.tick(SH, book(36))
    quotes.want(SH)
    quotes.want(SZ)
    start()
    await until(at(SH, 36))
    await terminal.end()
    terminal.tick(SH, book(36.1))
    const again = subscribed(terminal)
    await terminal.startAgain()
    t.strictSame([...(await again)].toSorted(), [SZ, SH].toSorted())
    await until(at(SH, 36.1))
    terminal.tick(SH, book(36.2))
    await until(at(SH, 36.2))
    await looks(terminal, 3)
    t.equal(terminal.quotes.standing, 1, 'once')
    t.strictSame(terminal.quotes.unsubscribed, [], 'numbers of the former life are those of others')
  })
}

t.test('pushes that die while looks go on are subscribed anew', async (t) => {
  const { rig, quotes, until, start } = await openQuotes(t)
  const { terminal } = rig
  terminal.tick(SH, book(36))
  quotes.want(SH)
  start()
  await until(at(SH, 36))
  terminal.quotes.switchServer()
  const again = subscribed(terminal)
  let last = 36
  terminal.onRequest = (method, when) => {
    if (method !== 'full_tick' || when !== 'before') return
    last += 0.01
    terminal.tick(SH, book(last))
  }
  await again
  t.strictSame(terminal.quotes.unsubscribed, [1], 'the terminal has its buffer back')
  t.equal(terminal.quotes.standing, 1)
  terminal.onRequest = () => undefined
  await looks(terminal, 2)
  terminal.tick(SH, book(40))
  await until(at(SH, 40))
})

t.test('a terminal that never pushes is not subscribed again and again', async (t) => {
  const { rig, quotes, until, start } = await openQuotes(t, {}, { own: { quotes_behind_max: 2 } })
  const { terminal } = rig
  terminal.quotes.isPushing = false
  terminal.tick(SH, book(36))
  quotes.want(SH)
  start()
  await until(at(SH, 36))
  const [wanted, seen] = [Promise.withResolvers<void>(), { looks: 0 }]
  terminal.onRequest = (method, when) => {
    if (method !== 'full_tick' || when !== 'before') return
    terminal.tick(SH, book(36 + ++seen.looks / 100))
    if (seen.looks === 40) wanted.resolve()
  }
  await inTime(wanted.promise, 'forty looks')
  const times = terminal.quotes.subscriptions.length
  t.ok(times >= 2 && times <= 6, `${times} times: after 2, 4, 8 and 16 looks that were ahead`)
  t.equal(terminal.quotes.standing, 1)
})

t.test('a terminal that answers only for what is subscribed is subscribed first', async (t) => {
  const { rig, quotes, until, start } = await openQuotes(t)
  rig.terminal.quotes.answersOnlySubscribed = true
  rig.terminal.tick(SH, book(36))
  quotes.want(SH)
  start()
  t.ok(await until(at(SH, 36)))
  await rig.terminal.end()
  rig.terminal.tick(SH, book(36.3))
  await rig.terminal.startAgain()
  t.ok(await until(at(SH, 36.3)), 'after a restart as well')
})

t.test('a subscription that hangs holds up no look', async (t) => {
  const own = { subscribe_timeout_ms: 100, leaks_max: 100 }
  const { rig, quotes, until, start } = await openQuotes(t, {}, { own })
  const { terminal } = rig
  terminal.tick(SH, book(36))
  quotes.want(SH)
  start()
  await until(at(SH, 36))
  await terminal.end()
  terminal.fault = (method) => (method === 'subscribe_quotes' ? 'hang' : undefined)
  await terminal.startAgain()
  terminal.tick(SH, book(36.4))
  t.ok(await until(at(SH, 36.4)), 'by a look')
  await rig.log.until(/not subscribed anew/)
  terminal.fault = () => undefined
  await subscribed(terminal)
})

t.test('F817 a subscription that is refused again and again leaves the others alone', async (t) => {
  const { rig, quotes, until, start } = await openQuotes(t)
  const { terminal, log } = rig
  terminal.tick(SH, book(36))
  terminal.tick(SZ, book(11))
  quotes.want(SH)
  start()
  await until(at(SH, 36))
  terminal.fault = (method) => (method === 'subscribe_quotes' ? { answer: -1 } : undefined)
  quotes.want(SZ)
  await until(at(SZ, 11))
  await log.until(/not subscribed anew/)
  log.all.splice(0)
  await looks(terminal, 20)
  t.strictSame(
    log.all.filter((line) => /subscrib/.test(line)),
    [],
    'it has been said',
  )
  t.strictSame(terminal.quotes.unsubscribed, [], 'what stands is kept')
  terminal.tick(SH, book(36.1))
  await until(at(SH, 36.1))
  terminal.fault = () => undefined
  t.strictSame(await subscribed(terminal), [SZ], 'and it is made up for')
})

t.test('ticks may tell their time as text of the exchange', async (t) => {
  const { rig, quotes, until, start } = await openQuotes(t)
  const { terminal } = rig
  quotes.want(SH)
  start()
  let last = 36
  for (const spelling of ['timetag', 'timetag.fff'] as const) {
    terminal.quotes.tickTime = spelling
    const whole = spelling === 'timetag' ? 1_000 : 1
    const timeMs = Math.floor((Date.now() + 60_000 * ++last) / whole) * whole
    terminal.tick(SH, { ...book(last), timeMs })
    t.equal((await until(at(SH, last))).time, timeMs)
  }
})

t.test('ticks that cannot be dated are told once, with the reason', async (t) => {
  const { rig, quotes, start } = await openQuotes(t)
  rig.terminal.quotes.tickTime = 'none'
  rig.terminal.tick(SH, book(36))
  quotes.want(SH)
  start()
  await rig.log.until(/its ticks are refused/)
  await looks(rig.terminal, 3)
  t.equal(rig.log.all.filter((line) => /its ticks are refused/.test(line)).length, 1)
})

t.test('F846 nor are they told with each tick where the text changes with it', async (t) => {
  const { rig, quotes, start } = await openQuotes(t)
  const { terminal, log } = rig
  terminal.quotes.tickTime = 'hour'
  let timeMs = Date.now()
  const tick = () => {
    timeMs += 1_000
    terminal.tick(SH, { ...book(36), timeMs })
  }
  tick()
  quotes.want(SH)
  start()
  await log.until(/its ticks are refused/)
  for (let look = 0; look < 5; look += 1) {
    tick()
    await looks(terminal, 2)
  }
  t.equal(log.all.filter((line) => /its ticks are refused/.test(line)).length, 1)
})
