import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { examineStreams, provision } from '../../../src/cluster/nats/provision.ts'
import { openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const NAMES = ['J0', 'J1', 'J2', 'J3', 'KV_CTL', 'KV_SNAP']
const CALL_MS = 5_000

t.test('streams are made once, and looked at ever after', { skip: NO_SERVERS }, async (t) => {
  const [server] = await natsServers(t, { count: 1 })
  const line = await openLine(t, [server?.url ?? ''])
  const settings = streamSettings(1)

  const before = await examineStreams(line, settings, CALL_MS)
  t.strictSame(
    before,
    NAMES.map((stream) => ({ stream, state: 'missing', differences: [] })),
  )
  const made = await provision(line, settings, CALL_MS)
  t.strictSame(
    made,
    NAMES.map((stream) => ({ stream, state: 'made', differences: [] })),
    'the server took every setting as it is wanted',
  )
  const again = await provision(line, settings, CALL_MS)
  t.strictSame(
    again,
    NAMES.map((stream) => ({ stream, state: 'present', differences: [] })),
  )
})

t.test(
  'no single record is deleted, whatever a user may: a journal has no hole, a snapshot all its parts',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    const line = await openLine(t, [server?.url ?? ''])
    await provision(line, streamSettings(1), CALL_MS)
    const { streams } = await jetstreamManager(line.connection, { timeout: CALL_MS })
    for (const stream of NAMES) {
      await t.rejects(streams.deleteMessage(stream, 1), /not permitted/, stream)
    }
  },
)

t.test('what differs is told, and not changed', { skip: NO_SERVERS }, async (t) => {
  const [server] = await natsServers(t, { count: 1 })
  const line = await openLine(t, [server?.url ?? ''])
  await provision(line, streamSettings(1), CALL_MS)
  const wanted = streamSettings(3, { journalBytesMax: 1024 * 1024 })
  const found = await provision(line, wanted, CALL_MS)
  t.strictSame(found[0], {
    stream: 'J0',
    state: 'present',
    differences: [
      { setting: 'num_replicas', is: 1, should: 3 },
      { setting: 'max_bytes', is: 64 * 1024 * 1024, should: 1024 * 1024 },
    ],
  })
  t.strictSame(await examineStreams(line, streamSettings(1), CALL_MS).then((all) => all[0]), {
    stream: 'J0',
    state: 'present',
    differences: [],
  })
})
