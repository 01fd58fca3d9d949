import t from 'tap'
import { get, post, serve, until } from './fixture.ts'
import { HELD, linesOf, MONDAY, Stage } from './fixtures/ticks.ts'

const ID = '10000001'
const CODE = '600000.SH'

t.test(
  'what an order costs is seen by existing clients and by Prometheus, without account numbers',
  async (t) => {
    const overrides = { limits: { audit: { publish_ms: 100 } } }
    const { gateway, direct } = await serve(t, { overrides })
    const order = {
      stock_code: '600036.SH',
      order_type: 23,
      order_volume: 100,
      price_type: 5,
      price: 0,
    }
    const placed = await post(`${gateway}/api/v1/accounts/${ID}/orders`, order)
    t.match(placed, { status: 201, body: { success: true } })
    const { body } = await get(`${gateway}/api/v1/metrics`)
    t.match(body['data']?.[ID]?.['ops'], {
      order_stock: { total: 1, success: 1, error: 0 },
      query_positions: { error_calls: 0 },
    })
    t.match((await get(`${gateway}/api/v1/metrics/${ID}`)).body, { data: { error_rate: 0 } })

    const text = await until(
      async () => (await fetch(`${gateway}/metrics`)).text(),
      (now) => now.includes('steward_journal_head{account="****0001"'),
    )
    t.match(
      text,
      /^xqm_calls_total\{account="\*\*\*\*0001",op="order_stock",result="success"\} 1$/m,
    )
    t.match(text, /^xqm_account_connected\{account="\*\*\*\*0002"\} 1$/m)
    t.match(text, /^steward_account_restarts_total\{account="\*\*\*\*0001"\} 0$/m)
    t.match(text, /^steward_store_commit_seconds_count\{account="\*\*\*\*0001"\} [1-9]/m)
    t.match(text, /route="\/api\/v1\/accounts\/\{account_id\}\/orders",status="201"\} 1$/m)
    t.match(text, /^steward_journal_head\{account="\*\*\*\*0001",head="[0-9a-f]{64}"\} [1-9]\d*$/m)
    t.match(text, /^nodejs_eventloop_lag_seconds /m)
    // Seconds with many digits contain the like of it by chance.
    t.notMatch(text, /(?<![\d.])1000000\d(?!\d)/, 'no account number')
    const own = await (await fetch(`${direct[0]}/metrics`)).text()
    await fetch(`${direct[1]}/metrics`)
    const both = await (await fetch(`${gateway}/metrics`)).text()
    const series = both.match(/^[a-z]\w*(\{.*\})?(?= )/gm) ?? []
    t.match(both, /backend="direct",account="\*\*\*\*0002",method="GET",route="\/metrics"/)
    t.equal(new Set(series).size, series.length, 'no series twice, however many listeners')
    t.match(own, /account="\*\*\*\*0001"/)
    t.notMatch(own, /account="\*\*\*\*0002"/, 'direct mode tells of its own account')
  },
)

t.test('a sale is timed on its way from the tick to the broker', async (t) => {
  const stage = await Stage.open(t, {
    positions: [{ ...HELD, stock_code: CODE }],
    lines: linesOf({ day: MONDAY, code: CODE, prices: [9.6, 9.2] }),
  })
  await stage.to()
  t.strictSame(await stage.fills(CODE), ['stop_loss 1000@9.2'])
  const { paths, routes } = await stage.data('/api/latency')
  const rows = paths as unknown as readonly Record<string, number>[]
  t.match(rows, [
    { path: 'tick_to_step' },
    { path: 'tick_to_intent', count: 1 },
    { path: 'step_to_durable' },
    { path: 'durable_to_submit', count: 1 },
  ])
  for (const { count = 0, p50_ms = 0, p90_ms = 0, p99_ms = 0, max_ms = 0 } of rows) {
    t.ok(count > 0 && p50_ms > 0, 'each was measured')
    t.ok(p50_ms <= p90_ms && p90_ms <= p99_ms && p99_ms <= max_ms)
  }
  const counts = (routes as unknown as readonly { count: number }[]).map(({ count }) => count)
  t.ok(counts.length > 2)
  t.strictSame(
    counts,
    counts.toSorted((a, b) => b - a),
    'most asked first',
  )
})
