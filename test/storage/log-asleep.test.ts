import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { decided, told } from './fixtures/log-desk.ts'
import { OWNER, startStore, type TestStore } from './fixtures/store-thread.ts'

const ASLEEP = fileURLToPath(new URL('fixtures/asleep.ts', import.meta.url))
const CLAIM = { kind: 'claim', accountId: '1', expected: 1, owner: OWNER } as const

interface Sleeper {
  readonly child: ChildProcess
  /** What it has said by now. */
  readonly lines: string[]
  /** Resolves when it has said so. */
  heard(line: string): Promise<void>
  wake(): void
}

/** An owner of account 1 that sleeps at this point of its second commit, and a store beside it. */
async function asleepAt(t: Test, point: string): Promise<{ owner: Sleeper; store: TestStore }> {
  const dataDir = t.testdir()
  const child = spawn(process.execPath, [ASLEEP, dataDir, point], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const store = await startStore(dataDir)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await store.stop()
  })
  const lines: string[] = []
  const waiting = new Map<string, () => void>()
  if (child.stdout === null) throw new Error('no output to read')
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    waiting.get(line)?.()
  })
  const heard = (line: string) =>
    new Promise<void>((resolve) => {
      if (lines.includes(line)) resolve()
      else waiting.set(line, resolve)
    })
  await heard('asleep')
  return {
    owner: { child, lines, heard, wake: () => writeFileSync(join(dataDir, 'wake'), '') },
    store,
  }
}

/** What the next owner finds. */
async function found(store: TestStore) {
  const client = store.client('1')
  const { epoch, seq, tables, restored } = await client.open(['orders'])
  await client.commit(decided(seq + 1))
  return { epoch, seq, row: told(tables.orders), isHeld: restored !== null }
}

for (const point of ['locked', 'checked']) {
  t.test(`F111 an owner that sleeps in the lock of its log (${point}) is waited for`, async (t) => {
    const { owner, store } = await asleepAt(t, point)
    await t.rejects(store.control(CLAIM, 50), { code: 'DEADLINE_EXCEEDED' })
    t.match(await store.control({ kind: 'inspect', accountId: '1' }), { epoch: 1 })
    const claimed = store.control(CLAIM)
    owner.wake()
    t.strictSame(await claimed, { claimed: true, epoch: 2 })
    await owner.heard('over')
    const answered = owner.lines.filter((line) => line.startsWith('answered')).length
    t.ok(owner.lines.includes('answered 2'), 'it was in the lock before us')
    t.strictSame(await found(store), { epoch: 2, seq: answered, row: `${answered}`, isHeld: false })
  })

  t.test(`F111 one that dies there (${point}) gives it back, and had not answered`, async (t) => {
    const { owner, store } = await asleepAt(t, point)
    const claimed = store.control(CLAIM)
    owner.child.kill('SIGKILL')
    t.strictSame(await claimed, { claimed: true, epoch: 2 })
    t.strictSame(await found(store), { epoch: 2, seq: 1, row: '1', isHeld: false })
  })
}

t.test('F111 an owner that slept before the lock is refused when it wakes', async (t) => {
  const { owner, store } = await asleepAt(t, 'before')
  t.strictSame(await store.control(CLAIM), { claimed: true, epoch: 2 })
  t.strictSame(await found(store), { epoch: 2, seq: 1, row: '1', isHeld: false })
  owner.wake()
  await owner.heard('over')
  t.strictSame(owner.lines, ['answered 1', 'asleep', 'refused 2', 'refused 3', 'over'])
})

t.test(
  'F111 one that slept before it could answer is found out, and what it wrote counts',
  async (t) => {
    const { owner, store } = await asleepAt(t, 'flushed')
    t.strictSame(await store.control(CLAIM), { claimed: true, epoch: 2 })
    t.strictSame(await found(store), { epoch: 2, seq: 2, row: '2', isHeld: false })
    owner.wake()
    await owner.heard('over')
    t.strictSame(owner.lines, ['answered 1', 'asleep', 'answered 2', 'refused 3', 'over'])
  },
)

t.test('F111 the log of an owner that died is read and then removed', async (t) => {
  const { owner, store } = await asleepAt(t, 'flushed')
  const closed = once(owner.child, 'close')
  owner.child.kill('SIGKILL')
  await closed
  t.strictSame(await store.control(CLAIM), { claimed: true, epoch: 2 })
  t.strictSame(await found(store), { epoch: 2, seq: 2, row: '2', isHeld: false })
})
