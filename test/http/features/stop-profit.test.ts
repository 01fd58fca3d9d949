import t from 'tap'
import { call, post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { gatewayFront } from '../fixtures/fronts.ts'

const TOGGLE = '/api/v1/stop-profit/toggle'

t.test('what switches the module on or off, and what does neither', async (t) => {
  const { front } = await gatewayFront(t, [new FakeLink('A')])
  const send = (query: string, body?: object) =>
    call(front.port, `${TOGGLE}${query}`, { method: 'POST', ...(body && { body }) })
  const config = async (enabled: boolean) =>
    t.equal((await post(front.port, '/api/v1/stop-profit/config', { enabled })).status, 200)
  const isRunning = async () =>
    (await call(front.port, '/api/v1/stop-profit/status')).body.data.running

  const told: readonly (readonly [string, object | undefined, boolean])[] = [
    ['?enabled=true', undefined, true],
    ['?enabled=false', undefined, false],
    ['?enabled=false', {}, false],
    ['?enabled=false&_=1754875800000', undefined, false],
    ['', { enabled: false }, false],
    ['', { enabled: true }, true],
    ['?enabled=true', { enabled: true }, true],
    ['', undefined, true],
    ['', {}, true],
  ]
  for (const [query, body, enabled] of told) {
    const name = `${query} ${JSON.stringify(body)}`
    await config(!enabled)
    t.match((await send(query, body)).body, { success: true, data: { enabled } }, name)
    t.equal(await isRunning(), enabled, name)
  }
  const unclear: readonly (readonly [string, object | undefined])[] = [
    ['?enable=false', undefined],
    ['?Enabled=false', undefined],
    ['?enabled=', undefined],
    ['?enabled=False', undefined],
    ['', { enable: false }],
    ['', { enabled: 'false' }],
    ['?enabled=true', { enabled: false }],
  ]
  for (const [query, body] of unclear) {
    const name = `${query} ${JSON.stringify(body)}`
    await config(false)
    const { status, body: answer } = await send(query, body)
    t.equal(status, 400, name)
    t.match(answer, { code: 'VALIDATION', details: { enabled: [/enabled/] } }, name)
    t.equal(await isRunning(), false, name)
  }
})
