import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { startService } from '../../src/service/service.ts'
import { account, configFile, get, serve } from './fixture.ts'

const pem = (name: string): URL =>
  new URL(`../http/fixtures/localhost.${name}.pem`, import.meta.url)
const rsaPem = (name: string): URL =>
  new URL(`../http/fixtures/localhost-rsa.${name}.pem`, import.meta.url)

/** Starts the gateway with files that stand beside its configuration. */
function start(t: Test, certificate: string | Buffer, key = pem('key')) {
  const folder = t.testdir()
  writeFileSync(join(folder, 'cert.pem'), certificate)
  copyFileSync(key, join(folder, 'key.pem'))
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

/** The suite that was agreed on, or why none was. */
function suiteWith(port: number, ciphers: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ciphers } as const
    const socket = connect({ ...options, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }, () => {
      resolve(socket.getCipher().name)
      socket.destroy()
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

t.test('TLS 1.2 only with keys that are made anew for each connection', async (t) => {
  // With a key of RSA, the only one with which there are others.
  const service = await start(t, readFileSync(rsaPem('cert')), rsaPem('key'))
  t.teardown(() => service.stop())
  const port = Number(new URL(service.urls[0] ?? '').port)
  for (const suite of ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'AES128-SHA', 'AES256-SHA256']) {
    t.match(await suiteWith(port, suite), /HANDSHAKE_FAILURE|ECONNRESET/, suite)
  }
  const kept = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']
  for (const suite of kept.map((name) => `ECDHE-RSA-${name}`)) {
    t.match(await suiteWith(port, suite), /^ECDHE-/, suite)
  }
})

t.test(
  'F548 a certificate that is none is one line for the operator, and nothing runs',
  async (t) => {
    await t.rejects(start(t, 'no certificate'), {
      name: 'StartError',
      message: /^gateway\.ssl_certfile, gateway\.ssl_keyfile: 无法使用 \(cannot be used\): /,
    })
  },
)

t.test('F709 a key of another kind than its certificate is refused at the start', async (t) => {
  const started = start(t, readFileSync(pem('cert')), rsaPem('key'))
  void started.then((service) => t.teardown(() => service.stop())).catch(() => undefined)
  await t.rejects(started, {
    name: 'StartError',
    message: /^gateway\.ssl_certfile, gateway\.ssl_keyfile: 无法使用 \(cannot be used\): .*pair/,
  })
})

t.test(
  'F732 direct mode of an account starts whatever is in the files of the gateway',
  async (t) => {
    const gateway = { port: 0, ssl_certfile: 'gone.pem', ssl_keyfile: 'gone.pem' }
    const { service } = await serve(t, {
      scope: { kind: 'direct', accountId: '10000001' },
      overrides: { accounts: [account('10000001', [])], gateway },
    })
    const [url = ''] = service.urls
    t.match(await get(`${url}/api/status`), { status: 200 })
  },
)
