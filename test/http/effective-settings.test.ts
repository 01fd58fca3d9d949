import t from 'tap'
import { call } from './client.ts'
import { directFront, FakeLink } from './fake-service.ts'

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
  const { front } = await directFront(t, new FakeLink('A'), { settings })
  const { body, text } = await call(front.port, '/api/settings')
  t.match(body, {
    settings: [
      { path: 'market.source', value: 'replay', source: 'file' },
      { path: 'direct.api_token', value: '*** (4 characters)', source: 'env SVC_API_TOKEN' },
    ],
  })
  t.notMatch(text, /hush/)
})
