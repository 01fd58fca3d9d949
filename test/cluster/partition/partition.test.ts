import '../fixtures/own-network.ts'
import t from 'tap'
import { NO_SERVERS } from '../fixtures/nats-servers.ts'
import { NO_NAMESPACES } from '../fixtures/network.ts'
import { judge, report } from '../soak/fixtures/report.ts'
import { soak } from '../soak/fixtures/soak.ts'

t.test(
  'F189 computers with a network each, whose lines are cut one way or both: each order once, by its owner',
  { skip: NO_SERVERS || NO_NAMESPACES },
  async (t) => {
    const soaked = await soak(t, {
      seed: 3,
      faults: ['node lost', 'leader cut off', 'node lost', 'server cut off', 'broker cut off'],
      servers: 3,
      accounts: 3,
      isNetworked: true,
      orders: 60,
      clients: 3,
      pauseMs: 150,
      say: (text) => t.comment(text),
    })
    for (const line of report(soaked)) t.comment(line)
    judge(t, soaked)
  },
)
