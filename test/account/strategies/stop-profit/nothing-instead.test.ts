import t from 'tap'
import { step } from '../../../../src/account/step.ts'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import { type Effect, Turn } from '../../../../src/account/turn/turn.ts'
import { BANK, type Bench, brokerPosition, commands, quote, set, yuan } from '../../fixture.ts'
import { acting, Chain, SALE } from './chain.ts'

/** A stop that rests at 36 yuan, a yuan above what is paid by now: its rest would be sold. */
function resting(bench: Bench = acting().ready([brokerPosition()])): Chain {
  const chain = new Chain(SALE, bench)
  chain.report({ price: yuan(36) })
  bench.quotes.set(BANK, quote(35, bench.nowMs))
  return chain
}
const allow = (bench: Bench, allowSell: boolean) =>
  bench.input({
    kind: 'request',
    ref: 9,
    request: { kind: 'saveConfig', changes: { allowSell }, source: 'test' },
  })
const kindsOf = (effects: readonly Effect[]) => commands(effects).map(({ kind }) => kind)

t.test('F743 a stop is not given up while the kill switch lets no other one leave', async (t) => {
  const chain = resting()
  t.strictSame(kindsOf(resting().ring()), ['cancel'], 'it is sent again at the price of now')
  set(chain.bench, 'all')
  for (let look = 0; look < 5; look++) t.strictSame(kindsOf(chain.ring()), [])
  t.equal(chain.last.status, 'accepted')
  set(chain.bench, 'entries')
  t.strictSame(kindsOf(chain.ring()), ['cancel'], 'with its next look')
  t.match(commands(chain.report({ status: 54 })), [{ kind: 'submit', order: { price: yuan(35) } }])
})

t.test('F743 nor while nothing may be sold at all', async (t) => {
  const chain = resting()
  allow(chain.bench, false)
  t.strictSame(kindsOf(chain.ring()), [])
  allow(chain.bench, true)
  t.strictSame(kindsOf(chain.ring()), ['cancel'])
})

t.test('F743 nor when as many are sent as a day may have', async (t) => {
  const limited = acting({}, { maxProtectiveOrdersPerDay: 1 })
  t.strictSame(kindsOf(resting(limited.ready([brokerPosition()])).ring()), [])
})

t.test('F743 nor while the disk is nearly full', async (t) => {
  const { bench } = resting()
  bench.nowMs = nextOrderMs(bench.state, bench.nowMs)
  const seen = { nowMs: bench.nowMs, wallMs: bench.wallMs, quote: () => bench.quotes.get(BANK) }
  const turn = new Turn(bench.state, { ...seen, isDiskLow: true })
  step(turn, { kind: 'alarm' })
  t.strictSame(kindsOf(turn.effects), [])
})
