import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { decode } from '../../src/protocol/codec.ts'
import type { StoredEntry } from '../../src/protocol/store.ts'
import { verifyChain } from '../../src/storage/journal-chain.ts'
import { logDesk } from './fixtures/log-desk.ts'
import { text } from './fixtures/store-thread.ts'

const LOOP = fileURLToPath(new URL('fixtures/commit-loop.ts', import.meta.url))
/** Of each of two processes. */
const KILLS = 8

/** Kills the process some acknowledgements after it has started; returns the last acknowledged number. */
async function killDuringCommits(child: ChildProcess, acknowledgements: number): Promise<number> {
  let acknowledged = 0
  let left = acknowledgements
  if (child.stdout === null) throw new Error('no output to read')
  const closed = once(child, 'close')
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('started')) continue
    acknowledged = Number(line)
    if (--left === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 2)
  }
  await closed
  return acknowledged
}

async function checkBooks(t: Test, dataDir: string, acknowledged: number): Promise<void> {
  const { store, own } = logDesk(t, dataDir)
  const { epoch } = (await store.control({ kind: 'inspect', accountId: '1' })) as { epoch: number }
  const database = await own('1', epoch)
  const { seq, tables } = await database.open(['orders', 'settings'])
  t.ok(seq >= acknowledged, `${acknowledged} were acknowledged, ${seq} are there`)
  t.equal(text(tables.orders?.[0]?.value), `${seq}`, 'rows and journal agree')
  t.equal(text(tables.settings?.[0]?.value), `${seq}`, 'and so do the tables')
  const rows = await database.range({ table: 'journal', limit: 10_000 })
  const chain = verifyChain(rows.map(({ value }) => decode<StoredEntry>(value)))
  t.match(chain, { ok: true, value: { seq } })
  await store.close()
}

async function killRepeatedly(t: Test, dataDir: string): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill++) {
    const child = spawn(process.execPath, [LOOP, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
    const acknowledged = await killDuringCommits(child, kill * 3)
    t.ok(acknowledged > 0)
    await checkBooks(t, dataDir, acknowledged)
  }
}

t.test('kills at any moment lose nothing acknowledged and tear nothing', async (t) => {
  const dir = t.testdir({ a: {}, b: {} })
  await Promise.all(['a', 'b'].map((name) => killRepeatedly(t, join(dir, name))))
})
