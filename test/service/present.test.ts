import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hasStrangers, isUsed, LOCKS_FOLDER } from '../../src/cluster/presence.ts'
import { makeSocketFolder, roleSocketPath } from '../../src/cluster/socket-path.ts'
import { loadConfig } from '../../src/config/load.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { backUpAll } from '../../src/service/backups/backup-command.ts'
import { SWAP_FILE } from '../../src/service/data/restore-place.ts'
import { lockStopped } from '../../src/service/data/stopped.ts'
import { StartError } from '../../src/service/process/start-error.ts'
import { restore } from '../../src/service/restore/restore-command.ts'
import {
  type RunningService,
  type ServiceOptions,
  startService,
} from '../../src/service/service.ts'
import { LIMITS, lived } from './backups/fixtures/folders.ts'
import { configFile } from './fixture.ts'
import { Child } from './fixtures/child.ts'

const ID = '10000001'

function made(t: Test) {
  const folder = t.testdir({ data: {} })
  const file = configFile(folder, { accounts: [] })
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const { config } = loaded.value
  const options: ServiceOptions = {
    config,
    scope: { kind: 'gateway' },
    log: silentLogger,
    onFatal: (reason) => t.fail(reason),
  }
  return { folder, dataDir: join(folder, 'data'), file, config, options }
}

t.test('F350 a gateway that begins while the data is replaced is refused', async (t) => {
  const { dataDir, config, options } = made(t)
  await lived(dataDir, ID)
  const locks = await lockStopped(config, dataDir)
  if (!locks.ok) throw new Error(locks.error)
  const refused = await startService(options).catch((error: unknown) => error)
  if (!(refused instanceof Error)) await (refused as RunningService).stop()
  t.ok(refused instanceof ServiceError)
  t.match(refused, { code: 'STOPPING', message: /wait until it has ended/ })
  t.match(await lockStopped(config, dataDir), { ok: false, error: /wait until it has ended/ })
  await Promise.all(locks.value.map((lock) => lock.release()))
  const service = await startService(options)
  await service.stop()
})

t.test('F350 nothing is replaced under a process that runs no account', async (t) => {
  const { folder, dataDir, config, options } = made(t)
  const [backup, write] = [join(folder, 'backup'), () => undefined]
  await lived(dataDir, ID)
  t.match(await backUpAll({ dataDir, target: backup, limits: LIMITS, write }), { ok: true })
  const service = await startService(options)
  const putBack = () => restore({ config, backup, at: new Date(), write })
  const refused = await putBack()
  await service.stop()
  t.match(refused, { ok: false, error: { isWrong: true, text: /正在使用这个数据目录/ } })
  t.match(await putBack(), { ok: true })
})

t.test('F350 one that was killed is in nobody’s way', async (t) => {
  const { folder, dataDir, file, config } = made(t)
  mkdirSync(dataDir, { recursive: true })
  const child = new Child(t, folder, ['gateway', '--config', file])
  await child.ready()
  child.signal('SIGKILL')
  await child.exit
  const locks = await lockStopped(config, dataDir)
  t.match(locks, { ok: true })
  if (locks.ok) await Promise.all(locks.value.map((lock) => lock.release()))
})

t.test('F351 nobody begins in data whose replacement is cut off in that moment', async (t) => {
  const { dataDir, options } = made(t)
  const cutOff = async () => {
    writeFileSync(join(dataDir, SWAP_FILE), '{}')
    return undefined
  }
  const begun = await startService({ ...options, tryDatabase: cutOff }).catch((e: unknown) => e)
  if (!(begun instanceof Error)) await (begun as RunningService).stop()
  t.ok(begun instanceof StartError)
  t.match(begun, { message: /run steward restore again/ })
  t.equal(await isUsed(dataDir), false)
})

/** A service in another container, as it tells of itself. */
async function stranger(t: Test, dataDir: string): Promise<void> {
  const server = createServer((socket) => socket.end('1 pid:[1]\n'))
  const path = roleSocketPath(dataDir, LOCKS_FOLDER, 'process-01234567')
  makeSocketFolder(path)
  server.listen(path)
  await once(server, 'listening')
  t.teardown(() => server.close())
}

const CONTAINERS = { skip: process.platform !== 'linux' && 'process numbers are one for all there' }

t.test('F354 nobody begins beside a service in another container', CONTAINERS, async (t) => {
  const { folder, dataDir, file, options } = made(t)
  await lived(dataDir, ID)
  await stranger(t, dataDir)
  const begun = await startService(options).catch((error: unknown) => error)
  if (!(begun instanceof Error)) await (begun as RunningService).stop()
  t.ok(begun instanceof StartError)
  t.match(begun, { message: /in another container uses this data folder.*docker exec/ })
  const stderr = [/^steward: 另一个容器中的服务正在使用这个数据目录/]
  for (const asked of [
    ['backup', '--to', join(folder, 'copy')],
    ['audit', 'verify'],
  ]) {
    const exit = await new Child(t, folder, [...asked, '--config', file]).exit
    t.match(exit, { code: 2, stderr })
  }
  t.notOk(existsSync(join(folder, 'copy')))
})

t.test('F354 processes that share their numbers share a folder', async (t) => {
  const { dataDir, options } = made(t)
  const service = await startService(options)
  t.equal(await hasStrangers(dataDir), false)
  t.equal(await hasStrangers(dataDir, ''), false, 'where the system has one for all')
  if (CONTAINERS.skip === false) t.equal(await hasStrangers(dataDir, 'pid:[1]'), true)
  const second = await startService(options)
  await second.stop()
  await service.stop()
})

t.test('F350 a folder in which nobody can be found is named, with the mend', async (t) => {
  const { dataDir, options } = made(t)
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, LOCKS_FOLDER), 'no folder')
  const begun = await startService(options).catch((error: unknown) => error)
  if (!(begun instanceof Error)) await (begun as RunningService).stop()
  t.ok(begun instanceof StartError)
  t.match(begun, { message: /move data_dir to a plain folder.*\.locks/ })
})
