import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { backUpAll } from '../../src/service/backup-command.ts'
import { restore } from '../../src/service/restore-command.ts'
import {
  type RunningService,
  type ServiceOptions,
  startService,
} from '../../src/service/service.ts'
import { lockStopped } from '../../src/service/stopped.ts'
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

t.test('F332 a gateway that begins while the data is replaced is refused', async (t) => {
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

t.test('F332 nothing is replaced under a process that runs no account', async (t) => {
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

t.test('F332 one that was killed is in nobody’s way', async (t) => {
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
