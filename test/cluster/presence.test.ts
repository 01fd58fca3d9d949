import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { OwnerServer } from '../../src/cluster/owner-server.ts'
import { announce, hasStrangers, isUsed, LOCKS_FOLDER } from '../../src/cluster/presence.ts'
import { acquireRole, roleHolder } from '../../src/cluster/role-lock.ts'
import { ownerSocketPath, ownerSockets } from '../../src/cluster/socket-path.ts'
import { NEEDS_SOCKET_FILES } from '../platform.ts'
import { ACCOUNT, LIMITS } from './fixtures/protocol.ts'

/** Short: a folder in it has a path of any length. */
function baseOf(t: Test): string {
  const short = process.platform === 'win32' ? tmpdir() : '/tmp'
  const base = realpathSync(mkdtempSync(join(short, 'present-')))
  t.teardown(() => rmSync(base, { recursive: true, force: true }))
  return base
}

/** Too long a path for sockets, and where they lie in its place. */
function longIn(base: string): { readonly dataDir: string; readonly sockets: string } {
  const dataDir = join(base, 'd'.repeat(99 - base.length))
  mkdirSync(dataDir)
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  return { dataDir, sockets: join('/tmp', `steward-${hash}`) }
}

t.test('F350 a process is seen in a data folder of any length', async (t) => {
  const base = baseOf(t)
  for (let chars = base.length + 2; chars < 100; chars++) {
    const dataDir = join(base, 'd'.repeat(chars - base.length - 1))
    mkdirSync(dataDir)
    const presence = await announce(dataDir)
    if (typeof presence === 'string') throw new Error(presence)
    if (!(await isUsed(dataDir))) t.fail(`nobody is seen where the path has ${chars} characters`)
    await presence.release()
    if (await isUsed(dataDir)) t.fail(`somebody is left where the path has ${chars} characters`)
  }
})

t.test('F350 a name that is left and cannot be removed is in nobody’s way', async (t) => {
  const dataDir = baseOf(t)
  // Nobody answers there, and no file is to be removed: as in a copy of the disk that can only be read.
  mkdirSync(join(dataDir, LOCKS_FOLDER, 'process-01234567.sock'), { recursive: true })
  t.equal(await isUsed(dataDir), false)
  t.equal(await hasStrangers(dataDir), false)
})

t.test('F354 who may not look for others reads as ever', NEEDS_SOCKET_FILES, async (t) => {
  const { dataDir, sockets } = longIn(baseOf(t))
  const presence = await announce(dataDir)
  if (typeof presence === 'string') throw new Error(presence)
  t.teardown(() => presence.release())
  chmodSync(sockets, 0o755) // as one of another user it is refused
  t.equal(await hasStrangers(dataDir), false)
})

t.test(
  'what is made for sockets among temporary files is there while somebody listens, and not after',
  NEEDS_SOCKET_FILES,
  async (t) => {
    const { dataDir, sockets } = longIn(baseOf(t))
    t.equal(await isUsed(dataDir), false)
    t.equal(await roleHolder(dataDir, ACCOUNT, 'direct'), undefined)
    t.strictSame(ownerSockets(dataDir, ACCOUNT), [])
    t.notOk(existsSync(sockets), 'who only looks makes none')
    const [first, second] = [await announce(dataDir), await announce(dataDir)]
    if (typeof first === 'string' || typeof second === 'string') throw new Error('refused')
    const owner = await OwnerServer.listen(ownerSocketPath(dataDir, ACCOUNT, 1), {
      accountId: ACCOUNT,
      epoch: 1,
      limits: LIMITS,
      openLine: () => ({}) as never,
      serve: () => Promise.resolve({}),
      fenced: () => undefined,
    })
    await first.release()
    await owner.close()
    t.ok(existsSync(sockets), 'the other one listens there')
    t.equal(await isUsed(dataDir), true)
    await second.release()
    t.notOk(existsSync(sockets))
    const third = await announce(dataDir)
    if (typeof third === 'string') throw new Error(third)
    t.equal(await isUsed(dataDir), true, 'it is made again')
    await third.release()
  },
)

t.test(
  'F386 whoever has another folder for temporary files sees who uses the data all the same',
  NEEDS_SOCKET_FILES,
  async (t) => {
    const base = baseOf(t)
    const { dataDir } = longIn(base)
    const presence = await announce(dataDir)
    if (typeof presence === 'string') throw new Error(presence)
    t.teardown(() => presence.release())
    const { TMPDIR = '' } = process.env
    t.teardown(() => {
      process.env['TMPDIR'] = TMPDIR
    })
    process.env['TMPDIR'] = base // of another log-on, a service or a job
    t.equal(await isUsed(dataDir), true)
  },
)

t.test(
  'F410 a role that a process of before has where its own temporary files are is taken',
  NEEDS_SOCKET_FILES,
  async (t) => {
    const base = baseOf(t)
    const { dataDir, sockets } = longIn(base)
    const { TMPDIR } = process.env
    t.teardown(() => {
      if (TMPDIR === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = TMPDIR
    })
    process.env['TMPDIR'] = base
    const older = join(base, basename(sockets))
    mkdirSync(older, { mode: 0o700 })
    const held = async (name: string) => {
      const server = createServer((socket) => socket.end('4711\n'))
      server.listen(join(older, `${name}.sock`))
      await once(server, 'listening')
      return async () => {
        const closed = once(server, 'close')
        server.close()
        await closed
      }
    }
    const endRole = await held(`${ACCOUNT}-direct`)
    t.strictSame(await acquireRole(dataDir, ACCOUNT, 'direct'), { kind: 'taken', pid: 4711 })
    t.equal(await roleHolder(dataDir, ACCOUNT, 'direct'), 4711)
    const endRestore = await held(`${LOCKS_FOLDER}-stopped`)
    t.equal(await announce(dataDir), 'replaced', 'a restore of before is under way')
    await endRole()
    await endRestore()
    const lock = await acquireRole(dataDir, ACCOUNT, 'direct')
    t.equal(lock.kind, 'held')
    if (lock.kind === 'held') await lock.release()
  },
)

t.test(
  'F386 a process of before that listens where its own temporary files are is seen as well',
  NEEDS_SOCKET_FILES,
  async (t) => {
    const base = baseOf(t)
    const { dataDir, sockets } = longIn(base)
    const { TMPDIR } = process.env
    t.teardown(() => {
      if (TMPDIR === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = TMPDIR
    })
    process.env['TMPDIR'] = base
    const older = join(base, basename(sockets))
    mkdirSync(older, { mode: 0o700 })
    const server = createServer((socket) => socket.end(`${process.pid}\n`))
    server.listen(join(older, `${LOCKS_FOLDER}-process-01234567.sock`))
    await once(server, 'listening')
    t.equal(await isUsed(dataDir), true, 'a restore would take the data from under it')
    chmodSync(older, 0o755)
    t.equal(await isUsed(dataDir), false, 'what anybody can make there is not believed')
    chmodSync(older, 0o700)
    const closed = once(server, 'close')
    server.close()
    await closed
    t.equal(await isUsed(dataDir), false)
  },
)

t.test(
  'a folder for sockets that others take away just then is in nobody’s way',
  NEEDS_SOCKET_FILES,
  async (t) => {
    const { dataDir, sockets } = longIn(baseOf(t))
    const child = spawn(process.execPath, ['-e', COMES_AND_GOES, sockets])
    t.teardown(async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      rmSync(sockets, { recursive: true, force: true })
    })
    await once(child.stdout, 'data')
    for (let looks = 0; looks < 3_000; looks++) ownerSockets(dataDir, ACCOUNT)
    for (let epoch = 1; epoch <= 300; epoch++) {
      const owner = await OwnerServer.listen(ownerSocketPath(dataDir, ACCOUNT, epoch), {
        accountId: ACCOUNT,
        epoch,
        limits: LIMITS,
        openLine: () => ({}) as never,
        serve: () => Promise.resolve({}),
        fenced: () => undefined,
      })
      await owner.close()
    }
    t.pass('all looked, and listened')
  },
)

/** Others that come and go, faster than any process does. */
const COMES_AND_GOES = `
  const { mkdirSync, rmdirSync } = require('node:fs')
  console.log('begun')
  const quietly = (work) => { try { work() } catch {} }
  for (;;) {
    quietly(() => mkdirSync(process.argv[1], { mode: 0o700 }))
    quietly(() => rmdirSync(process.argv[1]))
    for (const end = performance.now() + 3; performance.now() < end; );
  }`
