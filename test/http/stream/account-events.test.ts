import { hash } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import type { NamedToken } from '../../../src/config/tokens.ts'
import { heard, inTime } from '../../in-time.ts'
import { call } from '../fixtures/client.ts'
import { JournalLink } from '../fixtures/fake-journal.ts'
import { gatewayFront } from '../fixtures/fronts.ts'

const PATH = '/api/v1/accounts/A/events'
const FAST = { sseIntervalMs: 5, sseSilenceMs: 60_000 }

const statusOf = (ready: boolean): string =>
  JSON.stringify({ success: true, data: { connected: true, ready, simulation_mode: false } })

/** Reads the events of one stream, one after the other. */
class Follower {
  readonly response: IncomingMessage
  #seen = ''
  #read = 0

  constructor(response: IncomingMessage) {
    this.response = response
    response.setEncoding('utf8').on('data', (text: string) => {
      this.#seen += text
    })
  }
  async next(): Promise<Record<string, unknown>> {
    for (;;) {
      const all = [...this.#seen.matchAll(/^data: (.*)\n\nid: .*\n\n/gm)]
      const [, data] = all[this.#read] ?? []
      if (data !== undefined) {
        this.#read += 1
        return JSON.parse(data) as Record<string, unknown>
      }
      await heard(this.response, 'data')
    }
  }
}

async function follow(t: Test, port: number, headers = {}): Promise<Follower> {
  const request = get({ host: '127.0.0.1', port, path: PATH, agent: false, headers })
  t.teardown(() => request.destroy())
  const [response] = (await heard(request, 'response')) as unknown as [IncomingMessage]
  return new Follower(response)
}

t.test(
  'an account at the gateway tells what has changed, with the tags of its lists',
  async (t) => {
    const link = new JournalLink('A')
    link.texts.v1Status = statusOf(true)
    const { front } = await gatewayFront(t, [link], { limits: FAST })
    const stream = await follow(t, front.port)
    t.match(stream.response.headers['content-type'], /^text\/event-stream/)
    const first = await stream.next()
    const list = await call(front.port, '/api/v1/accounts/A/orders')
    t.match(first, { account_id: 'A', connected: true, ready: true, simulation_mode: false })
    t.equal(first['orders'], list.headers['etag'])
    t.strictSame(first['positions_update'], { version: 58, changed: true })
    link.texts.v1Orders = JSON.stringify({ success: true, data: { orders: [1] } })
    link.version += 1
    const second = await stream.next()
    t.not(second['orders'], first['orders'])
    t.equal(second['trades'], first['trades'])
    link.texts.v1Status = statusOf(false)
    link.version += 1
    t.match(await stream.next(), { ready: false })
  },
)

t.test('an account that nobody knows has no stream, and HEAD opens none', async (t) => {
  const { front } = await gatewayFront(t, [new JournalLink('A')], { limits: FAST })
  t.equal((await call(front.port, '/api/v1/accounts/B/events')).status, 404)
  t.equal((await call(front.port, PATH, { method: 'HEAD' })).status, 200)
  t.equal((await call(front.port, PATH, { method: 'POST' })).status, 405)
})

t.test('all accounts share the limit of streams', async (t) => {
  const links = [new JournalLink('A'), new JournalLink('B')]
  const { front } = await gatewayFront(t, links, { limits: { ...FAST, sseClientsMax: 1 } })
  await follow(t, front.port)
  const refused = await call(front.port, '/api/v1/accounts/B/events')
  t.match(refused, { status: 503, body: { code: 'OVERLOADED' } })
})

t.test('a stream ends with its token, and needs one', async (t) => {
  const token: NamedToken = {
    name: 'desk',
    hash: `sha256:${hash('sha256', 'desk-token', 'hex')}`,
    scope: 'view',
    accounts: ['A'],
    expires: '',
  }
  let changed = (): void => undefined
  const tokens = {
    tokens: [token] as readonly NamedToken[],
    isKept: true,
    onChange: (listener: () => void) => {
      changed = listener
    },
  }
  const links = [new JournalLink('A'), new JournalLink('B')]
  const { front } = await gatewayFront(t, links, { tokens, limits: FAST })
  const headers = { 'X-API-Token': 'desk-token' }
  t.equal((await call(front.port, PATH)).status, 401)
  t.not((await call(front.port, '/api/v1/accounts/B/events', { headers })).status, 200)
  const stream = await follow(t, front.port, headers)
  await stream.next()
  const ended = heard(stream.response, 'end')
  tokens.tokens = []
  changed()
  await inTime(ended, 'the end of a stream whose token was withdrawn')
})
