import t, { type Test } from 'tap'
import { EngineError } from '../../../src/cluster/nats/engine-error.ts'
import { JournalLog } from '../../../src/cluster/nats/journal-log.ts'
import { journalEventSubject } from '../../../src/cluster/protocol/subjects.ts'
import { clientOf } from '../../contract/cluster/nats-rig.ts'
import { commitOf, decided, newLife, takeOver } from '../../contract/cluster/rig.ts'
import { inTime, turnsUntil } from '../../in-time.ts'
import { makeStreams, openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { natsProxy } from '../fixtures/nats-proxy.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const LIMITS = { callTimeoutMs: 5_000 }
const to = (expectedSeq: number) => ({ expectedSeq, timeoutMs: 5_000 })
const KIB = 1024

async function oneServer(t: Test, change: Parameters<typeof streamSettings>[1] = {}) {
  const [server] = await natsServers(t, { count: 1 })
  const url = server?.url ?? ''
  const line = await openLine(t, [url])
  await makeStreams(line, streamSettings(1, change))
  return { url, line }
}

const failureOf = (done: Promise<unknown>) =>
  inTime(done, 'an answer').then(
    () => undefined,
    (error: unknown) => (error instanceof EngineError ? [error.failure, error.code] : error),
  )

t.test('F163 failures of an append are told apart', { skip: NO_SERVERS }, async (t) => {
  const { url, line } = await oneServer(t)
  const log = new JournalLog(line, LIMITS)
  const first = await log.append('a1', Buffer.from('1'), to(0))
  t.strictSame(await failureOf(log.append('a1', Buffer.from('2'), to(0))), ['conflict', 10_071])
  t.strictSame(await log.tail('a1'), { seq: first, bytes: Buffer.from('1') })
  t.equal(await log.tail('a2'), undefined)

  const proxy = await natsProxy(t, url)
  const far = await openLine(t, [proxy.url])
  const distant = new JournalLog(far, LIMITS)
  const committed = Promise.withResolvers<void>()
  line.subscribe(journalEventSubject('a1'), () => committed.resolve())
  await line.connection.flush()
  proxy.loseAnswers()
  const lost = distant.append('a1', Buffer.from('2'), { expectedSeq: first, timeoutMs: 100 })
  t.strictSame(await failureOf(lost), ['ambiguous', 0])
  await inTime(committed.promise, 'the servers to commit it')
  t.equal((await log.tail('a1'))?.bytes.toString(), '2', 'it stands there all the same')

  proxy.cut()
  await turnsUntil(() => !far.isOpen, 'the line to be closed')
  t.strictSame(await failureOf(distant.append('a1', Buffer.from('3'), to(2))), ['unavailable', 0])
  proxy.hangUp()
  await turnsUntil(() => far.isOpen, 'the line to be open again')
  t.equal((await distant.tail('a1'))?.bytes.toString(), '2', 'nothing of it was sent later')
})

t.test('without streams nobody listens', { skip: NO_SERVERS }, async (t) => {
  const [server] = await natsServers(t, { count: 1 })
  const log = new JournalLog(await openLine(t, [server?.url ?? '']), LIMITS)
  t.strictSame(await failureOf(log.append('a1', Buffer.from('1'), to(0))), ['unavailable', 503])
  t.strictSame(await failureOf(log.tail('a1')), ['unavailable', 10_059])
})

t.test(
  'F163 an append whose answer is lost on the way stands there once',
  { skip: NO_SERVERS },
  async (t) => {
    const { url, line } = await oneServer(t)
    const proxy = await natsProxy(t, url)
    const far = await openLine(t, [proxy.url])
    const { log } = await takeOver(t, clientOf(far), { acct: 'a1', self: newLife('n1') })
    await log.append(commitOf('before'))
    const committed = Promise.withResolvers<void>()
    line.subscribe(journalEventSubject('a1'), () => committed.resolve())
    await line.connection.flush()
    proxy.loseAnswers()
    const during = log.append(commitOf('during'))
    await inTime(committed.promise, 'the servers to commit it')
    proxy.hangUp()
    await inTime(during, 'the append to be proven')
    await log.append(commitOf('after'))
    t.strictSame(await decided(log), ['before', 'during', 'after'])
  },
)

t.test(
  'F164 a full journal refuses what is new, forgets nothing, and goes on when there is room',
  { skip: NO_SERVERS },
  async (t) => {
    const { line } = await oneServer(t, { journalBytesMax: 64 * KIB, recordBytesMax: 32 * KIB })
    const client = clientOf(line)
    const { log, stalls } = await takeOver(t, client, {
      acct: 'a1',
      self: newLife('n1'),
      limits: { stalledMs: 20 },
    })
    const journals = new JournalLog(line, LIMITS)
    const texts: string[] = []
    const append = async (text: string) => {
      await log.append(commitOf(text))
      texts.push(text)
    }
    for (let count = 0; count < 5; count++) await append(`${count}`.padEnd(10 * KIB))
    const late = log.append(commitOf('late'.padEnd(20 * KIB)))
    await turnsUntil(() => stalls.at(-1) === true, 'the pen to say that the journal stands')
    t.strictSame(
      await failureOf(journals.append('a1', Buffer.alloc(20 * KIB), to(log.place.seq))),
      ['full', 10_077],
    )
    t.strictSame(await decided(log), texts, 'all that was there is there')

    await journals.purge('a1', log.place.seq)
    await inTime(late, 'the append that waited')
    t.equal(stalls.at(-1), false, 'it flows again')
  },
)

t.test('F168 a purge leaves the last record, whoever asks', { skip: NO_SERVERS }, async (t) => {
  const { line } = await oneServer(t)
  const log = new JournalLog(line, LIMITS)
  let seq = 0
  for (const text of ['1', '2', '3', '4']) seq = await log.append('a1', Buffer.from(text), to(seq))
  const other = await log.append('a2', Buffer.from('other'), to(0))
  const rest = async (acct: string) => {
    const texts: string[] = []
    for await (const { bytes } of log.readFrom(acct, 0)) texts.push(Buffer.from(bytes).toString())
    return texts
  }
  await log.purge('a1', seq - 1)
  t.strictSame(await rest('a1'), ['3', '4'])
  await log.purge('a1', seq + 1_000)
  t.strictSame(await rest('a1'), ['4'])
  t.strictSame(await rest('a2'), ['other'])
  t.ok((await log.append('a1', Buffer.from('5'), to(seq))) > other)
  await log.purge('empty', 5)
})

t.test(
  'a line that is closed says so, and nothing waits for ever',
  { skip: NO_SERVERS },
  async (t) => {
    const { line } = await oneServer(t)
    const log = new JournalLog(line, LIMITS)
    await line.close()
    t.strictSame(await failureOf(log.tail('a1')), ['unavailable', 0])
    t.notOk(line.isOpen)
    await line.close()
  },
)
