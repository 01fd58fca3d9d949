import t from 'tap'
import { effectiveRoutes } from '../../http/direct/effective.ts'
import { call, directFront, FakeLink } from './fake-service.ts'

t.test('a process that was told nothing has nothing to show', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const { status, body } = await call(front.port, '/api/settings')
  t.equal(status, 200)
  t.match(body, { status: 'success', settings: [] })
})

t.test('every setting is shown with its source, a secret never with its value', async (t) => {
  const settings = [
    { path: 'market.source', value: 'replay', source: 'file', isSecret: false },
    { path: 'direct.api_token', value: 'hush', source: 'env SVC_API_TOKEN', isSecret: true },
  ]
  const context = { settings, clock: { nowMs: () => 0 } } as unknown as Parameters<
    typeof effectiveRoutes
  >[0]
  const [route] = effectiveRoutes(context)
  const reply = await route?.handle({ request: {} as never, params: {}, query: {}, body: {} })
  const text = String((reply as { body: string } | undefined)?.body)
  t.match(JSON.parse(text), {
    settings: [
      { path: 'market.source', value: 'replay', source: 'file' },
      { path: 'direct.api_token', value: '*** (4 characters)', source: 'env SVC_API_TOKEN' },
    ],
  })
  t.notMatch(text, /hush/)
})
