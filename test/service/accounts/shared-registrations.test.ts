import t from 'tap'
import { registrationSchema } from '../../../src/config/account.ts'
import { clusterSchema } from '../../../src/config/cluster.ts'
import { encode } from '../../../src/protocol/codec.ts'
import {
  encodeShared,
  parseShared,
  SharedList,
  unknownNodes,
  withNodes,
} from '../../../src/service/accounts/shared-registrations.ts'

const registrationOf = (account_id: string, eligible?: readonly string[]) =>
  registrationSchema.parse({ account_id, qmt_path: 'C:/qmt', ...(eligible && { eligible }) })
const sharedOf = (account_id: string, ord = 1) => ({
  ord,
  registration: registrationOf(account_id, ['n1']),
})
const told = (...all: readonly ReturnType<typeof sharedOf>[]) => ({
  all: all.map((shared) => ({
    accountId: shared.registration.account_id,
    value: encodeShared(shared),
  })),
  removed: [],
})
const CLUSTER = clusterSchema.parse({ node: 'n1', servers: ['nats://127.0.0.1:4222'] })

t.test('what all nodes know is read as it was written, and nothing else is', async (t) => {
  const shared = sharedOf('10000001', 7)
  t.strictSame(parseShared(encodeShared(shared)), shared)
  for (const value of [
    encode({}),
    encode({ ord: 1, registration: { account_id: '../x', qmt_path: 'C:/qmt' } }),
    encode({ ord: 'x', registration: registrationOf('a') }),
    new Uint8Array([0xc1]),
    new Uint8Array(0),
  ]) {
    t.equal(parseShared(value), undefined)
  }
})

t.test('nodes are for a cluster, and in one it is this node unless others are named', async (t) => {
  const plain = registrationOf('a')
  t.strictSame(withNodes(plain, undefined), plain)
  t.throws(() => withNodes(registrationOf('a', ['n1']), undefined), {
    code: 'VALIDATION',
    details: { eligible: [/in no cluster/] },
  })
  t.strictSame(withNodes(plain, CLUSTER).eligible, ['n1'])
  t.strictSame(withNodes(registrationOf('a', ['n2', 'n3']), CLUSTER).eligible, ['n2', 'n3'])
  t.match(unknownNodes(['n9']), { code: 'VALIDATION', details: { eligible: [/has no node n9/] } })
})

const idsOf = (list: SharedList) => list.all.map(({ registration }) => registration.account_id)

t.test('accounts of other nodes follow each other everywhere in the same order', async (t) => {
  const list = new SharedList()
  list.heard(told(sharedOf('c', 3), sharedOf('a', 1), sharedOf('b', 2)))
  t.strictSame(idsOf(list), ['a', 'b', 'c'])
  t.ok(list.has('b'))
  list.heard(told(sharedOf('c', 3)))
  t.strictSame(idsOf(list), ['c'])
  t.notOk(list.has('b'))
})

t.test('F209 an older list does not undo what this node has done', async (t) => {
  const list = new SharedList()
  list.heard(told(sharedOf('a')))
  list.did('b', 'registered')
  list.did('a', 'unregistered')
  list.heard(told(sharedOf('a')))
  t.ok(list.has('b'), 'just registered here, and nobody has told it yet')
  t.notOk(list.has('a'))
  t.strictSame(idsOf(list), [], 'just removed here')
  list.heard(told(sharedOf('b')))
  list.heard(told(sharedOf('a')))
  t.notOk(list.has('b'), 'somebody else has removed it since')
  t.ok(list.has('a'), 'somebody else has registered it again')
})
