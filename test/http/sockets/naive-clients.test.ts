import t from 'tap'
import { call, inTurn } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

t.test(
  'HEAD keeps the connection, and the next answer on it begins where the last one ended',
  async (t) => {
    const direct = (await directFront(t, new FakeLink('A'))).front.port
    const gateway = (await gatewayFront(t, [new FakeLink('A')])).front.port
    for (const [port, path, status] of [
      [direct, '/api/status', 200],
      [direct, '/', 200],
      [direct, '/api/nothing', 404],
      [direct, '/api/monitor/start', 405],
      [direct, '/api/sse', 200],
      [direct, '/api/trade-records', 200],
      [gateway, '/api/v1/accounts', 200],
      [gateway, '/metrics', 200],
    ] as const) {
      const head = `HEAD ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      const answer = await inTurn(port, [head, head, get('/api/status')])
      const heads = answer.split('\r\n\r\n').slice(0, 3)
      t.equal(heads.length, 3, path)
      for (const [index, text] of heads.entries()) {
        t.match(
          text,
          index === 2 ? /^HTTP\/1\.1 200 OK\r\n/ : new RegExp(`^HTTP/1\\.1 ${status} `),
          path,
        )
        t.notMatch(text, /connection: close/i, path)
        t.equal(text.match(/content-length/gi)?.length, 1, path)
      }
    }
  },
)

t.test(
  'a slash at the end changes nothing, where it cannot stand for a name that is missing',
  async (t) => {
    const link = new FakeLink('A')
    const direct = (await directFront(t, link)).front.port
    const gateway = (await gatewayFront(t, [new FakeLink('A')])).front.port
    const rows = [
      [direct, 'GET', '/api/status/', 200],
      [direct, 'HEAD', '/api/status/', 200],
      [direct, 'GET', '/api/status/?x=1', 200],
      [direct, 'OPTIONS', '/api/status/', 204],
      [direct, 'POST', '/api/status/', 405],
      [direct, 'POST', '/api/monitor/start/', 200],
      [direct, 'GET', '/api/status//', 404],
      [direct, 'GET', '/api/', 404],
      [direct, 'GET', '/api/nothing/', 404],
      [gateway, 'GET', '/api/v1/accounts/', 200],
      [gateway, 'GET', '/api/v1/accounts/A/positions/', 200],
      [gateway, 'GET', '/api/v1/accounts//positions/', 404],
      // `stop/` with a name that is missing must not become the `stop` of everything.
      [direct, 'POST', '/api/grid/stop/', 404],
      [gateway, 'POST', '/api/v1/accounts/A/orders/', 400],
      [gateway, 'DELETE', '/api/v1/accounts/A/orders/', 404],
    ] as const
    for (const [port, method, path, status] of rows) {
      t.equal((await call(port, path, { method })).status, status, `${method} ${path}`)
    }
    t.notOk(
      link.asked.some(({ kind }) => /grid/i.test(kind)),
      'no grid was asked anything',
    )
  },
)
