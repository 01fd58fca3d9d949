import t from 'tap'
import { call } from '../fixtures/client.ts'
import { FakeLink, restarting } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const TOKEN = 'a-token-of-this-test-0123456789abcdef'
const named = async (token: string, accounts: string[]) => {
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(token))
  const hash = `sha256:${Buffer.from(digest).toString('hex')}`
  return { name: 'some', hash, scope: 'view' as const, accounts, expires: '' }
}

t.test('all accounts in one answer; one that says nothing says why', async (t) => {
  const [a, b] = [new FakeLink('A'), new FakeLink('B')]
  a.alias = '稳健'
  b.isReduced = true
  b.before = () => {
    throw restarting()
  }
  const { front } = await gatewayFront(t, [a, b])
  const { status, body } = await call(front.port, '/api/v1/overview')
  t.equal(status, 200)
  t.match(body.data.accounts, [
    {
      account_id: 'A',
      alias: '稳健',
      is_reduced: false,
      fault: null,
      overview: { driver: 'paper' },
    },
    {
      account_id: 'B',
      alias: '',
      is_reduced: true,
      fault: { code: 'ACTOR_RESTARTING' },
      overview: null,
    },
  ])
})

t.test('a name is told wherever accounts are listed', async (t) => {
  const [a, b] = [new FakeLink('A'), new FakeLink('B')]
  b.alias = '进取'
  const { front } = await gatewayFront(t, [a, b])
  for (const path of ['/api/accounts', '/api/v1/accounts']) {
    const { data } = (await call(front.port, path)).body
    t.strictSame(data, { accounts: ['A', 'B'], aliases: { B: '进取' } }, path)
  }
})

t.test('direct mode tells where the other consoles are, to whom they are for', async (t) => {
  const own = new FakeLink('A', 0)
  const tokens = [await named(TOKEN, ['A', 'C'])]
  const { front, service } = await directFront(t, own, {
    token: 'the-single-one-0123456789',
    tokens,
  })
  service.links.push(new FakeLink('B', 1), new FakeLink('C'))
  const all = await call(front.port, '/api/consoles', {
    headers: { 'X-API-Token': 'the-single-one-0123456789' },
  })
  t.match(all.body.accounts, [
    { account_id: 'A', is_this: true, is_here: true, port: 5_000, overview: { driver: 'paper' } },
    { account_id: 'B', is_this: false, is_here: true, port: 5_001 },
    { account_id: 'C', is_this: false, is_here: false, port: null },
  ])
  const some = await call(front.port, '/api/consoles', { headers: { 'X-API-Token': TOKEN } })
  t.strictSame(
    some.body.accounts.map(({ account_id }: { account_id: string }) => account_id),
    ['A', 'C'],
  )
  t.equal((await call(front.port, '/api/consoles')).status, 401)
})
