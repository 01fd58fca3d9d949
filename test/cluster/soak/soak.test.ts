import t from 'tap'
import { NO_SERVERS } from '../fixtures/nats-servers.ts'
import { judge, report } from './fixtures/report.ts'
import { soak } from './fixtures/soak.ts'

t.test(
  'F177 three computers at one broker, and everything breaks: each order once, by its owner',
  { skip: NO_SERVERS },
  async (t) => {
    const soaked = await soak(t, {
      seed: 1,
      faults: ['paused', 'crashed', 'clock jumped'],
      servers: 1,
      accounts: 3,
      isNetworked: false,
      orders: 40,
      clients: 3,
      pauseMs: 150,
      say: (text) => t.comment(text),
    })
    for (const line of report(soaked)) t.comment(line)
    judge(t, soaked)
  },
)
