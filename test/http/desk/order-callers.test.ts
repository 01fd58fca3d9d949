import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { inTime } from '../../in-time.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const ORDER = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5 }
const SALE = { stock_code: '600036', quantity: 100 }

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

function ask(socket: Socket, path: string, order: object): void {
  const body = JSON.stringify(order)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${socket.remotePort}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
}

t.test('a caller who leaves while an order waits has it withdrawn', async (t) => {
  const link = new FakeLink('A', 0)
  const gateway = await gatewayFront(t, [link])
  const direct = await directFront(t, link)
  for (const [port, path, order] of [
    [gateway.front.port, '/api/v1/accounts/A/orders', ORDER],
    [direct.front.port, '/api/actions/execute_sell', SALE],
  ] as const) {
    const asked = Promise.withResolvers<void>()
    const withdrawn = Promise.withResolvers<string>()
    link.withdraw = withdrawn.resolve
    link.before = (kind) => {
      if (kind === 'noteTold') return // what the front says by itself, of answers that got lost
      asked.resolve()
      return withdrawn.promise.then(() => undefined)
    }
    const socket = await connected(port)
    ask(socket, path, order)
    await inTime(asked.promise, 'the order')
    socket.destroy()
    const id = await inTime(withdrawn.promise, 'its withdrawal')
    const asking = link.options.find(({ correlationId }) => correlationId === id)
    t.ok(asking?.startWithinMs, 'it is the order, which must be begun soon')
  }
})

t.test(
  'an order that comes together with the end of its connection is not asked for',
  async (t) => {
    const link = new FakeLink('A', 0)
    const { front } = await gatewayFront(t, [link])
    const sockets = await Promise.all(Array.from({ length: 20 }, () => connected(front.port)))
    // Nobody looks at the sockets of the front before this is over: they hold order and end alike.
    for (const socket of sockets) {
      ask(socket, '/api/v1/accounts/A/orders', ORDER)
      socket.destroy()
    }
    const last = await fetch(`http://127.0.0.1:${front.port}/api/v1/accounts`)
    t.equal(last.status, 200)
    t.strictSame(link.asked, [])
  },
)
