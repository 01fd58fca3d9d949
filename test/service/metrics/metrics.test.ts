import { spawnSync } from 'node:child_process'
import t from 'tap'
import { get, post, serve, until } from '../fixture.ts'
import { HELD, linesOf, MONDAY, Stage } from '../fixtures/ticks.ts'

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
    t.match(text, /^steward_account_resting\{account="\*\*\*\*0002"\} 0$/m)
    t.match(text, /^steward_account_master_switch\{account="\*\*\*\*0002"\} 0$/m)
    t.match(text, /^steward_account_simulation\{account="\*\*\*\*0002"\} 0$/m)
    t.match(text, /^steward_account_restarts_total\{account="\*\*\*\*0001"\} 0$/m)
    t.match(text, /^steward_store_commit_seconds_count\{account="\*\*\*\*0001"\} [1-9]/m)
    t.match(text, /route="\/api\/v1\/accounts\/\{account_id\}\/orders",status="201"\} 1$/m)
    t.match(text, /^steward_journal_head\{account="\*\*\*\*0001",head="[0-9a-f]{64}"\} [1-9]\d*$/m)
    t.match(text, /^nodejs_eventloop_lag_seconds /m)
    // Seconds with many digits contain the like of it by chance.
    t.notMatch(text, /(?<![\d.])1000000\d(?!\d)/, 'no account number')
    await fetch(`${direct[1]}/metrics`) // for it to have something to count
    const texts: string[] = []
    for (const url of [gateway, ...direct]) texts.push(await (await fetch(`${url}/metrics`)).text())
    const all = texts.flatMap(seriesOf)
    t.equal(new Set(all).size, all.length, 'whoever scrapes every front counts nothing twice')
    const [atGateway = '', own = '', other = ''] = texts
    t.match(other, /backend="direct",account="\*\*\*\*0002",method="GET",route="\/metrics"/)
    t.match(own, /account="\*\*\*\*0001"/)
    t.notMatch(own, /account="\*\*\*\*0002"/, 'direct mode tells of its own account')
    t.match(atGateway, /^xqm_account_connected\{/m)
    t.notMatch(
      own,
      /^(xqm_|process_|nodejs_|steward_disk)/m,
      'what the gateway tells is told there',
    )
    const whole = await (await fetch(`${direct[0]}/metrics?whole=true`)).text()
    t.match(
      whole,
      /^xqm_account_connected\{account="\*\*\*\*0001"\} 1$/m,
      'unless all is asked for',
    )
    t.match(whole, /^nodejs_eventloop_lag_seconds /m)
    t.equal((await fetch(`${gateway}/metrics?whole=maybe`)).status, 400)
    t.test('promtool reads all of it', { skip: PROMTOOL_MISSING }, (t) => {
      for (const text of [...texts, whole]) t.strictSame(faultsOf(text), [])
      t.match(faultsOf('steward_a_total 1\nsteward_a_total 1\n'), [/./], 'and would find a fault')
      t.end()
    })
  },
)

const PROMTOOL_MISSING =
  spawnSync('promtool', ['--version']).status !== 0 && 'promtool is not installed'

/** Names that are not ours to choose: those of prom-client, and one that existing boards read. */
const NAMES_OF_OTHERS = /^(nodejs_active_\w+|xqm_call_latency_ms) /

/** What promtool has to say of an exposition. */
function faultsOf(input: string): readonly string[] {
  const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input,
    encoding: 'utf8',
  })
  const lines = `${stdout}${stderr}`.split('\n')
  return lines.filter((line) => line !== '' && !NAMES_OF_OTHERS.test(line))
}

const seriesOf = (text: string): readonly string[] => text.match(/^[a-z]\w*(\{.*\})?(?= )/gm) ?? []

t.test(
  'a process that runs an account tells of it, and the gateway of another does not',
  async (t) => {
    const folder = t.testdir()
    const owner = await serve(t, { folder, scope: { kind: 'direct', accountId: ID } })
    const gateway = await serve(t, { folder, scope: { kind: 'gateway' } })
    const read = async (url: string) => (await fetch(`${url}/metrics`)).text()
    const [own, atGateway] = [await read(owner.service.urls[0] ?? ''), await read(gateway.gateway)]
    t.match(own, /^xqm_account_connected\{account="\*\*\*\*0001"\} 1$/m)
    t.match(own, /^process_resident_memory_bytes /m, 'and of itself')
    t.match(atGateway, /^xqm_account_connected\{account="\*\*\*\*0002"\} /m)
    t.notMatch(atGateway, /^xqm_\w+\{account="\*\*\*\*0001"/m)
    t.match(
      atGateway,
      /^steward_account_elsewhere\{account="\*\*\*\*0001"\} 1$/m,
      'but says who does',
    )
    t.match(
      await (await fetch(`${gateway.gateway}/metrics?whole=true`)).text(),
      /^xqm_account_connected\{account="\*\*\*\*0001"/m,
    )
  },
)

t.test('F999 what was called is still counted when the account is started anew', async (t) => {
  const { gateway } = await serve(t)
  const order = { stock_code: '600036.SH', order_type: 23, order_volume: 100, price_type: 5 }
  const placed = await post(`${gateway}/api/v1/accounts/${ID}/orders`, { ...order, price: 0 })
  t.equal(placed.status, 201)
  interface Figures {
    readonly ops: Readonly<Record<string, { readonly total: number }>>
    readonly uptime_seconds: number
  }
  const figures = async () =>
    (await get(`${gateway}/api/v1/metrics/${ID}`)).body['data'] as unknown as Figures | null
  const asked = (of: Figures | null): number => of?.ops['query_orders']?.total ?? 0
  const before = await figures()
  t.equal((await post(`${gateway}/api/v1/accounts/${ID}/restart`, {})).status, 200)
  const after = await until(figures, (now) => asked(now) > asked(before))
  t.match(after?.ops, { order_stock: { total: 1, success: 1, error: 0 } })
  t.ok((after?.uptime_seconds ?? 0) >= (before?.uptime_seconds ?? 0), 'for as long as it says')
})

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

t.test('F714 who watches by metrics sees that the master switch is off', async (t) => {
  const { gateway, direct } = await serve(t)
  const figures = async () => {
    const text = await (await fetch(`${gateway}/metrics`)).text()
    return text.split('\n').filter((line) => /^steward_account_(master|simulation)/.test(line))
  }
  const of = (master: number, simulation: number) => [
    `steward_account_master_switch{account="****0001"} ${master}`,
    'steward_account_master_switch{account="****0002"} 0',
    `steward_account_simulation{account="****0001"} ${simulation}`,
    'steward_account_simulation{account="****0002"} 0',
  ]
  await post(`${direct[0]}/api/monitor/start`, {})
  t.strictSame(await figures(), of(1, 0))
  await post(`${direct[0]}/api/config/save`, { simulationMode: true })
  t.strictSame(await figures(), of(1, 1))
  await post(`${direct[0]}/api/monitor/stop`, {})
  t.strictSame(await figures(), of(0, 1))
})
