import { join } from 'node:path'
import t, { type Test } from 'tap'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { get, type Served, until } from '../fixture.ts'
import { at, clusterServer, order, ordered, ordersAt, startNode } from '../fixtures/cluster.ts'

const runs = async ({ gateway }: Served): Promise<string> => {
  const { body } = await get(`${gateway}/api/v1/nodes`)
  return JSON.stringify(body['data']?.['accounts'] ?? body)
}

interface Node extends Served {
  isFull: boolean
}

/** Short, so that a change of nodes is waited for in seconds. */
const ROOM = { room_ms: 1_000, room_again_ms: 2_000 }

async function node(t: Test, folder: string, name: string, url: string): Promise<Node> {
  const disk = { isFull: false }
  const freeBytes = async () => (disk.isFull ? 0 : Number.POSITIVE_INFINITY)
  const limits = { cluster: ROOM, store: { free_space_check_ms: 100 } }
  return Object.assign(
    disk,
    await startNode(t, join(folder, name), name, { url, limits, serve: { freeBytes } }),
  )
}

t.test(
  'F463 an account whose node has no room is run by one that has, and stays where none has',
  { skip: NO_SERVERS },
  async (t) => {
    const folder = t.testdir()
    const { url } = await clusterServer(t)
    const one = await node(t, folder, 'node-a', url)
    await ordered(one.gateway, 'first', 32)
    const two = await node(t, folder, 'node-b', url)
    await ordersAt(two.gateway)
    one.isFull = true
    await until(
      () => runs(one),
      (places) => places.includes('node-b'),
    )
    await ordered(one.gateway, 'second', 32.5)
    const { body } = await get(`${at(two.gateway)}/orders`)
    t.match(body, { data: { orders: { length: 2 } } })
    two.isFull = true
    let attempts = 0
    await until(
      () => order(two.gateway, `attempt-${attempts++}`, 32.2),
      ({ body }) => String(body['code']) === 'DISK_FULL',
    )
    t.match(await runs(two), /node-b/, 'the other one has no room either')
    t.equal((await get(`${at(one.gateway)}/orders`)).status, 200, 'it is read all the same')
    one.isFull = false
    await until(
      () => runs(two),
      (places) => places.includes('node-a'),
    )
    await ordered(two.gateway, 'third', 32.7)
  },
)
