import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { OwnerServer } from '../../src/cluster/owner-server.ts'
import {
  acquireRole,
  ROLE_LOCK_LIMITS,
  type RoleLock,
  roleHolder,
} from '../../src/cluster/role-lock.ts'
import { ownerSocketPath } from '../../src/cluster/socket-path.ts'
import { heard, PATIENCE_MS } from '../in-time.ts'
import { NEEDS_SUSPENSION } from '../platform.ts'
import { suspend } from '../suspend.ts'
import { ACCOUNT, LIMITS } from './fixtures/protocol.ts'

const HOLDER = fileURLToPath(new URL('fixtures/holder.ts', import.meta.url))

function shortDir(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'role-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function mustHold(lock: RoleLock): Extract<RoleLock, { kind: 'held' }> {
  if (lock.kind !== 'held') throw new Error(`taken by ${lock.pid}`)
  return lock
}

async function startHolder(t: Test, dataDir: string): Promise<ChildProcess> {
  const child = fork(HOLDER, [dataDir, ACCOUNT])
  const exited = once(child, 'exit')
  t.teardown(() => {
    child.kill('SIGKILL')
    return exited // before its folder goes
  })
  const [kind] = await heard(child, 'message')
  t.equal(kind, 'held')
  return child
}

t.test(
  'a role is taken once, told with the process that has it, and free after release',
  async (t) => {
    const dataDir = shortDir(t)
    const first = mustHold(await acquireRole(dataDir, ACCOUNT, 'direct'))
    const second = await acquireRole(dataDir, ACCOUNT, 'direct')
    t.strictSame(second, { kind: 'taken', pid: process.pid })
    const other = mustHold(await acquireRole(dataDir, 'other', 'direct'))
    await first.release()
    await mustHold(await acquireRole(dataDir, ACCOUNT, 'direct')).release()
    await other.release()
  },
)

t.test('what a killed process has left is taken over', async (t) => {
  const dataDir = shortDir(t)
  const child = await startHolder(t, dataDir)
  const patient = { ...ROLE_LOCK_LIMITS, answerTimeoutMs: PATIENCE_MS }
  const taken = { kind: 'taken', pid: child.pid }
  t.strictSame(await acquireRole(dataDir, ACCOUNT, 'direct', patient), taken)
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  await mustHold(await acquireRole(dataDir, ACCOUNT, 'direct')).release()
})

t.test('of several that find a stale name at once, one takes it', async (t) => {
  const dataDir = shortDir(t)
  const child = await startHolder(t, dataDir)
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  const locks = await Promise.all(
    Array.from({ length: 5 }, () => acquireRole(dataDir, ACCOUNT, 'direct')),
  )
  const held = locks.filter(({ kind }) => kind === 'held')
  t.equal(held.length, 1)
  for (const lock of held) await mustHold(lock).release()
})

t.test('a holder that is suspended still holds', NEEDS_SUSPENSION, async (t) => {
  const dataDir = shortDir(t)
  const child = await startHolder(t, dataDir)
  await suspend(Number(child.pid))
  const limits = { answerTimeoutMs: 50, confirmMs: 1, attemptsMax: 2 }
  const lock = await acquireRole(dataDir, ACCOUNT, 'direct', limits)
  t.strictSame(lock, { kind: 'taken', pid: null })
})

t.test('who asks for the holder of a role makes nothing', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  t.equal(await roleHolder(dataDir, ACCOUNT, 'direct'), undefined)
  t.notOk(existsSync(dataDir))
  const lock = await acquireRole(dataDir, ACCOUNT, 'direct')
  t.equal(await roleHolder(dataDir, ACCOUNT, 'direct'), process.pid)
  if (lock.kind === 'held') await lock.release()
})

t.test('a long data directory works', async (t) => {
  const dataDir = join(t.testdir(), 'a-long-name'.repeat(8))
  const lock = mustHold(await acquireRole(dataDir, ACCOUNT, 'direct'))
  t.match(await acquireRole(dataDir, ACCOUNT, 'direct'), { kind: 'taken', pid: process.pid })
  await lock.release()
})

t.test('F251 a connection that cannot be taken ends nobody who listens', async (t) => {
  const dataDir = shortDir(t)
  const servers: Server[] = []
  const { listen } = Server.prototype
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    servers.push(this)
    return listen.apply(this, args as never)
  } as typeof listen
  t.teardown(() => {
    Server.prototype.listen = listen
  })
  const role = mustHold(await acquireRole(dataDir, ACCOUNT, 'direct'))
  const owner = await OwnerServer.listen(ownerSocketPath(dataDir, ACCOUNT, 1), {
    accountId: ACCOUNT,
    epoch: 1,
    limits: LIMITS,
    openLine: () => ({ ask: () => Promise.reject(new Error('nobody is asked here')) }),
    serve: async () => null,
    fenced: () => undefined,
  })
  t.equal(servers.length, 2)
  for (const server of servers) server.emit('error', new Error('accept EMFILE'))
  t.equal(await roleHolder(dataDir, ACCOUNT, 'direct'), process.pid)
  await owner.close()
  await role.release()
})
