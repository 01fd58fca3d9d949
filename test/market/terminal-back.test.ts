import t from 'tap'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import type { MarketEvent } from '../../src/protocol/market.ts'
import { inTime } from '../in-time.ts'
import { FakeActor, openSystem } from './fixtures/market.ts'

/** A source that can go away and come back. */
class Elsewhere implements MarketSource {
  isBack: () => void = () => undefined

  want(): void {}
  start(_emit: unknown, isBack: () => void = () => undefined): void {
    this.isBack = isBack
  }
  async stop(): Promise<void> {}
}

t.test(
  'F95 accounts are told, one after the other, that the source of quotes is back',
  async (t) => {
    const live = new Elsewhere()
    const config = {
      source: 'xt',
      python: '',
      xtquant_path: '',
      attach: '',
      token_file: '',
      qmt_path: '',
      quote_port: 0,
    } as const
    const system = await openSystem({ config, live, limits: { reconnectTurnMs: 1 } })
    t.teardown(() => system.market.stop())
    const told: number[] = []
    const all = Promise.withResolvers<void>()
    const hear = (event: MarketEvent, done: () => void, { slot }: FakeActor) => {
      if (event.kind === 'terminalSeen') told.push(slot)
      if (told.length === 2) all.resolve()
      done()
    }
    const actors = [0, 1, 2].map((slot) => new FakeActor(system, slot, hear))
    t.teardown(() => {
      for (const actor of actors) actor.leave()
    })
    await system.market.start()
    live.isBack()
    await inTime(all.promise, 'both accounts to be told')
    t.strictSame(told, [1, 2], 'the embedded client waits for no terminal')
  },
)
