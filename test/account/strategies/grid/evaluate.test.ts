import t from 'tap'
import { decisions } from '../../../../src/account/answers/strategies.ts'
import { BANK, quote, yuan } from '../../fixture.ts'
import { gridOn, only, RISE, type Scene, withGrid } from './scene.ts'

interface Row {
  readonly verdict: string
  readonly message: string
  readonly order: object | null
  readonly refusal: { readonly code: string } | null
  readonly steps: readonly { readonly threshold: number }[]
}
/** What is told of the grid, the oldest first. */
const told = ({ state }: Scene, code = '600036'): Row[] => {
  const query = { kind: 'decisions' as const, code, limit: 500 }
  const { decisions: rows } = decisions(state, query) as { decisions: readonly Row[] }
  return rows.filter(({ verdict }) => verdict?.startsWith('grid_')).toReversed()
}
const verdicts = (scene: Scene) => told(scene).map(({ verdict }) => verdict)

t.test('each look at a grid says what it came to, up to the order', async (t) => {
  const scene = withGrid()
  scene.tick(10.1)
  const order = only(scene, RISE)
  const rows = told(scene)
  t.strictSame(
    rows.map(({ verdict }) => verdict),
    ['grid_between_levels', 'grid_awaits_callback', 'grid_awaits_callback', 'grid_order'],
  )
  t.strictSame(
    rows.map(({ steps }) => steps[0]?.threshold),
    [10.5, 10.5, 10.5, 10.5],
  )
  const { clientOrderId, quantity: volume } = order
  t.match(rows.at(-1), {
    stock_code: BANK,
    cause: 'tick',
    inputs: { price: 10.54, volume: 1_000 },
    order: { client_order_id: clientOrderId, signal_type: 'grid', side: 'sell', volume },
    gates: { ENABLE_AUTO_OPERATION: true, ENABLE_GRID_TRADING: true, enabled: true },
  })
  scene.take(order)
  scene.ticks(10.8, 10.6)
  t.equal(verdicts(scene).at(-1), 'grid_order_open', 'one order a side')
  t.strictSame(told(scene, '000001'), [], 'of the stock that was asked for')
})

t.test('why a grid does nothing, sends nothing or ends is told with its reason', async (t) => {
  const paused = withGrid()
  paused.enable(false)
  paused.tick(10.6)
  t.equal(verdicts(paused).at(-1), 'grid_paused')

  const unsellable = withGrid()
  unsellable.holds(1_000, 0)
  unsellable.ticks(...RISE)
  t.match(told(unsellable).at(-1), {
    verdict: 'grid_refused',
    order: null,
    refusal: { code: 'nothing_sellable' },
    message: /今日没有可卖数量/,
  })

  const far = withGrid({ max_deviation: 0.05 })
  far.tick(10.6)
  t.match(told(far).at(-1), { verdict: 'grid_exit', message: /偏离超限/ })

  const manual = withGrid(
    {},
    { ...gridOn, settings: { ...gridOn.settings, ENABLE_GRID_TRADING: false } },
  )
  manual.tick(10.6)
  t.equal(verdicts(manual).at(-1), 'grid_off')
})

t.test('a quote that bears a wrong time stops no grid', async (t) => {
  const scene = withGrid()
  scene.tick(10.1)
  const ahead = quote(10.6, scene.nowMs + 9 * 60_000)
  scene.quotes.set(BANK, { ...ahead, lastClose: yuan(10) })
  scene.input({ kind: 'quotes', crossed: [BANK] })
  t.match(scene.tick(10.54), [{ side: 'sell' }], 'the turn after it is of now')
})

t.test('the trace of a grid has an end', async (t) => {
  const scene = withGrid()
  for (let n = 0; n < 50; n++) scene.tick(10 + (n % 2) / 10)
  t.equal(told(scene).length, gridOn.limits.decisionsPerStockMax)
})
