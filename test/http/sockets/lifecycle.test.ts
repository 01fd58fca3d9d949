import type { HttpResponse } from 'uWebSockets.js'
import { connect } from 'node:net'
import t from 'tap'
import { ListenError, listen } from '../../../http/sockets/server.ts'
import { freePort } from '../../free-ports.ts'
import { heard } from '../../in-time.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

const get = (path: string, extra = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${extra}\r\n`

t.test('a port in use is one clear error', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const again = directFront(t, new FakeLink('A'), { port: front.port })
  await t.rejects(again, { name: 'ListenError', port: front.port, reason: 'EADDRINUSE' })
  await t.rejects(again, /cannot listen on 127\.0\.0\.1:\d+: the port is in use/)
  const nowhere = directFront(t, new FakeLink('A'), { host: '203.0.113.7' })
  await t.rejects(nowhere, ListenError)
  await t.rejects(nowhere, /no such address/)
})

t.test('a port that only the last run still holds is waited for, within a limit', async (t) => {
  let waits = 0
  const bare = {
    host: '127.0.0.1',
    tls: undefined,
    waitMs: 50,
    retryMs: 10,
    waiting: () => {
      waits += 1
    },
    door: { passed: () => {}, during: (_raw: unknown, serve: () => void) => serve() },
    serve: (response: HttpResponse) => {
      response.onAborted(() => {})
      response.write('not the end')
    },
  }
  const first = await listen({ ...bare, port: 0 })
  const client = connect(first.port, '127.0.0.1')
  client.write(get('/'))
  await heard(client, 'data')
  first.closeAll() // this side says good-bye first: the system keeps the port for a minute
  await heard(client, 'close')
  const again = listen({ ...bare, port: first.port })
  await t.rejects(again, { name: 'ListenError', reason: 'EADDRINUSE' })
  t.equal(waits, 1)
})

t.test('closing lets the open request finish, refuses new ones and frees the port', async (t) => {
  const link = new FakeLink('A')
  const port = await freePort()
  const { front } = await directFront(t, link, { port })
  let answer: () => void = () => {}
  const reached = new Promise<void>((resolve) => {
    link.before = () => {
      resolve()
      return new Promise<void>((then) => {
        answer = then
      })
    }
  })
  const idle = connect(front.port, '127.0.0.1')
  await heard(idle, 'connect')
  const open = call(front.port, '/api/status')
  await reached
  const closed = front.close()
  idle.write(get('/api/status'))
  const [late] = await heard(idle, 'data')
  t.match(String(late), /^HTTP\/1\.1 503 .*STOPPING/s)
  answer()
  t.equal((await open).status, 200)
  await closed
  await t.rejects(call(front.port, '/api/status'), { code: 'ECONNREFUSED' })
  await directFront(t, new FakeLink('A'), { port })
})

t.test('a port that Windows keeps for itself is not called one below 1024', async (t) => {
  const message = (platform: NodeJS.Platform) =>
    new ListenError('127.0.0.1', 5000, 'EACCES', platform).message
  t.match(message('win32'), /excludedportrange/)
  t.notMatch(message('win32'), /1023/)
  t.match(message('linux'), /above 1023/)
})
