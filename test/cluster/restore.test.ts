import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import type { Role } from '../../src/cluster/account-ownership.ts'
import { Ownership } from '../../src/cluster/ownership.ts'
import { makeSocketFolder, ownerSocketPath } from '../../src/cluster/socket-path.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { StoreControl } from '../../src/protocol/store.ts'
import { Link } from '../../src/runtime/link.ts'
import { type AccountDatabase, openAccountDatabase } from '../../src/storage/account-database.ts'
import { inTime, turnsUntil } from '../in-time.ts'
import { ACCOUNT, IMPATIENT, LIMITS } from './fixtures/protocol.ts'

const OWNER = { pid: 1, socket: '/nobody/listens/here' }

/** An ownership of this process, on a database that tests reach too. */
function ownership(t: Test, dataDir: string, examine?: () => Promise<ServiceError | undefined>) {
  const database = openAccountDatabase(dataDir, ACCOUNT)
  const roles: Role[] = []
  const control = async (request: StoreControl) => {
    if (request.kind === 'inspect') return database.inspect()
    if (request.kind === 'claim') {
      return database.claim(request.expected, request.owner, request.epoch)
    }
    return database.release()
  }
  const owning = new Ownership(
    ACCOUNT,
    {
      dataDir,
      control: control as never,
      limits: { ...LIMITS, ...IMPATIENT, seekAgainMs: 1 },
      random: () => 0.5,
      openLine: (wire, end) => new Link(wire, { ...end, limits: { openAsksMax: 8 } }),
      ...(examine && { examine }),
    },
    { serve: async () => null, changed: (role) => void roles.push(role) },
  )
  t.teardown(async () => {
    await owning.release()
    await database.close()
  })
  return { owning, database, roles }
}

/** Restored: the trading client has seen epoch 7. */
function older(database: AccountDatabase): void {
  database.claim(0, OWNER)
  database.clientAhead(1, 7)
}

t.test('books older than what the client has seen are claimed beyond it', async (t) => {
  const { owning, database } = ownership(t, t.testdir())
  older(database)
  t.match(await owning.start(), { kind: 'owner', epoch: 8 })
  t.match(database.open([]).restored, { fromEpoch: 1, clientEpoch: 7 })
})

t.test('not while the owner of that time lives, on a folder that was taken away', async (t) => {
  const dataDir = t.testdir()
  const living = createServer((socket) => void socket.on('error', () => socket.destroy()).resume())
  const path = ownerSocketPath(dataDir, ACCOUNT, 7)
  makeSocketFolder(path)
  await new Promise<void>((resolve) => living.listen(path, resolve))
  t.teardown(() => living.close())
  const { owning, database, roles } = ownership(t, dataDir)
  older(database)
  t.equal(await owning.start(), undefined)
  const problem = { code: 'CONFLICT', message: /still runs the account/ }
  t.match(roles, [{ kind: 'seeking', problem }])
  t.equal(database.inspect().epoch, 1)
})

t.test('a start that the store refuses is tried again, and says why it waits', async (t) => {
  const late = new ServiceError('DEADLINE_EXCEEDED', 'the store is busy')
  const answers: (ServiceError | undefined)[] = [late, late]
  const { owning, roles } = ownership(t, t.testdir(), async () => answers.shift())
  t.equal(await owning.start(), undefined, 'it keeps nothing else waiting')
  await turnsUntil(() => roles.length === 3, 'a role')
  const waits = { kind: 'seeking', problem: late }
  t.match(roles, [waits, waits, { kind: 'owner', epoch: 1 }])
})

t.test('one that is given up while it waits is not tried again', async (t) => {
  const late = new ServiceError('DEADLINE_EXCEEDED', 'the store is busy')
  const { owning, roles } = ownership(t, t.testdir(), async () => late)
  await owning.start()
  await inTime(owning.release(), 'its release')
  t.equal(roles.length, 1)
})

t.test('a damaged database is neither inspected nor claimed, also at a take-over', async (t) => {
  const damage = new ServiceError('ACCOUNT_PARKED', 'damaged')
  let problem: ServiceError | undefined = damage
  const { owning, database, roles } = ownership(t, t.testdir(), async () => problem)
  await t.rejects(owning.start(), damage)
  t.equal(database.inspect().epoch, 0)
  problem = undefined
  const again = ownership(t, t.testdir(), async () => problem)
  await again.owning.start()
  problem = damage
  again.owning.lost()
  while (again.roles.length < 3) await new Promise((resolve) => setImmediate(resolve))
  t.match(again.roles.at(-1), { kind: 'seeking', problem: { code: 'ACCOUNT_PARKED' } })
  t.strictSame(roles, [])
})
