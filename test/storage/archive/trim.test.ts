import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { decode } from '../../../src/protocol/codec.ts'
import type { StoredEntry } from '../../../src/protocol/store.ts'
import { openAccountDatabase } from '../../../src/storage/account-database.ts'
import { heard, inTime, PATIENCE_MS } from '../../in-time.ts'
import { decided, logDesk, watched } from '../fixtures/log-desk.ts'
import { codeOf } from '../fixtures/next-owner.ts'
import { startStore } from '../fixtures/store-thread.ts'

const SLEEPER = fileURLToPath(new URL('../fixtures/sleeper.ts', import.meta.url))

t.test('F134 nobody waits for old entries that leave a database, however long', async (t) => {
  const dataDir = t.testdir()
  const store = await startStore(dataDir)
  t.teardown(() => store.stop())
  const [one, two] = [await store.own('1'), await store.own('2')]
  await Promise.all([one.open([]), two.open([])])
  for (let seq = 1; seq <= 5; seq++) await one.commit(decided(seq))
  await store.control({ kind: 'head', accountId: '1' }) // all of them are in the database
  const numbers = async (from: number) =>
    (await one.range({ table: 'journal', from, limit: 9 })).map(({ key }) => key)
  const [row] = await one.range({ table: 'journal', from: 3, limit: 1 })
  if (row === undefined) throw new Error('there is no entry 3')

  const sleeper = spawn(process.execPath, [SLEEPER, dataDir, '1'])
  t.teardown(() => sleeper.kill('SIGKILL'))
  await heard(sleeper.stdout, 'data')
  const upTo = decode<StoredEntry>(row.value)
  const trim = { kind: 'trim', accountId: '1', upTo, limit: 2 } as const
  const left = store.control(trim, PATIENCE_MS)
  await inTime(two.commit(decided(1)), 'a commit of another account')
  await inTime(one.commit(decided(6)), 'a commit of the same one')
  t.strictSame(await numbers(1), [1, 2, 3, 4, 5, 6], 'nothing has left by now')
  sleeper.kill('SIGKILL')
  t.equal(await left, 1)
  t.equal(await store.control(trim), 0)
  t.strictSame(await numbers(4), [4, 5, 6])
  await t.rejects(numbers(1), { code: 'ACTOR_RESTARTING' }, 'they lie in a segment')
})

t.test('F134 a disk that refuses it ends the process, damage stops the account', async (t) => {
  const dir = t.testdir()
  const upTo = { seq: 1, hash: new Uint8Array(32), epoch: 1 }
  const attempt = async (name: string, failure: Error, fatal: (error: unknown) => void) => {
    const desk = logDesk(t, join(dir, name), {
      fatal,
      openAccount: (dataDir, accountId) =>
        watched(openAccountDatabase(dataDir, accountId), { trim: () => Promise.reject(failure) }),
    })
    const one = await desk.own('1')
    const trim = desk.store.control({ kind: 'trim', accountId: '1', upTo, limit: 2 })
    t.equal(await codeOf(trim), 'STORE_FAILED')
    t.equal(await codeOf(one.commit(decided(1))), 'STORE_FAILED')
  }
  const ended = Promise.withResolvers<unknown>()
  await attempt('disk', new Error('EIO'), ended.resolve)
  t.match(await inTime(ended.promise, 'the end'), { message: /EIO/ })
  await attempt('damage', new ServiceError('STORE_FAILED', 'damaged'), () => t.fail('no end'))
})
