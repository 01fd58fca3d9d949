import t from 'tap'
import { get, post, serve } from './fixture.ts'

const ID = '10000001'

t.test(
  'what an order costs is seen by existing clients and by Prometheus, without account numbers',
  async (t) => {
    const { gateway, direct } = await serve(t)
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

    const text = await (await fetch(`${gateway}/metrics`)).text()
    t.match(
      text,
      /^xqm_calls_total\{account="\*\*\*\*0001",op="order_stock",result="success"\} 1$/m,
    )
    t.match(text, /^xqm_account_connected\{account="\*\*\*\*0002"\} 1$/m)
    t.match(text, /^steward_account_restarts_total\{account="\*\*\*\*0001"\} 0$/m)
    t.match(text, /^steward_store_commit_seconds_count\{account="\*\*\*\*0001"\} [1-9]/m)
    t.match(text, /route="\/api\/v1\/accounts\/\{account_id\}\/orders",status="201"\} 1$/m)
    t.match(text, /^nodejs_eventloop_lag_seconds /m)
    t.notMatch(text, /1000000\d/, 'no account number')
    const own = await (await fetch(`${direct[0]}/metrics`)).text()
    t.match(own, /account="\*\*\*\*0001"/)
    t.notMatch(own, /account="\*\*\*\*0002"/, 'direct mode tells of its own account')
  },
)
