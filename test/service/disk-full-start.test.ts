import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { reserveIn } from '../../src/storage/free-space.ts'
import { account, configFile, get, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'
import { fillDisk, freeDisk, SMALL_STORE, smallDisk } from './fixtures/small-disk.ts'

const FIRST = '10000001'
const SECOND = '10000002'
const OVERRIDES = {
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
  limits: { store: SMALL_STORE },
}

t.test('F611 an account without data on a full disk waits, and ends no service', async (t) => {
  const folder = t.testdir()
  const disk = smallDisk(t, 64)
  if (disk === undefined) return void t.pass('this system mounts no disk for a test')
  const start = (...ids: readonly string[]) => {
    const accounts = ids.map((id) => account(id, []))
    const file = configFile(folder, { ...OVERRIDES, accounts, data_dir: disk })
    return new Child(t, folder, ['up', '--config', file])
  }
  const before = start(FIRST)
  await before.ready()
  await until(
    async () => existsSync(reserveIn(disk)),
    (isThere) => isThere,
  )
  await before.kill()
  fillDisk(disk, 0)
  const child = start(SECOND, FIRST)
  const [gateway = ''] = await child.ready()
  const served = (id: string) =>
    until(
      () => get(`${gateway}/api/v1/accounts/${id}/positions`),
      ({ status }) => status === 200,
    )
  await served(FIRST) // from the reserve
  freeDisk(disk)
  await served(SECOND)
  t.pass('with space again it is there')
})

t.test(
  'F631 an account whose database lacks its locks waits, and is not called damaged',
  async (t) => {
    const folder = t.testdir()
    const disk = smallDisk(t, 64)
    if (disk === undefined) return void t.pass('this system mounts no disk for a test')
    const accounts = [account(FIRST, []), account(SECOND, [])]
    const file = configFile(folder, { ...OVERRIDES, accounts, data_dir: disk })
    const start = () => new Child(t, folder, ['up', '--config', file])
    const before = start()
    await before.ready()
    await until(
      async () => existsSync(reserveIn(disk)),
      (isThere) => isThere,
    )
    await before.kill()
    rmSync(join(disk, SECOND, 'db', 'lock.mdb')) // as of one that was put there by hand
    fillDisk(disk, 0)
    const child = start()
    const [gateway = ''] = await child.ready()
    const served = (id: string) =>
      until(
        () => get(`${gateway}/api/v1/accounts/${id}/positions`),
        ({ status }) => status === 200,
      )
    await served(FIRST)
    freeDisk(disk)
    await served(SECOND)
  },
)
