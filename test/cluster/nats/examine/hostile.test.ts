import t, { type Test } from 'tap'
import { examineCluster, initCluster } from '../../../../src/cluster/nats/examine/examine.ts'
import type { Finding } from '../../../../src/domain/finding.ts'
import { freePort } from '../../../free-ports.ts'
import { inTime } from '../../../in-time.ts'
import { greetingServer } from '../../fixtures/greeting-server.ts'

const STREAMS = {
  replicas: 1,
  journalBytesMax: 1_000_000,
  controlBytesMax: 1_000_000,
  snapshotBytesMax: 1_000_000,
  recordBytesMax: 100_000,
} as const
const BOUNDS = {
  replicas: 1,
  clockDifferenceMs: 500,
  certificateDays: 30,
  journalAlarmPercent: 70,
}

/** Long enough for a busy computer: only who says nothing at all lets it pass. */
const CONNECT_MS = 20_000

const settings = (ports: readonly number[], connectTimeoutMs = CONNECT_MS) =>
  ({
    servers: ports.map((port) => `nats://127.0.0.1:${port}`),
    name: 'test',
    inboxPrefix: '_INBOX_n1',
    reconnects: 'never',
    limits: { connectTimeoutMs, reconnectWaitMs: 10, pingMs: 1000, pingsUnansweredMax: 2 },
  }) as const

async function findingsOf(
  t: Test,
  ports: readonly number[],
  connectTimeoutMs?: number,
): Promise<readonly Finding[]> {
  const found: Finding[] = []
  const examined = {
    settings: settings(ports, connectTimeoutMs),
    operatorNkeyFile: undefined,
    streams: STREAMS,
    tries: { node: 'n1', isGateway: false },
    bounds: BOUNDS,
    own: { days: '', version: '1.0.0', node: 'n1', rules: undefined, accounts: [] },
    timeoutMs: 50,
    nowMs: Date.now(),
  }
  await inTime(
    examineCluster(examined, (some) => found.push(...some)),
    'the end of the look',
  )
  t.ok(found.length > 0)
  return found
}

const failedOf = (findings: readonly Finding[]) =>
  findings.filter(({ status }) => status === 'fail').map(({ name }) => name)

t.test('where nobody listens, each server is named', async (t) => {
  const ports = [await freePort(), await freePort()]
  const found = await findingsOf(t, ports)
  t.strictSame(failedOf(found), ['server', 'server'])
  for (const [index, port] of ports.entries()) t.match(found[index]?.text, `127.0.0.1:${port}`)
})

t.test('a server of 2.9 fails, and nothing is asked of it', async (t) => {
  const old = await greetingServer(t, '2.9.10')
  const found = await findingsOf(t, [old.port])
  t.strictSame(failedOf(found), ['server'])
  t.match(found[0]?.text, '2.9.10')
  t.notOk(old.heard.flat().some((word) => word.includes('PUB')))
})

t.test('a server without JetStream, and without an answer, fails and ends', async (t) => {
  const plain = await greetingServer(t, '2.15.1')
  const found = await findingsOf(t, [plain.port])
  t.strictSame(failedOf(found), ['jetstream'])
  t.match(
    found.filter(({ status }) => status === 'warn').map(({ name }) => name),
    ['clock', 'fsync'],
  )
})

t.test('one that says nothing at all is given up', async (t) => {
  const silent = await greetingServer(t, undefined)
  t.strictSame(failedOf(await findingsOf(t, [silent.port], 50)), ['server'])
})

t.test('nothing can be made there either', async (t) => {
  const found: Finding[] = []
  const examined = { settings: settings([await freePort()]), streams: STREAMS, timeoutMs: 50 }
  const nkeyFile = t.testdir({ nk: 'no seed' })
  for (const file of [`${nkeyFile}/nk`, `${nkeyFile}/missing`]) {
    await inTime(
      initCluster(examined, file, (some) => found.push(...some)),
      'the end',
    )
  }
  t.strictSame(failedOf(found), ['streams', 'streams'])
})
