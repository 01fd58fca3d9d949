import t from 'tap'
import { nextOrderMs } from '../../../src/account/strategies/run.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import { BANK, keyOf, ORDER, policy, push, quote, yuan } from '../fixture.ts'
import { ask, sent as leftNow, pass } from '../orders/paced.ts'
import { gridOn, RISE, Scene } from './grid/scene.ts'
import { Watcher } from './watcher.ts'

const codes = Array.from({ length: 7 }, (_, n) => `60002${n}.SH` as StockCode)
const rated = (maxOrdersPerSecond: number) => ({ risk: { ...policy.risk, maxOrdersPerSecond } })

/** What left, with the second in which it did, whoever wanted it. */
const left = ({ bench }: Watcher) =>
  bench.journal.flatMap(({ event }) =>
    event.kind === 'orderSubmitted'
      ? [`${event.order.signalType ?? 'hand'} @ ${(event.order.createdMs - START_MS) / 1_000}`]
      : [],
  )
const START_MS = Date.parse('2026-08-11T01:30:00Z')

/** A person places so many orders at once. */
function byHand({ bench }: Watcher, count: number): void {
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  for (let n = 0; n < count; n++) {
    ask(bench, { ...ORDER, key: keyOf(n), price: yuan(35 + n / 100) }, { ref: n })
  }
}

/** The clocks go on in tenths of a second; what is due rings. */
function go(watcher: Watcher, from: number, to: number): void {
  for (let tenth = Math.round(from * 10); tenth <= to * 10; tenth++) {
    watcher.wait(tenth / 10)
    watcher.bench.input({ kind: 'timer', name: 'queue' })
  }
}

t.test('while the strategies may act one place of each second is kept for a stop', async (t) => {
  const watcher = new Watcher([codes[0] as StockCode], {}, rated(5))
  watcher.every3s(0, Array(20).fill(10), { code: codes[0] as StockCode })
  watcher.wait(61)
  byHand(watcher, 6)
  t.equal(left(watcher).length, 4)
  watcher.ticks({ code: codes[0] as StockCode, at: 61.2, price: 9 })
  t.strictSame(left(watcher).slice(4), ['stop_loss @ 61.2'], 'it waits for nobody')
})

t.test(
  'many stops at once: so many a second, before all orders of people, none lost',
  async (t) => {
    const watcher = new Watcher(codes, {}, rated(3))
    for (let at = 0; at < 60; at += 3) {
      watcher.ticks(...codes.map((code) => ({ code, at, price: 10 })))
    }
    watcher.wait(61)
    byHand(watcher, 5)
    for (const code of codes) watcher.ticks({ code, at: 61.1, price: 9 })
    go(watcher, 61.2, 70)
    const all = left(watcher)
    t.equal(all.filter((one) => one.startsWith('stop_loss')).length, codes.length)
    const lastStop = all.findLastIndex((one) => one.startsWith('stop_loss'))
    t.equal(lastStop, 2 + codes.length - 1, 'only what had left before them was before them')
    const seconds = all.map((one) => Number(one.split('@ ')[1]))
    t.notOk(
      seconds.some((at, n) => n >= 3 && at - (seconds[n - 3] ?? 0) < 0.999),
      `never more than three in a second: ${all}`,
    )
    t.ok((seconds[lastStop] ?? 0) <= 61.1 + 2.5, `${all}`)
  },
)

t.test('a first take-profit that finds no place is no failed try', async (t) => {
  const [code = BANK] = codes
  const watcher = new Watcher([code], {}, rated(1))
  watcher.every3s(0, [...Array(20).fill(10), 10.7], { code })
  const { bench } = watcher
  for (let n = 0; n < 5; n++) {
    // Somebody else's order takes the place just before.
    bench.state.sent.splice(0, 1, { nowMs: bench.nowMs, wallMs: bench.wallMs })
    watcher.ticks({ code, at: 63 + n * 0.5, price: 10.6 - n / 100 })
  }
  go(watcher, 66, 69)
  t.strictSame(watcher.sent(code).length, 1)
})

t.test('a grid whose order finds no place keeps its callback and has the next one', async (t) => {
  const scene = new Scene({ ...gridOn, risk: { ...gridOn.risk, maxOrdersPerSecond: 1 } })
  scene.start()
  const [last = 0, ...before] = RISE.toReversed()
  scene.ticks(...before.toReversed())
  scene.nowMs += 3_000
  scene.wallMs += 3_000
  scene.price(last)
  scene.state.sent.push({ nowMs: scene.nowMs, wallMs: scene.wallMs })
  t.strictSame(leftNow(scene.input({ kind: 'quotes', crossed: [BANK] })), [])
  t.strictSame(scene.events('gridRefused'), [])
  const effects = pass(scene, 1_000)
  t.equal(leftNow(effects).length, 1, 'without another tick')
})

t.test(
  'the rest of a canceled order that finds no place is tried again until it has one',
  async (t) => {
    const [code = BANK] = codes
    const watcher = new Watcher([code], {}, rated(1))
    watcher.every3s(0, [...Array(20).fill(10), 9], { code })
    const { bench } = watcher
    const [order] = [...bench.state.orders.values()]
    if (order === undefined) throw new Error('no stop was sent')
    const row = { orderId: '7', clientOrderId: order.clientOrderId, code, side: 'sell' } as const
    push(bench, { ...row, quantity: order.quantity, status: 50 })
    bench.nowMs += policy.pending.stopLossTimeoutMs
    bench.wallMs = bench.nowMs
    bench.quotes.set(code, { ...quote(8.9, bench.nowMs), lastClose: yuan(10) })
    bench.input({ kind: 'alarm' })
    const fill = () => bench.state.sent.splice(0, 1, { nowMs: bench.nowMs, wallMs: bench.wallMs })
    fill()
    push(bench, { ...row, quantity: order.quantity, status: 54 })
    for (let n = 0; n < 6; n++) {
      bench.nowMs = nextOrderMs(bench.state, bench.nowMs)
      bench.wallMs = bench.nowMs
      fill() // somebody else was faster
      bench.input({ kind: 'alarm' })
    }
    t.equal([...bench.state.orders.values()].length, 1)
    bench.nowMs = nextOrderMs(bench.state, bench.nowMs)
    bench.wallMs = bench.nowMs
    bench.input({ kind: 'alarm' })
    t.equal([...bench.state.orders.values()].length, 2, 'sent again')
    t.notOk(bench.journal.some(({ event }) => event.kind === 'reorderDropped'))
  },
)
