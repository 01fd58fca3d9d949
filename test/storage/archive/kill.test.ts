import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openAccountReader } from '../../../src/storage/account-reader.ts'
import { verifyChain } from '../../../src/storage/journal-chain.ts'
import { ACCOUNT } from './fixtures/books.ts'

const LOOP = fileURLToPath(new URL('fixtures/archive-loop.ts', import.meta.url))
const KILLS = 12

/** Resolves with the last number that was told before the process was killed. */
async function killed(dataDir: string, after: number): Promise<number> {
  const child = spawn(process.execPath, [LOOP, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let told = 0
  let left = after
  for await (const line of createInterface(child.stdout)) {
    told = Number(line)
    if (--left === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 15)
  }
  await closed
  return told
}

t.test(
  'a process killed while it moves entries: nothing told is lost, nothing is there twice',
  async (t) => {
    const dataDir = t.testdir()
    let segments = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      const told = await killed(dataDir, kill)
      const reader = openAccountReader(dataDir, ACCOUNT)
      const { seq } = reader.head()
      t.ok(seq >= told && told > 0, `${told} were told, ${seq} are there`)
      t.equal(reader.archiveProblem(), undefined)
      t.match(verifyChain(reader.journal(1, 100_000)), { ok: true, value: { seq } })
      segments = reader.parts().base.seq
      await reader.close()
    }
    t.ok(segments > 50, `${segments} entries have left the database`)
  },
)
