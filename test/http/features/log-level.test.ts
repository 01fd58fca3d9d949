import t from 'tap'
import { call, post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

t.test('the log level is shown and changed on both backends', async (t) => {
  const link = new FakeLink('A')
  const { front: direct, service } = await directFront(t, link)
  const changed = await post(direct.port, '/api/logs/level', { level: 'debug' })
  t.match(changed, { status: 200, body: { status: 'success', data: { level: 'debug' } } })
  t.equal(service.logs.level(), 'debug')
  t.match((await call(direct.port, '/api/logs/level')).body, { level: 'debug' })
  const { front: gateway } = await gatewayFront(t, [link])
  const path = '/api/v1/logs/level'
  t.match((await call(gateway.port, path)).body, { success: true, data: { level: 'info' } })
  t.match(await post(gateway.port, path, { level: 'warn' }), { body: { data: { level: 'warn' } } })
  for (const wrong of [{}, { level: 'loud' }, { level: 1 }]) {
    t.match(await post(gateway.port, path, wrong), {
      status: 400,
      body: { details: { level: [] } },
    })
  }
})

t.test('an account number in a path does not reach the log', async (t) => {
  const { front, logged } = await gatewayFront(t, [new FakeLink('10000001')])
  await call(front.port, '/api/v1/accounts/20000002/positions')
  await call(front.port, '/api/v1/metrics/20000002')
  t.strictSame(
    logged.map(({ fields }) => fields['path']),
    ['/api/v1/accounts/****0002/positions', '/api/v1/metrics/****0002'],
  )
})
