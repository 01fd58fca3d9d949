import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { NEEDS_SOCKET_FILES, NEEDS_SUSPENSION } from '../platform.ts'
import { suspend } from '../suspend.ts'
import {
  ACCOUNT,
  type Child,
  type ChildOptions,
  IMPATIENT,
  startChild,
} from './fixtures/protocol.ts'

/** Short enough for sockets in the folder of the account. */
function shortDir(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'owner-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** An owner and a follower on one data directory. */
async function startPair(
  t: Test,
  dataDir: string,
  options?: ChildOptions,
): Promise<[owner: Child, follower: Child]> {
  const start = () => startChild(t, dataDir, options)
  const [owner, follower] = await Promise.all([start(), start()])
  t.strictSame(await owner.order({ kind: 'start' }), { ok: 'owner' })
  t.strictSame(await follower.order({ kind: 'start' }), { ok: 'follower' })
  await owner.until('owner')
  await follower.until('follower')
  return [owner, follower]
}

t.test(
  'a suspended owner is replaced, and can write nothing when it wakes',
  NEEDS_SUSPENSION,
  async (t) => {
    // No database is being written when it is suspended: its lock would be kept, and waited for.
    const options = { limits: IMPATIENT, log: { checkpointMs: 600_000 } }
    const [owner, follower] = await startPair(t, shortDir(t), options)
    t.strictSame(await owner.order({ kind: 'commit' }), { ok: 1 })
    await suspend(owner.pid)
    t.match(await follower.until('owner'), { epoch: 2 })
    const late = owner.order({ kind: 'commit' }) // lies ready when it wakes
    owner.signal('SIGCONT')
    t.strictSame(await late, { failed: 'NOT_OWNER' })
    t.strictSame(await follower.order({ kind: 'commit' }), { ok: 2 })
    await owner.until('seeking')
    t.match(await owner.until('follower'), { epoch: 2 })
    const answer = await owner.order({ kind: 'ask', body: 'who' })
    t.strictSame(answer, { ok: { by: follower.pid, body: 'who' } })
  },
)

t.test('two that start at once come to one owner, every time', async (t) => {
  const dataDir = shortDir(t)
  const children = await Promise.all([startChild(t, dataDir), startChild(t, dataDir)])
  for (let round = 1; round <= 20; round++) {
    const started = await Promise.all(children.map((child) => child.order({ kind: 'start' })))
    const kinds = started.map(({ ok }) => ok)
    t.strictSame(kinds.toSorted(), ['follower', 'owner'], `round ${round}`)
    const owner = children[kinds.indexOf('owner')]
    const follower = children[kinds.indexOf('follower')]
    t.match(await follower?.order({ kind: 'ask', body: round }), { ok: { by: owner?.pid } })
    t.strictSame(await owner?.order({ kind: 'commit' }), { ok: round })
    await follower?.order({ kind: 'release' })
    await owner?.order({ kind: 'release' })
  }
})

t.test('a data directory with a long path works as well', async (t) => {
  const dataDir = join(t.testdir(), 'a-long-name'.repeat(8))
  mkdirSync(dataDir)
  const [owner, follower] = await startPair(t, dataDir)
  const answer = await follower.order({ kind: 'ask', body: 'who' })
  t.strictSame(answer, { ok: { by: owner.pid, body: 'who' } })
  await owner.kill()
  t.match(await follower.until('owner'), { epoch: 2 })
})

t.test('socket files of the dead do no harm and are removed', NEEDS_SOCKET_FILES, async (t) => {
  const dataDir = shortDir(t)
  const folder = join(dataDir, ACCOUNT)
  mkdirSync(folder)
  writeFileSync(join(folder, 'owner-0-00000000.sock'), '')
  const first = await startChild(t, dataDir)
  t.strictSame(await first.order({ kind: 'start' }), { ok: 'owner' })
  await first.kill()
  const second = await startChild(t, dataDir)
  t.strictSame(await second.order({ kind: 'start' }), { ok: 'owner' })
  t.match(await second.until('owner'), { epoch: 2 })
  const sockets = readdirSync(folder).filter((name) => name.endsWith('.sock'))
  t.match(sockets, [/^owner-2-/])
  t.equal(sockets.length, 1)
})
