import { appendFileSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import { type LoadedConfig, loadConfig } from '../../../src/config/load.ts'
import { err, ok, type Result } from '../../../src/domain/result.ts'
import { type Logger, silentLogger } from '../../../src/observability/logger.ts'
import {
  type CertificateFiles,
  readCertificate,
  timeNotice,
} from '../../../src/service/access/certificate.ts'
import { CertificateWatch } from '../../../src/service/access/certificate-watch.ts'
import { COMMANDS_DONE } from '../../../src/service/commands/commands.ts'
import { examine } from '../../../src/service/doctor/doctor.ts'
import { startService } from '../../../src/service/service.ts'
import { configFile, until } from '../fixture.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const END_MS = Date.parse('2026-12-01T12:00:00Z')
const SERVED: CertificateFiles = {
  beginMs: END_MS - 90 * DAY_MS,
  endMs: END_MS,
  fingerprint: 'AA:01',
  chain: 'AA:01 and its issuer',
}
const pem = (name: string): URL => new URL(`../../http/fixtures/${name}.pem`, import.meta.url)

function place(folder: string, name: string): void {
  copyFileSync(pem(`${name}.cert`), join(folder, 'cert.pem'))
  copyFileSync(
    pem(name === 'localhost-rsa' ? 'localhost-rsa.key' : 'localhost.key'),
    join(folder, 'key.pem'),
  )
}

function configured(folder: string, name: string, port: number, more = {}): LoadedConfig {
  mkdirSync(folder, { recursive: true })
  place(folder, name)
  const gateway = { host: '127.0.0.1', port, ssl_certfile: 'cert.pem', ssl_keyfile: 'key.pem' }
  const file = configFile(folder, { accounts: [], gateway, log: { level: 'silent' }, ...more })
  const loaded = loadConfig({ cwd: '/', env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  return loaded.value
}

/** What a command of the operator prints. */
async function said(loaded: LoadedConfig): Promise<{ check: string; doctor: string }> {
  const [check, doctor]: [string[], string[]] = [[], []]
  const version = '1.2.3'
  await COMMANDS_DONE.check(
    loaded,
    { kind: 'run', command: 'check', options: {} },
    { write: (line) => void check.push(line), version },
  )
  const write = (line: string) => void doctor.push(line)
  await examine({ loaded, write, reportFile: undefined, version, nowMs: Date.now() })
  return { check: check.join('\n'), doctor: doctor.join('\n') }
}

const read = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = get(url, { rejectUnauthorized: false }, (response) => resolve(text(response)))
    asked.once('error', reject)
  })

const aware = (t: Test) => {
  const told: { alert?: string; days?: number }[] = []
  const said: object[] = []
  const log = {
    error: (fields: object) => void told.push(fields),
    info: (fields: object) => void said.push(fields),
  } as unknown as Logger
  const clock = { nowMs: END_MS - 20 * DAY_MS }
  const files: { read: () => Promise<Result<CertificateFiles, string>> } = {
    read: async () => ok(SERVED),
  }
  const watch = new CertificateWatch({
    log,
    nowMs: () => clock.nowMs,
    served: SERVED,
    read: () => files.read(),
    warnDays: 14,
    lookMs: HOUR_MS,
  })
  t.teardown(() => watch.close())
  const alertsOf = async (hours: number): Promise<string[]> => {
    told.length = 0
    for (let hour = 0; hour < hours; hour++) {
      await watch.look()
      clock.nowMs += HOUR_MS
    }
    return told.map(({ alert, days }) => `${alert} ${days ?? ''}`.trim())
  }
  return { clock, files, alertsOf, watch, told, said }
}

t.test('F707 the end of the certificate is told once a day, two weeks before', async (t) => {
  const { clock, alertsOf } = aware(t)
  t.strictSame(await alertsOf(5 * 24), [])
  clock.nowMs = END_MS - 2 * DAY_MS
  t.strictSame((await alertsOf(3 * 24)).slice(0, 4), [
    'certificate_ending 2',
    'certificate_ending 1',
    'certificate_ending 0',
    'certificate_ended 0',
  ])
})

const RENEWED = { ...SERVED, endMs: END_MS + 60 * DAY_MS, fingerprint: 'AA:02', chain: 'AA:02' }

t.test(
  'F708 files that cannot be served are told once a day, and the former one goes on',
  async (t) => {
    const { files, alertsOf, watch } = aware(t)
    watch.exchangeBy(() => {
      throw new Error('no app')
    })
    files.read = async () => ok(RENEWED)
    t.strictSame([...new Set(await alertsOf(24))], ['certificate_replaced'])
    files.read = async () => err('no such file')
    t.strictSame([...new Set(await alertsOf(24))], ['certificate_unreadable'])
    files.read = async () => ok({ ...RENEWED, endMs: END_MS - 40 * DAY_MS })
    t.strictSame([...new Set(await alertsOf(24))], ['certificate_unfit'], 'it has ended')
    files.read = async () => ok(SERVED)
    t.strictSame(await alertsOf(24), [])
    t.match(watch.families, [{ samples: [{ value: END_MS / 1_000 }] }])
  },
)

t.test(
  'F965 a renewed certificate is exchanged once, and its end counts from then on',
  async (t) => {
    const { clock, files, alertsOf, watch, said } = aware(t)
    let exchanges = 0
    files.read = async () => ok(RENEWED)
    await watch.look()
    watch.exchangeBy(() => (exchanges += 1))
    clock.nowMs = END_MS - DAY_MS
    t.strictSame(await alertsOf(24), ['certificate_ending 1'], 'as it was at the first look')
    t.strictSame([exchanges, said.length], [1, 1])
    clock.nowMs = END_MS + DAY_MS
    t.strictSame(await alertsOf(24), [])
    t.match(watch.families, [{ samples: [{ value: RENEWED.endMs / 1_000 }] }])
  },
)

t.test('F984 another certificate of who vouches for the same one is exchanged too', async (t) => {
  const { files, watch } = aware(t)
  let exchanges = 0
  watch.exchangeBy(() => (exchanges += 1))
  files.read = async () => ok({ ...SERVED, chain: 'of another issuer' })
  await watch.look()
  await watch.look()
  t.equal(exchanges, 1)

  const folder = t.testdir()
  const { config } = configured(folder, 'localhost', 0)
  const before = readCertificate(config)
  appendFileSync(join(folder, 'cert.pem'), readFileSync(pem('localhost-rsa.cert')))
  const after = readCertificate(config)
  t.match(before, { ok: true })
  t.match(after, { ok: true })
  if (!before.ok || !after.ok) return
  t.equal(after.value.fingerprint, before.value.fingerprint)
  t.not(after.value.chain, before.value.chain)
})

t.test('files on a drive that does not answer are asked once, and the end is told', async (t) => {
  const { clock, files, watch, told } = aware(t)
  let asked = 0
  files.read = () => new Promise(() => (asked += 1))
  void watch.look()
  clock.nowMs = END_MS - DAY_MS
  void watch.look()
  t.strictSame([asked, told.map(({ alert }) => alert)], [1, ['certificate_ending']])
})

t.test('one that lives for days is told of in its last third', async (t) => {
  const short = { ...SERVED, beginMs: END_MS - 6 * DAY_MS }
  t.equal(timeNotice(short, END_MS - 3 * DAY_MS, 14), undefined)
  t.match(timeNotice(short, END_MS - DAY_MS, 14), { kind: 'ending', days: 1 })
  t.match(timeNotice(SERVED, SERVED.beginMs - DAY_MS, 14), { kind: 'early', days: 1 })
})

t.test(
  'F707 check and doctor say of a certificate that it has ended, or cannot be used',
  async (t) => {
    const folder = t.testdir()
    const ended = await said(configured(join(folder, 'ended'), 'localhost-ended', 0))
    t.match(ended.check, /gateway\.ssl_certfile: 证书已于 2026-10-30 到期/)
    t.match(ended.doctor, /^fail +certificate +证书已于 2026-10-30 到期/m)
    const good = await said(configured(join(folder, 'good'), 'localhost', 0))
    t.notMatch(good.check, /证书已于|无法使用/)
    t.match(good.doctor, /^ok +certificate +有效至 2126-10-28/m)
    const loaded = configured(join(folder, 'none'), 'localhost', 0)
    copyFileSync(pem('localhost-rsa.key'), join(folder, 'none', 'key.pem')) // renewed by half
    const none = await said(loaded)
    t.match(none.check, /gateway\.ssl_certfile, gateway\.ssl_keyfile: 无法使用/)
    t.match(none.doctor, /^fail +certificate +.*无法使用/m)
  },
)

t.test(
  'F708 the doctor sees that the gateway serves another certificate than its file',
  async (t) => {
    const folder = t.testdir()
    const loaded = configured(folder, 'localhost', 0)
    const service = await startService({
      config: loaded.config,
      scope: { kind: 'gateway' },
      log: silentLogger,
      onFatal: (reason) => {
        throw new Error(reason)
      },
    })
    t.teardown(() => service.stop())
    const port = Number(new URL(service.urls[0] ?? '').port)
    const atPort = {
      ...loaded,
      config: { ...loaded.config, gateway: { ...loaded.config.gateway, port } },
    }
    t.notMatch((await said(atPort)).doctor, /证书与文件不同/)
    const metrics = await read(`${service.urls[0]}/metrics`)
    t.match(metrics, /^steward_certificate_end_timestamp_seconds 4948900699$/m)
    place(folder, 'localhost-rsa')
    t.match((await said(atPort)).doctor, /^warn +certificate +网关端口上的证书与文件不同/m)
  },
)

/** Of the certificate that answers. Errors  rejects when the request is not answered. */
const servedTo = (url: string, agent: Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = get(`${url}/api/v1/health`, { rejectUnauthorized: false, agent }, (response) => {
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate()
      text(response).then(() => resolve(fingerprint256), reject)
    })
    asked.once('error', reject)
  })
const anew = (url: string) => servedTo(url, new Agent({ maxCachedSessions: 0 }))

t.test(
  'F965 a renewed certificate is served to new connections, and no request is lost',
  async (t) => {
    const folder = t.testdir()
    const http = { certificate_look_ms: 100 }
    const gateway = { host: '127.0.0.1', port: 0, rate_limit: 0 }
    const files = { ssl_certfile: 'cert.pem', ssl_keyfile: 'key.pem' }
    const loaded = configured(folder, 'localhost', 0, {
      gateway: { ...gateway, ...files },
      limits: { http },
    })
    const told: object[] = []
    const hear = (fields: object) => void told.push(fields)
    const log: Logger = { ...silentLogger, error: hear, info: hear, child: () => log }
    const service = await startService({
      config: loaded.config,
      scope: { kind: 'gateway' },
      log,
      onFatal: (reason) => {
        throw new Error(reason)
      },
    })
    t.teardown(() => service.stop())
    const [url = ''] = service.urls
    const open = new Agent({ keepAlive: true, maxSockets: 1 })
    t.teardown(() => open.destroy())
    const before = await servedTo(url, open)
    t.equal(await anew(url), before)

    copyFileSync(pem('localhost-rsa.cert'), join(folder, 'cert.pem')) // renewed by half
    await until(
      async () => told.map((one) => (one as { alert?: string }).alert),
      (alerts) => alerts.includes('certificate_unreadable'),
    )
    t.equal(await anew(url), before, 'the former one goes on')

    place(folder, 'localhost-rsa')
    let asked = 0
    const renewed = await until(
      async () => {
        const all = await Promise.all([anew(url), anew(url), anew(url)])
        asked += all.length
        return all
      },
      (all) => all.every((one) => one !== before),
    )
    t.ok(asked >= 3)
    t.equal(new Set(renewed).size, 1)
    t.equal(await servedTo(url, open), before, 'a connection that is open goes on')

    place(folder, 'localhost')
    await until(
      () => anew(url),
      (one) => one === before,
    )
    open.destroy()
    await service.stop()
    await t.rejects(anew(url), 'nobody listens any more')
  },
)
