import t, { type Test } from 'tap'
import { TerminalQuotes } from '../../../src/drivers/terminal/quotes.ts'
import type { Tick } from '../../../src/protocol/market.ts'
import { inTime } from '../../in-time.ts'
import { SH, SZ } from '../fixtures/paper.ts'
import { XtRig } from './rig.ts'

const LIMITS = {
  pollMs: 50,
  wantDelayMs: 1,
  callTimeoutMs: 5_000,
  relaunchMsMin: 10,
  relaunchMsMax: 20,
}

/** A source at a terminal, and a way to wait for a tick of it. */
async function open(t: Test, parts: Partial<typeof LIMITS> = {}) {
  const rig = await XtRig.open({ folder: t.testdir(), role: 'market' })
  const { host, log } = rig
  const quotes = new TerminalQuotes({ host, limits: { ...LIMITS, ...parts }, log })
  const ticks: Tick[] = []
  const waiting = new Set<() => void>()
  t.teardown(async () => {
    await quotes.stop()
    await rig.close()
  })
  const until = async (fits: (tick: Tick) => boolean): Promise<Tick> => {
    for (;;) {
      const found = ticks.find(fits)
      if (found !== undefined) return found
      await inTime(new Promise<void>((resolve) => waiting.add(resolve)), 'a tick that fits')
    }
  }
  const start = () =>
    quotes.start((tick) => {
      ticks.push(tick)
      for (const wake of waiting) wake()
      waiting.clear()
    })
  return { rig, quotes, ticks, until, start }
}
const at = (code: string, last: number) => (tick: Tick) =>
  tick.stock_code === code && tick.lastPrice === last

t.test('what is wanted is fed, from its first quote on, and nothing else', async (t) => {
  const { rig, quotes, ticks, until, start } = await open(t)
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5, ask: [[36.01, 900]], bid: [[36, 800]] })
  rig.terminal.tick(SZ, { last: 11, lastClose: 11 })
  quotes.want(SH)
  start()
  t.match(await until(at(SH, 36)), {
    lastClose: 35.5,
    askPrice: [36.01, 0, 0, 0, 0],
    askVol: [900, 0, 0, 0, 0],
    bidVol: [800, 0, 0, 0, 0],
  })
  rig.terminal.tick(SH, { last: 36.02, lastClose: 35.5 })
  await until(at(SH, 36.02))
  t.notOk(ticks.some(({ stock_code }) => stock_code === SZ))
  quotes.want(SZ)
  await until(at(SZ, 11))
})

t.test('without pushes a regular look finds what is new', async (t) => {
  const { rig, quotes, until, start } = await open(t)
  rig.terminal.isPushingQuotes = false
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5 })
  quotes.want(SH)
  start()
  await until(at(SH, 36))
  rig.terminal.tick(SH, { last: 36.05, lastClose: 35.5 })
  t.ok(await until(at(SH, 36.05)))
})

t.test('a sidecar that ends is replaced, and everything is subscribed again', async (t) => {
  const { rig, quotes, until, start } = await open(t)
  quotes.want(SH)
  quotes.want(SZ)
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5 })
  start()
  await until(at(SH, 36))
  const { pid } = (await rig.host.open(0)).welcome
  process.kill(pid, 'SIGKILL')
  rig.terminal.tick(SH, { last: 36.1, lastClose: 35.5 })
  rig.terminal.tick(SZ, { last: 11.1, lastClose: 11 })
  await until(at(SH, 36.1))
  t.ok(await until(at(SZ, 11.1)))
})

t.test(
  'a flood of ticks passes: the newest of each code arrives, and none that is older',
  async (t) => {
    const { rig, quotes, ticks, until, start } = await open(t, { pollMs: 60_000 })
    const codes = Array.from({ length: 50 }, (_, index) => `${600_000 + index}.SH`)
    for (const code of codes) quotes.want(code)
    start()
    rig.terminal.tick(codes[0] ?? '', { last: 1, lastClose: 1, timeMs: 1 })
    await until(() => true)
    const flood = { codes, per_second: 10_000, seconds: 1 }
    rig.terminal.storm(flood)
    const last = flood.per_second * flood.seconds - 1
    for (const [index, code] of codes.entries()) {
      const volume = (last - codes.length + 1 + index) * 100
      await until((tick) => tick.stock_code === code && tick.volume === volume)
    }
    const newest = new Map<string, number>()
    const isInOrder = ticks.every(({ stock_code, time }) => {
      const isLater = time >= (newest.get(stock_code) ?? 0)
      newest.set(stock_code, time)
      return isLater
    })
    t.ok(isInOrder)
  },
)
