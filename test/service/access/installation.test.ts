import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import { installationOf } from '../../../src/service/access/installation.ts'
import { writePlan } from '../../../src/service/backups/plan.ts'

function configOf(t: Test, file: object = {}, env: Record<string, string> = {}) {
  const cwd = t.testdir({ 'steward.config.json': JSON.stringify(file) })
  const loaded = loadConfig({ cwd, env })
  if (!loaded.ok) throw new Error(loaded.error.join('; '))
  return { ...loaded.value.config, data_dir: cwd }
}

t.test('who is let in', async (t) => {
  const accessOf = (file: object, env: Record<string, string> = {}, hasNamed = false) =>
    installationOf(configOf(t, file, env), { env: {}, hasNamed }).access
  t.equal(accessOf({}), 'loopback')
  t.equal(accessOf({ gateway: { host: '127.0.0.1' } }), 'loopback')
  t.equal(accessOf({ gateway: { host: '0.0.0.0' } }), 'open')
  t.equal(accessOf({ gateway: { host: '0.0.0.0' } }, {}, true), 'token')
  t.equal(accessOf({ gateway: { host: '0.0.0.0', api_token: 'sesame' } }), 'token')
  t.equal(accessOf({}, { SVC_API_TOKEN: 'sesame' }), 'token')
})

t.test('whether it is started by itself is known only where something says so', async (t) => {
  const config = configOf(t)
  const isAutostarted = (env: Record<string, string>) =>
    installationOf(config, { env, hasNamed: false }).isAutostarted
  t.equal(isAutostarted({}), undefined)
  t.equal(isAutostarted({ STEWARD_AUTOSTART: '' }), undefined)
  t.equal(isAutostarted({ STEWARD_AUTOSTART: '1' }), true)
  t.equal(isAutostarted({ INVOCATION_ID: 'a1' }), true)
})

t.test(
  'a plan of backups is read when it is asked for; one that is damaged is unknown',
  async (t) => {
    const config = configOf(t)
    const backup = () => installationOf(config, { env: {}, hasNamed: false }).backup
    t.equal(backup(), 'none')
    writePlan(config.data_dir, { at: '15:40', to: '/elsewhere', keep: 14 })
    t.equal(backup(), 'scheduled')
    writeFileSync(join(config.data_dir, 'backup-plan.json'), '{')
    t.equal(backup(), undefined)
  },
)
