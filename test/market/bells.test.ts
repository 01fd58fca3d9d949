import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { ActorBands } from '../../src/market/bands.ts'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import { decode } from '../../src/protocol/codec.ts'
import type { MarketEvent, Tick } from '../../src/protocol/market.ts'
import { openSystem } from './fixtures/market.ts'
import { tickOf } from './fixtures/ticks.ts'

const SLOT = 1
const CODES = ['600001.SH', '600002.SH', '600003.SH', '600004.SH']
const CONFIG = {
  source: 'xt',
  python: '',
  xtquant_path: '',
  attach: '',
  token_file: '',
  qmt_path: '',
  quote_port: 0,
} as const

/** A source whose quotes the test brings. */
class Handed implements MarketSource {
  emit: (tick: Tick) => unknown = () => undefined

  want(): void {}
  start(emit: (tick: Tick) => unknown): void {
    this.emit = emit
  }
  async stop(): Promise<void> {}
}

/** An account as quick as a thread of its own can be: it looks as soon as it is woken, between two quotes of others. */
async function quickAccount(t: Test, wakeTicksMax: number) {
  const live = new Handed()
  const system = await openSystem({ config: CONFIG, live, limits: { wakeTicksMax } })
  t.teardown(() => system.market.stop())
  const bands = new ActorBands(system.memory, SLOT)
  const { port1, port2 } = new MessageChannel()
  system.market.introduce('events:account/1', port1, { slot: SLOT })
  t.teardown(() => system.market.introduce('events:account/1', null, { slot: SLOT }))
  const codes = CODES.map((code) => ({ code, hint: 0 }))
  await system.market.answer({ kind: 'watch', codes }, SLOT)
  const looks: number[] = []
  /** What it was told by now; how many codes each look finds. */
  const look = () => {
    for (;;) {
      const got = receiveMessageOnPort(port2)
      if (got === undefined) return
      for (const { kind } of decode<readonly MarketEvent[]>(got.message)) {
        if (kind === 'wakeUp') looks.push(bands.takeCrossed().length)
        system.board.end(SLOT)
      }
    }
  }
  let hasStarted = false
  const starting = system.market.start().then(() => {
    hasStarted = true
  })
  while (!hasStarted) {
    look() // the day waits for it
    await turnOver()
  }
  await starting
  looks.length = 0
  const time = Date.now()
  const bring = (step: number, codes = CODES) => {
    for (const [at, code] of codes.entries()) {
      live.emit(tickOf(code, time + step, 10 + step + at))
      look()
    }
  }
  for (let slot = 0; slot < CODES.length; slot++) bands.set(slot, 1, 2) // any price leaves it
  return { bring, look, looks, bands }
}

const turnOver = () => new Promise((resolve) => setImmediate(resolve))

t.test('quotes that come together are one look of an account, however quick it is', async (t) => {
  const { bring, look, looks } = await quickAccount(t, 500)
  bring(1)
  t.strictSame(looks, [], 'nobody is woken in the middle of them')
  await turnOver()
  look()
  t.strictSame(looks, [CODES.length])
  bring(2)
  await turnOver()
  look()
  t.strictSame(looks, [CODES.length, CODES.length], 'and so are the next')
})

t.test('of very many quotes an account looks at the first before the last have come', async (t) => {
  const { bring, look, looks } = await quickAccount(t, 2)
  bring(1)
  t.strictSame(looks, [2, 2])
  await turnOver()
  look()
  t.strictSame(looks, [2, 2], 'and is woken no more than that')
})

t.test('an account that leaves, or starts anew, in the middle of them is no trouble', async (t) => {
  const { bring, look, looks, bands } = await quickAccount(t, 500)
  bring(1)
  t.equal(bands.takeCrossed().length, CODES.length, 'it may look by itself')
  await turnOver()
  look()
  t.strictSame(looks, [0], 'its wake-up finds nothing')
})
