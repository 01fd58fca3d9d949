import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { setEnvironmentData, Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
// @ts-expect-error: plain JavaScript, without types
import { useBundles } from '../../scripts/bundles.mjs'
// @ts-expect-error: plain JavaScript, without types
import { BUNDLES, DISTRIBUTION } from '../../scripts/distribution.mjs'
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

const bundleIn = (folder: string) => join(folder, 'actors', 'account', 'account.thread.js')

/** What a thread of an account says, where the bundles of this process were removed. */
async function said(t: Test, folder: string, code: Uint8Array): Promise<unknown> {
  const text = shared(Buffer.from(BUNDLE)).buffer
  setEnvironmentData('steward.bundles', folder)
  setEnvironmentData('steward.shared', new Map([[bundleIn(folder), { text, code: shared(code) }]]))
  return saidByAccount(t)
}

async function saidByAccount(t: Test): Promise<unknown> {
  const entry = new URL('bin/thread.cjs', ROOT)
  const worker = new Worker(fileURLToPath(entry), {
    workerData: { entry: ACCOUNT },
    execArgv: [], // what tests start with chooses the bundles of today's sources
  })
  t.teardown(() => worker.terminate())
  // Together: a thread that has said its word may be gone before anybody asks when it ends.
  const saidAndGone = Promise.all([once(worker, 'message'), once(worker, 'exit')])
  const [[word]] = await inTime(saidAndGone, 'a word of the thread, and its end')
  return word
}

t.test(
  'F689 an account starts from the release that runs, though the program was installed anew beside it',
  async (t) => {
    const folder = join(t.testdir(), 'gone')
    const known = new Script(BUNDLE).createCachedData()
    t.equal(await said(t, folder, known), 'the release that runs')
    t.equal(await said(t, folder, Buffer.from('of another engine')), 'the release that runs')
    t.notOk(existsSync(folder), 'nothing is left there that looks like bundles')
  },
)

t.test(
  'F704 an account of a release that runs for the first time, of which nothing was compiled before, starts from it as well',
  async (t) => {
    const bundles = { actors: { account: { 'account.thread.js': BUNDLE } } }
    const root = t.testdir({ [DISTRIBUTION]: '{}', [BUNDLES]: bundles })
    useBundles(root)
    rmSync(join(root, BUNDLES), { recursive: true })
    t.equal(await saidByAccount(t), 'the release that runs')
  },
)
