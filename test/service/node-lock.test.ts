import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { acquireRole, NODE_LOCK } from '../../src/cluster/role-lock.ts'
import { loadConfig } from '../../src/config/load.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { StartError } from '../../src/service/process/start-error.ts'
import { startService } from '../../src/service/service.ts'
import { account, configFile } from './fixture.ts'

t.test('a second node on one data folder is refused, and told which process has it', async (t) => {
  const folder = t.testdir()
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  const held = await acquireRole(dataDir, NODE_LOCK.folder, NODE_LOCK.role)
  if (held.kind !== 'held') throw new Error('somebody has it')
  t.teardown(() => held.release())
  const file = configFile(folder, {
    accounts: [{ ...account('10000001', []), eligible: ['node-a'] }],
    cluster: { node: 'node-a', servers: ['nats://127.0.0.1:1'], replicas: 1 },
  })
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const { config } = loaded.value
  const options = { config, log: silentLogger, onFatal: () => t.fail('nothing runs yet') }
  for (const scope of [{ kind: 'up' }, { kind: 'gateway' }] as const) {
    const refused = await startService({ ...options, scope }).catch((error: unknown) => error)
    t.ok(refused instanceof StartError, scope.kind)
    t.match(refused, { message: new RegExp(`process ${process.pid}: end it first`) })
  }
})
