import t from 'tap'
import { BANK, brokerPosition, commands, yuan } from '../../fixture.ts'
import { Watcher } from '../watcher.ts'

const HOUR_S = 3_600
/** Seconds after 09:30: the evening of that day, and the lunch break. */
const EVENING = 9 * HOUR_S
const LUNCH = 2.5 * HOUR_S

function setMode({ bench }: Watcher, simulationMode: boolean) {
  const request = { kind: 'saveConfig', changes: { simulationMode }, source: 'test' } as const
  return bench.input({ kind: 'request', ref: 1, request })
}

/** Out of the simulation, and compared with the trading client again. */
function leave(watcher: Watcher): void {
  const { bench } = watcher
  const [connect] = commands(setMode(watcher, false))
  const callId = connect?.callId ?? 0
  const result = { ok: true, value: null } as const
  const effects = bench.input({
    kind: 'driver',
    event: { kind: 'connectAnswered', callId, result },
  })
  bench.answerQueries(commands(effects), { positions: [brokerPosition({ costPrice: yuan(10) })] })
}

function simulated(from: number): Watcher {
  const watcher = new Watcher()
  watcher.ticks({ at: from, price: 9.95 })
  setMode(watcher, true)
  return watcher
}

/** What strategies have sold in the simulation. */
const sold = ({ bench }: Watcher): readonly string[] =>
  bench.journal.flatMap(({ event }) =>
    event.kind === 'orderSimulated' ? [`${event.signalType} ${event.record.quantity}`] : [],
  )

t.test(
  'F392 a simulation has no hours: its stops fall due in the evening and at lunch',
  async (t) => {
    for (const from of [EVENING, LUNCH]) {
      const watcher = simulated(from)
      watcher.every3s(from + 3, [9.95, 9.95, 9.95, 9.2])
      t.strictSame(sold(watcher), ['stop_loss 1000'], `${from}`)
    }
  },
)

t.test(
  'a first profit that a simulation has taken is none of the holding at the broker',
  async (t) => {
    const watcher = simulated(0)
    const taken = () => watcher.bench.state.positions.get(BANK)?.profitTriggered
    watcher.every3s(3, [9.95, 9.95, 10.61, 10.7, 10.64])
    t.strictSame(sold(watcher), ['take_profit_half 600'])
    t.match(watcher.bench.state.simulation?.positions.get(BANK), { profitTriggered: true })
    t.equal(taken(), false)
    leave(watcher)
    t.equal(taken(), false, 'nor is it one that was taken when the simulation ends')
  },
)

t.test('F392 without another tick it judges the price that stands', async (t) => {
  const watcher = new Watcher()
  watcher.ticks({ at: EVENING, price: 9.2 })
  setMode(watcher, true)
  t.strictSame(sold(watcher), [], 'not at its first look')
  watcher.wait(EVENING + 6)
  t.strictSame(sold(watcher), ['stop_loss 1000'])
})

t.test('F392 what a simulation has seen before the open is no look of the session', async (t) => {
  const watcher = new Watcher(undefined, { startMs: Date.parse('2026-08-11T01:29:30Z') })
  watcher.ticks({ at: -30, price: 9.95 })
  setMode(watcher, true)
  watcher.every3s(-27, Array<number>(6).fill(9.95))
  leave(watcher)
  watcher.every3s(0, [9.2, 9.2, 9.2, 9.2])
  t.strictSame(watcher.sent(), ['stop_loss 1000 @ 6'])
})
