import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { startService } from '../../src/service/service.ts'
import { configFile } from './fixture.ts'

const pem = (name: string): URL =>
  new URL(`../http/fixtures/localhost.${name}.pem`, import.meta.url)

/** Starts the gateway with files that stand beside its configuration. */
function start(t: Test, certificate: string | Buffer) {
  const folder = t.testdir()
  writeFileSync(join(folder, 'cert.pem'), certificate)
  copyFileSync(pem('key'), join(folder, 'key.pem'))
  const gateway = { host: '127.0.0.1', port: 0, ssl_certfile: 'cert.pem', ssl_keyfile: 'key.pem' }
  const file = configFile(folder, { accounts: [], gateway, log: { level: 'silent' } })
  const loaded = loadConfig({ cwd: '/', env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  return startService({
    config: loaded.value.config,
    scope: { kind: 'gateway' },
    log: silentLogger,
    onFatal: (reason) => {
      throw new Error(reason)
    },
  })
}

t.test('with certificate and key the gateway is served as HTTPS', async (t) => {
  const ca = readFileSync(pem('cert'))
  const service = await start(t, ca)
  t.teardown(() => service.stop())
  const [url = ''] = service.urls
  t.match(url, /^https:/)
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request(`${url}/api/v1/health`, { ca }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
  t.equal(status, 200)
})

t.test('a certificate that is none is one line for the operator, and nothing runs', async (t) => {
  await t.rejects(start(t, 'no certificate'), {
    name: 'StartError',
    message: /^gateway\.ssl_certfile and ssl_keyfile: cannot be used: /,
  })
})
