import t from 'tap'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { ownershipContract } from './contract.ts'
import { natsRigOf } from './rigs.ts'

t.test('computers of a cluster on a nats-server', { skip: NO_SERVERS }, (t) =>
  ownershipContract(t, natsRigOf),
)
