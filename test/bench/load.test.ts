import { createServer, type Server, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { type Job, Load } from '../../bench/kit/load.ts'
import { heard, PATIENCE_MS } from '../in-time.ts'

/** Answers every request that has come whole; `reply` gets its text. */
async function serve(t: Test, reply: (socket: Socket, request: string) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('data', (bytes) => reply(socket, bytes.toString('latin1')))
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await heard(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function loadOf(t: Test): Promise<Load> {
  const load = new Load()
  t.teardown(() => load.close())
  return load
}

const job = (port: number): Job => ({
  ports: [port],
  connections: 4,
  method: 'GET',
  path: '/a',
  ms: PATIENCE_MS, // it ends with the last of its requests
  requests: 100,
})

t.test('every request is answered before the next one on its connection', async (t) => {
  let requests = 0
  const port = await serve(t, (socket, request) => {
    requests += request.split('GET /a HTTP/1.1\r\n').length - 1
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')
  })
  const figures = await (await loadOf(t)).run(job(port))
  t.equal(requests, 100)
  t.equal(figures['requests'], 100)
  t.ok((figures['p99Us'] ?? 0) >= (figures['p50Us'] ?? 0))
})

t.test('an answer may come in pieces', async (t) => {
  const port = await serve(t, (socket) => {
    socket.setNoDelay(true)
    const pieces = ['HTTP/1.1 200 OK\r\ncontent-', 'length: 6\r\n\r', '\nabc', 'def']
    const next = (): void => {
      const piece = pieces.shift()
      if (piece !== undefined) socket.write(piece, () => setImmediate(next))
    }
    next()
  })
  const figures = await (await loadOf(t)).run({ ...job(port), connections: 1, requests: 20 })
  t.equal(figures['requests'], 20)
})

t.test('a POST carries its body', async (t) => {
  const seen: string[] = []
  const port = await serve(t, (socket, request) => {
    seen.push(request)
    socket.write('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n')
  })
  const load = await loadOf(t)
  await load.run({ ...job(port), method: 'POST', body: '{"价":1}', connections: 1, requests: 1 })
  t.match(seen[0], /^POST \/a HTTP\/1\.1\r\n[\s\S]*Content-Length: 9\r\n/)
})

t.test('each request can carry its own number', async (t) => {
  const bodies: string[] = []
  const port = await serve(t, (socket, request) => {
    bodies.push(request.split('\r\n\r\n')[1] ?? '')
    socket.write('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n')
  })
  const numbered = { ...job(port), method: 'POST', body: '{n}', firstNumber: 9 } as const
  await (await loadOf(t)).run({ ...numbered, connections: 1, requests: 3 })
  t.strictSame(bodies, ['9', '10', '11'])
})

t.test('a refusal or a broken connection is an error, not a fast answer', async (t) => {
  const load = await loadOf(t)
  const refusing = await serve(t, (socket) => {
    socket.write('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
  })
  await t.rejects(load.run(job(refusing)), /bad answers/)
  const breaking = await serve(t, (socket) => socket.destroy())
  await t.rejects(load.run(job(breaking)), /bad answers/)
})
