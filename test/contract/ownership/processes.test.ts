import t from 'tap'
import { NEEDS_SUSPENSION } from '../../platform.ts'
import { ownershipContract } from './contract.ts'
import { localRig } from './rigs.ts'

t.test('processes of one computer', (t) => ownershipContract(t, localRig, NEEDS_SUSPENSION))
