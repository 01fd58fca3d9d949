import t, { type Test } from 'tap'
import { TerminalQuotes } from '../../../src/drivers/terminal/quotes.ts'
import type { Tick } from '../../../src/protocol/market.ts'
import { Witness } from '../../contract/driver.ts'
import { inTime } from '../../in-time.ts'
import { SH, SZ } from '../fixtures/paper.ts'
import { BigqmtRig, type BigqmtRigOptions } from './rig.ts'

const LIMITS = {
  pollMs: 60_000,
  wantDelayMs: 1,
  callTimeoutMs: 5_000,
  relaunchMsMin: 10,
  relaunchMsMax: 20,
}

/** A source at a script, and a way to wait for a tick of it. */
async function open(
  t: Test,
  parts: Partial<BigqmtRigOptions> = {},
  limits: Partial<typeof LIMITS> = {},
) {
  const rig = await BigqmtRig.open({ folder: t.testdir(), ...parts })
  const host = rig.anotherHost('market')
  const quotes = new TerminalQuotes({ host, limits: { ...LIMITS, ...limits }, log: rig.log })
  const ticks: Tick[] = []
  const waiting = new Set<() => void>()
  t.teardown(async () => {
    await quotes.stop()
    await rig.close()
  })
  const until = async (code: string, last: number): Promise<Tick> => {
    for (;;) {
      const found = ticks.find((tick) => tick.stock_code === code && tick.lastPrice === last)
      if (found !== undefined) return found
      await inTime(new Promise<void>((resolve) => waiting.add(resolve)), `${code} at ${last}`)
    }
  }
  quotes.start((tick) => {
    ticks.push(tick)
    for (const wake of waiting) wake()
    waiting.clear()
  })
  return { rig, quotes, ticks, until }
}

for (const [transport, spelling] of [
  ['socket', 'time'],
  ['socket', 'timetag'],
  ['files', 'timetag'],
] as const) {
  t.test(`over ${transport}, ${spelling}: what is wanted is fed, and nothing else`, async (t) => {
    const { rig, quotes, ticks, until } = await open(t, { transport, manners: { spelling } })
    const timeMs = Date.now()
    rig.terminal.tick(SH, { timeMs, last: 36, lastClose: 35.5, ask: [[36.01, 900]] })
    rig.terminal.tick(SZ, { last: 11, lastClose: 11 })
    quotes.want(SH)
    t.match(await until(SH, 36), { time: timeMs, lastClose: 35.5, askVol: [900, 0, 0, 0, 0] })
    rig.terminal.tick(SH, { last: 36.02, lastClose: 35.5 })
    await until(SH, 36.02)
    t.notOk(ticks.some(({ stock_code }) => stock_code === SZ))
    const w = new Witness(rig.driver())
    await w.connect()
    rig.terminal.tick(SH, { last: 36.03, lastClose: 35.5 })
    t.ok(await until(SH, 36.03), 'beside a client that trades')
  })
}

t.test('F98 what the terminal forgets with a new init is subscribed again, unasked', async (t) => {
  const { rig, quotes, until } = await open(t)
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5 })
  quotes.want(SH)
  await until(SH, 36)
  await rig.tell('init')
  rig.terminal.tick(SH, { last: 36.1, lastClose: 35.5 })
  await until(SH, 36.1)
  await rig.tell('copy')
  rig.terminal.tick(SH, { last: 36.2, lastClose: 35.5 })
  await until(SH, 36.2)
  await rig.kill()
  await rig.start()
  rig.terminal.tick(SH, { last: 36.3, lastClose: 35.5 })
  t.ok(await until(SH, 36.3))
})

t.test('F98 a subscription that is forgotten without a word is noticed by looks', async (t) => {
  const { rig, quotes, until } = await open(t, { limits: { renew_ms: 1 } }, { pollMs: 50 })
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5 })
  quotes.want(SH)
  await until(SH, 36)
  await rig.tell('forget')
  for (let last = 37; last < 45; last++) {
    rig.terminal.tick(SH, { last, lastClose: 35.5 })
    await until(SH, last)
  }
  await rig.tell('subscribed')
  t.ok(rig.panel.all.includes('subscribed 1'))
})

t.test('F818 a terminal that never pushes is not subscribed again and again', async (t) => {
  const { rig, quotes, until } = await open(t, { limits: { renew_ms: 1 } }, { pollMs: 50 })
  const { terminal } = rig
  terminal.quotes.isPushing = false
  terminal.tick(SH, { last: 36, lastClose: 35.5 })
  quotes.want(SH)
  await until(SH, 36)
  const looked = Promise.withResolvers<void>()
  let last = 36
  terminal.onRequest = (method, when) => {
    if (method !== 'full_tick' || when !== 'before') return
    terminal.tick(SH, { last: ++last, lastClose: 35.5 })
    if (last === 66) looked.resolve()
  }
  await inTime(looked.promise, 'thirty looks')
  const times = terminal.quotes.subscriptions.length
  t.ok(times >= 2 && times <= 4, `${times} times: after 3, 6 and 12 looks that were ahead`)
})

t.test('names, limits and history come out of the terminal', async (t) => {
  // Alone: a script has one client of a role, and the one that was here before would come back and end ours.
  const rig = await BigqmtRig.open({ folder: t.testdir() })
  const host = rig.anotherHost('market')
  t.teardown(async () => {
    host.close()
    await rig.close()
  })
  const client = await host.open(0)
  const found = await client.call('instruments', { codes: [SH] }, 30_000)
  t.match(found, { ok: true, value: { instruments: { [SH]: { name: '招商银行', up: 39.6 } } } })
  rig.terminal.quotes.sectors = { 沪深A股: [SH] }
  t.match(await client.call('listed', {}, 30_000), { ok: true, value: { codes: [SH] } })
  const wanted = { code: SH, period: '1d', start: '20260810', end: '20260811' }
  const bars = await client.call('history', wanted, 30_000)
  const timeMs = Date.parse('2026-08-10T00:00:00+08:00')
  t.match(bars, {
    ok: true,
    value: { rows: [[timeMs, 35, 36.5, 34.8, 36, 12_000_000, 430_000_000], []] },
  })
})

t.test('F216 a quote of a day to come keeps out none of today', async (t) => {
  const { rig, quotes, until } = await open(t, {}, { pollMs: 50 })
  const dayMs = 86_400_000
  quotes.want(SH)
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5, timeMs: Date.now() + dayMs })
  t.ok(await until(SH, 36), 'what it is worth is for the market clock to say')
  rig.terminal.tick(SH, { last: 33, lastClose: 35.5 })
  t.ok(await until(SH, 33))
})
