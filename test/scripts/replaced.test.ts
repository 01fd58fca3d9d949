import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { setEnvironmentData, Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { inTime } from '../in-time.ts'

const ROOT = new URL('../..', import.meta.url)
const ACCOUNT = new URL('actors/account/account.thread.ts', ROOT).href
const BUNDLE = `(async (importModule) => {
  const { parentPort } = await importModule('node:worker_threads')
  parentPort.postMessage('the release that runs')
})`

const shared = (bytes: Uint8Array) => {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

/** What a thread of an account says, where the bundles of this process were removed. */
async function said(t: Test, folder: string, code: Uint8Array): Promise<unknown> {
  const file = join(folder, 'actors', 'account', 'account.thread.js')
  const text = shared(Buffer.from(BUNDLE)).buffer
  setEnvironmentData('steward.bundles', folder)
  setEnvironmentData('steward.shared', new Map([[file, { text, code: shared(code) }]]))
  const entry = new URL('bin/thread.cjs', ROOT)
  const worker = new Worker(fileURLToPath(entry), { workerData: { entry: ACCOUNT } })
  t.teardown(() => worker.terminate())
  const [word] = await inTime(once(worker, 'message'), 'a word of the thread')
  await once(worker, 'exit')
  return word
}

t.test(
  'F705 an account starts from the release that runs, though the program was installed anew beside it',
  async (t) => {
    const folder = join(t.testdir(), 'gone')
    const known = new Script(BUNDLE).createCachedData()
    t.equal(await said(t, folder, known), 'the release that runs')
    t.equal(await said(t, folder, Buffer.from('of another engine')), 'the release that runs')
    t.notOk(existsSync(folder), 'nothing is left there that looks like bundles')
  },
)
