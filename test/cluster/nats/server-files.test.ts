import { existsSync } from 'node:fs'
import t from 'tap'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

t.test(
  'a server keeps its files when its test asks for a folder of its own',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    t.testdir()
    t.ok(existsSync(server?.folder ?? ''))
  },
)
