import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  ConnectionError,
  type ConnectionSettings,
  type ConnectionState,
  openConnection,
} from '../../../src/cluster/nats/connect.ts'
import { inBoth } from '../../../src/domain/in-both.ts'
import { freePort } from '../../free-ports.ts'
import { inTime, turnsUntil } from '../../in-time.ts'
import { greetingServer } from '../fixtures/greeting-server.ts'

const settings = (port: number, change: Partial<ConnectionSettings> = {}): ConnectionSettings => ({
  servers: [`nats://127.0.0.1:${port}`],
  name: 'test',
  inboxPrefix: '_INBOX_test',
  reconnects: 'never',
  limits: { connectTimeoutMs: 20_000, reconnectWaitMs: 10, pingMs: 1000, pingsUnansweredMax: 2 },
  ...change,
})

const quiet = () => undefined

/** The error that the attempt ends with. */
async function refusal(t: Test, wanted: ConnectionSettings): Promise<ConnectionError> {
  const attempt = openConnection(wanted, quiet)
  t.teardown(() => attempt.then((connection) => connection.close()).catch(quiet))
  const error = await inTime(
    attempt.then(
      () => undefined,
      (error: unknown) => error,
    ),
    'the end of the attempt',
  )
  if (!(error instanceof ConnectionError)) throw new Error(`no refusal but ${String(error)}`)
  const { zh, en } = inBoth(error.message)
  t.not(zh, en, 'said in both languages')
  return error
}

function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'connect-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

t.test('a server of 2.9 is refused, with its version and what to install', async (t) => {
  const server = await greetingServer(t, '2.9.10')
  const error = await refusal(t, settings(server.port))
  t.equal(error.fault, 'version')
  for (const part of ['2.9.10', '2.14.5', `127.0.0.1:${server.port}`]) t.match(error.message, part)
})

t.test('a server that is older at a reconnect hears nothing of ours', async (t) => {
  const server = await greetingServer(t, '2.15.1')
  const states: ConnectionState[] = []
  const forever = settings(server.port, { reconnects: 'forever' })
  const connection = await openConnection(forever, (state) => states.push(state))
  t.teardown(() => connection.close())
  connection.subscribe('orders')
  await connection.flush()
  t.strictSame(states, [
    { state: 'connected', server: `127.0.0.1:${server.port}`, version: '2.15.1' },
  ])
  server.greetWith('2.9.10')
  server.hangUp()
  await inTime(connection.closed(), 'the end of the connection')
  await turnsUntil(() => states.at(-1)?.state === 'closed', 'the last state')
  const last = states.at(-1)
  t.match(last, { state: 'closed', reason: { fault: 'version' } })
  t.match(last?.state === 'closed' ? last.reason?.message : '', '2.9.10')
  t.ok(server.heard[0]?.includes('SUB'), 'the first heard a subscription')
  t.strictSame(server.heard.slice(1).flat(), [], 'the old one heard nothing')
})

t.test('it connects again for ever, and tells each state', async (t) => {
  const server = await greetingServer(t, '2.15.1')
  const states: ConnectionState[] = []
  const forever = settings(server.port, { reconnects: 'forever' })
  const connection = await openConnection(forever, (state) => states.push(state))
  t.teardown(() => connection.close())
  server.greetWith('2.12.15')
  server.hangUp()
  const isAgain = () => states.filter(({ state }) => state === 'connected').length === 2
  await turnsUntil(isAgain, 'the second connection')
  t.strictSame(
    new Set(states.map(({ state }) => state)),
    new Set(['connected', 'disconnected', 'reconnecting']),
  )
  t.match(states.at(-1), { version: '2.12.15' })
  await connection.close()
  await turnsUntil(() => states.at(-1)?.state === 'closed', 'the last state')
  t.strictSame(states.at(-1), { state: 'closed' })
})

t.test('who does not listen, and who says nothing, is unreachable', async (t) => {
  const nobody = await refusal(t, settings(await freePort()))
  t.equal(nobody.fault, 'unreachable')
  const silent = await greetingServer(t, undefined)
  const limits = { ...settings(0).limits, connectTimeoutMs: 50 }
  const error = await refusal(t, settings(silent.port, { limits }))
  t.equal(error.fault, 'unreachable')
})

t.test('a server without encryption is refused when files for it are given', async (t) => {
  const server = await greetingServer(t, '2.15.1')
  const caFile = join(folder(t), 'ca.pem')
  writeFileSync(caFile, '')
  const error = await refusal(t, settings(server.port, { tls: { caFile } }))
  t.equal(error.fault, 'encryption')
})

t.test('of a file that cannot be used the name is said, never what it holds', async (t) => {
  const dir = folder(t)
  const missing = join(dir, 'missing.pem')
  t.match(await refusal(t, settings(1, { tls: { caFile: missing } })), { fault: 'file' })
  const nkeyFile = join(dir, 'node.nk')
  const secrets = ['not a seed at all', `SU${'A'.repeat(56)}`, 'SUAOOPS']
  for (const secret of secrets) {
    writeFileSync(nkeyFile, `${secret}\n`)
    chmodSync(nkeyFile, 0o600)
    const error = await refusal(t, settings(1, { nkeyFile }))
    t.equal(error.fault, 'file')
    t.match(error.message, nkeyFile)
    t.notMatch(error.message, secret)
  }
})

t.test('a password in an address is shown to nobody', async (t) => {
  const port = await freePort()
  const error = await refusal(
    t,
    settings(port, { servers: [`nats://user:hidden@127.0.0.1:${port}`] }),
  )
  t.match(error.message, `127.0.0.1:${port}`)
  t.notMatch(error.message, 'hidden')
})
