import type { Test } from 'tap'
import { TerminalQuotes } from '../../../src/drivers/terminal/quotes.ts'
import type { Tick } from '../../../src/protocol/market.ts'
import { inTime } from '../../in-time.ts'
import { type RigOptions, XtRig } from './rig.ts'

const LIMITS = {
  pollMs: 50,
  wantDelayMs: 1,
  callTimeoutMs: 5_000,
  relaunchMsMin: 10,
  relaunchMsMax: 20,
}

/** A source at a terminal, and a way to wait for a tick of it. */
export async function openQuotes(
  t: Test,
  parts: Partial<typeof LIMITS> = {},
  rigOptions: Partial<RigOptions> = {},
) {
  const rig = await XtRig.open({ folder: t.testdir(), role: 'market', ...rigOptions })
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

/** A tick of a code with this price. */
export const at = (code: string, last: number) => (tick: Tick) =>
  tick.stock_code === code && tick.lastPrice === last
