import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import t, { type Test } from 'tap'
import { decided, logDesk } from './fixtures/log-desk.ts'
import { found, sound } from './fixtures/next-owner.ts'

/** The first folder of that name that is to be made meets an error of the disk. */
function refuseOnce(t: Test, name: string): void {
  const { mkdirSync } = fs
  let isOver = false
  fs.mkdirSync = (...given: Parameters<typeof mkdirSync>) => {
    if (!isOver && basename(String(given[0])) === name) {
      isOver = true
      throw Object.assign(new Error(`EIO: i/o error, mkdir '${given[0]}'`), { code: 'EIO' })
    }
    return Reflect.apply(mkdirSync, fs, given)
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    Object.assign(fs, { mkdirSync })
    syncBuiltinESMExports()
  })
}

t.test(
  'F1006 an account is tried again whose log could not be opened when it was claimed',
  async (t) => {
    const desk = logDesk(t, t.testdir())
    refuseOnce(t, 'lock')
    await t.rejects(desk.own('1'), { code: 'STORE_FAILED', message: /logs.*lock.*EIO/ })
    const one = await desk.own('1')
    await one.commit(decided(1))
    await desk.store.control({ kind: 'release', accountId: '1' })
    t.strictSame(await found(desk.dataDir), sound(1))
  },
)
