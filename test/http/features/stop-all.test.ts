import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { call, post } from '../fixtures/client.ts'
import { FakeLink, restarting } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const MASTER = 'the-master-token-of-this-test-0001'
const text = (name: string) => `token-${name}-0123456789abcdef0123456789`
const hashOf = async (token: string) =>
  `sha256:${Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token))).toString('hex')}`
const named = async (name: string, scope: 'trade' | 'admin', accounts: string[]) => ({
  name,
  hash: await hashOf(text(name)),
  scope,
  accounts,
  expires: '',
})
const as = (name: string) => ({ 'X-API-Token': text(name) })
const STANDS = { level: 'all', level_in_force: 'all', open_orders: 2 }

function stoppable(accountId: string, index?: number): FakeLink {
  const link = new FakeLink(accountId, index)
  link.answers.setKillSwitch = { fields: STANDS }
  return link
}

t.test('all accounts are stopped by one request, each for itself, and only upwards', async (t) => {
  const links = [stoppable('A'), stoppable('B')]
  const { front } = await gatewayFront(t, links)
  const sent = { level: 'all', reason: ' exchange is down ' }
  const { status, body } = await post(front.port, '/api/v1/kill-switch', sent)
  t.equal(status, 200)
  t.match(body.data, { level: 'all', is_complete: true, done: 2, failed: 0, unreachable: 0 })
  t.match(body.data.accounts, [
    { account_id: 'A', result: 'done', ...STANDS, fault: null },
    { account_id: 'B', result: 'done', ...STANDS, fault: null },
  ])
  for (const link of links) {
    t.match(link.asked, [
      {
        kind: 'setKillSwitch',
        level: 'all',
        reason: 'exchange is down',
        isRaiseOnly: true,
        source: /^http\/gateway\//,
      },
    ])
  }
})

t.test(
  'one that hangs, restarts or refuses is told as such, and the others are stopped',
  async (t) => {
    const [good, hung, away, broken] = ['A', 'B', 'C', 'D'].map((id) => stoppable(id)) as [
      FakeLink,
      FakeLink,
      FakeLink,
      FakeLink,
    ]
    hung.before = () => {
      throw new ServiceError('DEADLINE_EXCEEDED', 'no answer in time')
    }
    away.before = () => {
      throw restarting()
    }
    broken.before = () => {
      throw new Error('a bug')
    }
    const { front } = await gatewayFront(t, [hung, away, broken, good])
    const { status, body } = await post(front.port, '/api/v1/kill-switch', { level: 'entries' })
    t.equal(status, 207)
    t.match(body.data, { is_complete: false, done: 1, failed: 1, unreachable: 2 })
    t.match(body.data.accounts, [
      { account_id: 'B', result: 'unreachable', level: null, fault: { code: 'DEADLINE_EXCEEDED' } },
      { account_id: 'C', result: 'unreachable', fault: { code: 'ACTOR_RESTARTING' } },
      { account_id: 'D', result: 'failed', fault: { code: 'INTERNAL', message: 'internal error' } },
      { account_id: 'A', result: 'done' },
    ])
    t.ok(hung.options[0] && hung.options[0].timeoutMs <= 4_000, 'each has a time of its own')
  },
)

t.test('what is wrong stops nobody', async (t) => {
  const links = [stoppable('A'), stoppable('B')]
  const { front } = await gatewayFront(t, links)
  const bodies = [
    {},
    { level: 'off' },
    { level: 'all', accounts: [] },
    { level: 'all', accounts: ['A', 'Z'] },
    { level: 'all', accounts: ['../A'] },
    { level: 'all', accounts: 'A' },
    { level: 'all', account: ['A'] }, // spelled wrong, it would be all of them
    { level: 'all', reason: 'x'.repeat(201) },
  ]
  for (const body of bodies) {
    const answer = await post(front.port, '/api/v1/kill-switch', body)
    t.match(answer, { status: 400, body: { code: 'VALIDATION' } }, JSON.stringify(body))
  }
  t.strictSame(
    links.map(({ asked }) => asked),
    [[], []],
  )
})

t.test(
  'a token stops the accounts that it is for, and needs the right of the switch',
  async (t) => {
    const tokens = await Promise.all([
      named('adminOfB', 'admin', ['B']),
      named('traderOfB', 'trade', ['B']),
    ])
    const [a, b] = [stoppable('A'), stoppable('B')]
    const { front } = await gatewayFront(t, [a, b], { token: MASTER, tokens })
    const ask = (headers: Record<string, string>, body: object) =>
      call(front.port, '/api/v1/kill-switch', { method: 'POST', headers, body })
    t.equal((await ask({}, { level: 'all' })).status, 401)
    t.match(await ask(as('traderOfB'), { level: 'all' }), {
      status: 403,
      body: { code: 'SCOPE_REFUSED' },
    })
    t.equal((await ask(as('adminOfB'), { level: 'all', accounts: ['A', 'B'] })).status, 400)
    t.strictSame([a.asked, b.asked], [[], []])
    const { body } = await ask(as('adminOfB'), { level: 'all' })
    t.match(body.data.accounts, [{ account_id: 'B', result: 'done' }])
    t.equal(body.data.accounts.length, 1)
    t.strictSame([a.asked.length, b.asked.length], [0, 1])
  },
)

t.test(
  'direct mode stops what its process serves, and no page of another origin may',
  async (t) => {
    const links = [stoppable('A', 0), stoppable('B', 1)]
    const { front, service } = await directFront(t, links[0] as FakeLink)
    service.links.push(links[1] as FakeLink)
    const path = '/api/kill-switch/all'
    const foreign = { Origin: 'http://evil.example' }
    const refused = await call(front.port, path, {
      method: 'POST',
      headers: foreign,
      body: { level: 'all' },
    })
    t.equal(refused.status, 403)
    const { status, body } = await post(front.port, path, { level: 'all', accounts: ['B'] })
    t.equal(status, 200)
    t.match(body, { status: 'success', is_complete: true, done: 1, data: { done: 1 } })
    t.strictSame(
      links.map(({ asked }) => asked.length),
      [0, 1],
    )
  },
)
