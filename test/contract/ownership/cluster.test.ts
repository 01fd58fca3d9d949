import t from 'tap'
import { ownershipContract } from './contract.ts'
import { memoryRigOf } from './rigs.ts'

t.test('computers of a cluster', (t) => ownershipContract(t, memoryRigOf))
