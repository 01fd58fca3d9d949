import t from 'tap'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { fencedLogContract } from './fenced-log.ts'
import { memoryRig } from './memory-rig.ts'
import { natsRig } from './nats-rig.ts'

t.test('journals in memory', async (t) => {
  await fencedLogContract(t, () => Promise.resolve(memoryRig()), { rounds: 300 })
})

t.test('journals on one nats-server', { skip: NO_SERVERS }, async (t) => {
  await fencedLogContract(t, (inner) => natsRig(inner, 1), { rounds: 300 })
})
