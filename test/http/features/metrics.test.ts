import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

t.test(
  'the figures of every account, and of one, under the names of existing clients',
  async (t) => {
    const [first, second] = [new FakeLink('A'), new FakeLink('B')]
    const { front } = await gatewayFront(t, [first, second])
    const ops = { query_positions: { total: 2, success: 1, error: 1, timeout: 0, error_calls: 1 } }
    const all = await call(front.port, '/api/v1/metrics')
    t.match(all.body, {
      success: true,
      data: { A: { total_calls: 2, ops }, B: { error_rate: 0.5 } },
    })
    const one = await call(front.port, '/api/v1/metrics/A')
    t.match(one.body, { success: true, data: { error_calls: 1, last_error_msg: 'refused', ops } })
    t.match(await call(front.port, '/api/v1/metrics/C'), {
      status: 404,
      body: { code: 'UNKNOWN_ACCOUNT' },
    })
  },
)

t.test('an account that cannot answer is told so, and the others are there', async (t) => {
  const [first, second] = [new FakeLink('A'), new FakeLink('B')]
  second.before = () => {
    throw new ServiceError('ACTOR_RESTARTING', 'is restarting')
  }
  const { front } = await gatewayFront(t, [first, second])
  const { body } = await call(front.port, '/api/v1/metrics')
  t.match(body.data, { A: { total_calls: 2 }, B: { code: 'ACTOR_RESTARTING' } })
  t.equal((await call(front.port, '/api/v1/metrics/B')).status, 503)
})

t.test(
  'the text for Prometheus needs the token and is of one account in direct mode',
  async (t) => {
    const { front, service } = await directFront(t, new FakeLink('A'), { token: 'secret' })
    t.equal((await call(front.port, '/metrics')).status, 401)
    const headers = { 'X-API-Token': 'secret' }
    const answer = await call(front.port, '/metrics', { headers })
    t.match(answer, { status: 200, text: 'up 1\n', headers: { 'content-type': /^text\/plain/ } })
    t.strictSame(
      ['A', 'B'].map((account) => service.metrics.sees?.(account)),
      [true, false],
    )
  },
)

t.test('metrics of all nodes are for who may see all of them', async (t) => {
  const token = 'a-token-of-this-test-0123456789abcdef'
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(token))
  const hash = `sha256:${Buffer.from(digest).toString('hex')}`
  const named = { name: 'some', hash, scope: 'view' as const, accounts: ['A'], expires: '' }
  const { front, service } = await gatewayFront(t, [new FakeLink('A')], {
    token: 'secret',
    tokens: [named],
  })
  const path = '/metrics?nodes=all'
  const whole = { headers: { 'X-API-Token': 'secret' } }
  t.match(await call(front.port, path, whole), { status: 404, body: { message: /in no cluster/ } })
  service.metrics.ofNodes = 'up{told_by="n1"} 1\n'
  t.equal((await call(front.port, path)).status, 401)
  const refused = await call(front.port, path, { headers: { 'X-API-Token': token } })
  t.match(refused, { status: 403, body: { code: 'SCOPE_REFUSED', message: /nodes=all/ } })
  t.match(await call(front.port, path, whole), { status: 200, text: 'up{told_by="n1"} 1\n' })
  t.equal((await call(front.port, '/metrics?nodes=some', whole)).status, 400)
  t.equal((await call(front.port, '/metrics', whole)).text, 'up 1\n')
})

t.test(
  'how long things take is told to who may look, of the account of this listener',
  async (t) => {
    const { front, service } = await directFront(t, new FakeLink('A'), { token: 'secret' })
    t.equal((await call(front.port, '/api/latency')).status, 401)
    const headers = { 'X-API-Token': 'secret' }
    const { status, body } = await call(front.port, '/api/latency', { headers })
    t.equal(status, 200)
    const spread = { count: 4, p50_ms: 0.125, p90_ms: 0.5, p99_ms: 2, max_ms: 3 }
    t.strictSame(body.data, {
      uptime_seconds: 61,
      paths: [
        { path: 'tick_to_step', ...spread },
        { path: 'step_to_durable', ...spread },
      ],
      routes: [{ backend: 'direct', method: 'GET', route: '/api/orders', ...spread }],
    })
    t.strictSame(body.paths, body.data.paths, 'at top level too')
    t.strictSame(
      ['A', 'B'].map((account) => service.metrics.sees?.(account)),
      [true, false],
    )
  },
)

t.test('requests are counted by route, never by what was asked for', async (t) => {
  const { front, service } = await gatewayFront(t, [new FakeLink('A')])
  for (const path of ['/api/v1/metrics/A', '/api/v1/metrics/B', '/api/v1/nothing/1', '/x/2']) {
    await call(front.port, path)
  }
  const rows = service.metrics.stats.flatMap((stats) => stats.rows())
  t.strictSame(
    rows.map(({ method, path, byStatus, latency }) => [method, path, [...byStatus], latency.count]),
    [
      [
        'GET',
        '/api/v1/metrics/{account_id}',
        [
          [200, 1],
          [404, 1],
        ],
        2,
      ],
      ['', '', [[404, 2]], 2],
    ],
  )
})
