import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { CallError, type CallLimits, Calls, type Serve } from '../../../src/cluster/nats/calls.ts'
import { callSubject } from '../../../src/cluster/protocol/subjects.ts'
import { inTime, turnsUntil } from '../../in-time.ts'
import { openLine } from '../fixtures/nats-lines.ts'
import { natsProxy } from '../fixtures/nats-proxy.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const LIMITS: CallLimits = {
  perAccountMax: 2,
  perNodeMax: 3,
  bytesMax: 1_000,
  answerBytesMax: 10_000,
  keptBytesMax: 15_000,
  keepMs: 60_000,
}
const CALL_MS = 5_000

async function callerAndServer(
  t: Test,
  serve: Serve,
  onUndelivered?: (acct: string, bytes: Uint8Array) => void,
) {
  const [server] = await natsServers(t, { count: 1 })
  const url = server?.url ?? ''
  const self = { node: 'n1', inc: randomUUID() }
  const line = await openLine(t, [url], { inboxPrefix: '_INBOX_n1' })
  const stop = new Calls(line, LIMITS).serve(self, serve, onUndelivered)
  await line.connection.flush()
  const calls = new Calls(await openLine(t, [url], { inboxPrefix: '_INBOX_gw1' }), LIMITS)
  const ask = (acct: string, text: string, timeoutMs = CALL_MS) =>
    calls
      .request({ ...self, acct }, Buffer.from(text), timeoutMs)
      .then((bytes) => Buffer.from(bytes).toString())
  return { url, self, ask, stop, calls }
}

const outcomeOf = (done: Promise<unknown>) =>
  inTime(done, 'an answer').then(
    (answer) => answer,
    (error: unknown) => (error instanceof CallError ? error.outcome : error),
  )

t.test('a call reaches the account at the node that runs it', { skip: NO_SERVERS }, async (t) => {
  const { ask, self, calls, stop } = await callerAndServer(t, async (acct, bytes) =>
    Buffer.from(`${acct} says ${Buffer.from(bytes).toString()}`),
  )
  t.equal(await ask('a1', 'hello'), 'a1 says hello')
  t.equal(await ask('A-2_b', 'hello'), 'A-2_b says hello')
  const other = calls.request({ ...self, inc: randomUUID(), acct: 'a1' }, Buffer.from('x'), CALL_MS)
  t.equal(await outcomeOf(other), 'not_executed', 'nobody listens for another life of the node')
  t.equal(await outcomeOf(ask('a1', 'x'.repeat(2_000))), 'not_executed', 'too long')
  stop()
  await turnsOf(ask)
  t.equal(await outcomeOf(ask('a1', 'hello')), 'not_executed')
})

t.test(
  'a caller that wants the answer in a journal is not answered, and nothing is done',
  { skip: NO_SERVERS },
  async (t) => {
    const done: string[] = []
    const { ask, url, self } = await callerAndServer(t, async (acct, bytes) => {
      done.push(`${acct} ${Buffer.from(bytes).toString()}`)
      return bytes
    })
    const { connection } = await openLine(t, [url], { inboxPrefix: '_INBOX_gw1' })
    const subject = callSubject(self.node, self.inc, 'a1')
    connection.publish(subject, Buffer.from('forged'), { reply: 'j.1.a1' })
    await connection.flush()
    t.equal(await ask('a1', 'plain'), 'plain')
    t.strictSame(done, ['a1 plain'])
  },
)

/** Until the server knows that nobody listens any more. */
async function turnsOf(ask: (acct: string, text: string, ms: number) => Promise<unknown>) {
  while ((await outcomeOf(ask('a1', 'probe', 200))) !== 'not_executed');
}

t.test(
  'F169 more calls than a node works on are refused unexecuted',
  { skip: NO_SERVERS },
  async (t) => {
    const begun: string[] = []
    const gate = Promise.withResolvers<void>()
    const all = Promise.withResolvers<void>()
    const { ask } = await callerAndServer(t, async (acct, bytes) => {
      begun.push(`${acct} ${Buffer.from(bytes).toString()}`)
      if (begun.length === 3) all.resolve()
      await gate.promise
      return bytes
    })
    const first = [ask('a1', '1'), ask('a1', '2')]
    t.equal(await outcomeOf(Promise.race([...first, ask('a1', '3')])), 'not_executed')
    first.push(ask('a2', '4'))
    await inTime(all.promise, 'three calls to begin')
    t.equal(await outcomeOf(ask('a3', '5')), 'not_executed', 'the node is full')
    gate.resolve()
    t.strictSame(await inTime(Promise.all(first), 'the answers'), ['1', '2', '4'])
    t.strictSame(begun, ['a1 1', 'a1 2', 'a2 4'])
    t.equal(await ask('a1', '6'), '6')
  },
)

t.test('F169 a call without an answer has an unknown outcome', { skip: NO_SERVERS }, async (t) => {
  let begun = 0
  const { ask, url, self } = await callerAndServer(t, async (_, bytes) => {
    begun++
    const text = Buffer.from(bytes).toString()
    if (text === 'fails') throw new Error('of its own')
    if (text === 'much') return new Uint8Array(LIMITS.answerBytesMax + 1)
    return bytes
  })
  t.equal(await outcomeOf(ask('a1', 'fails', 200)), 'unknown')
  t.equal(await outcomeOf(ask('a1', 'much')), 'unknown')
  const proxy = await natsProxy(t, url)
  const far = new Calls(await openLine(t, [proxy.url]), LIMITS)
  proxy.loseAnswers()
  const lost = far.request({ ...self, acct: 'a1' }, Buffer.from('lost'), 300)
  t.equal(await outcomeOf(lost), 'unknown')
  await turnsUntil(() => begun === 3, 'the call whose answer was lost')
  t.equal(await ask('a1', 'again'), 'again')
})

/** Bytes of which no two parts are the same. */
const answerOf = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i / 7) % 256))

t.test(
  'F205 an answer that one message has no room for comes whole',
  { skip: NO_SERVERS },
  async (t) => {
    const lengths = new Map(
      [1_000, 1_001, 2_000, 9_999, 10_000].map((length) => [`${length}`, length]),
    )
    const { self, calls } = await callerAndServer(t, async (_, bytes) =>
      answerOf(lengths.get(Buffer.from(bytes).toString()) ?? 0),
    )
    for (const [text, length] of lengths) {
      const answer = await calls.request({ ...self, acct: 'a1' }, Buffer.from(text), CALL_MS)
      t.equal(Buffer.compare(answer, answerOf(length)), 0, text)
    }
  },
)

t.test('F205 answers that wait to be fetched are bounded', { skip: NO_SERVERS }, async (t) => {
  let served = 0
  const { ask, url, self } = await callerAndServer(t, async () => {
    served++
    return answerOf(10_000)
  })
  const far = await openLine(t, [url])
  const part = async (headers?: Record<string, string>) => {
    const subject = callSubject(self.node, self.inc, 'a1')
    const options = { timeoutMs: CALL_MS, ...(headers && { headers }) }
    return (await far.request(subject, Buffer.from('x'), options)).data.length
  }
  t.equal(await part(), 1_000, 'one part is fetched, and the rest is kept')
  t.equal(await outcomeOf(ask('a1', 'x')), 'unknown', 'there is no room for a second one')
  t.equal(await part({ 'Steward-Ticket': randomUUID(), 'Steward-Part': '1' }), 0, 'no such ticket')
  t.equal(served, 2, 'a ticket asks for nothing new')
})

t.test(
  'F205 a part that does not come leaves the outcome unknown',
  { skip: NO_SERVERS },
  async (t) => {
    const { url, calls } = await callerAndServer(t, async (_, bytes) => bytes)
    const other = { node: 'n2', inc: randomUUID(), acct: 'a1' }
    const line = await openLine(t, [url], { inboxPrefix: '_INBOX_n2' })
    let asked = 0
    line.subscribe(callSubject(other.node, other.inc, other.acct), ({ data, reply, headers }) => {
      asked++
      const isPart =
        headers?.get('Steward-Part') !== undefined && headers.get('Steward-Part') !== ''
      const parts = { 'Steward-Ticket': 'some', 'Steward-Parts': Buffer.from(data).toString() }
      if (!isPart) line.publish(reply ?? '', Buffer.from('first'), parts)
    })
    await line.connection.flush()
    const outcome = (parts: string, timeoutMs: number) =>
      outcomeOf(calls.request(other, Buffer.from(parts), timeoutMs))
    t.equal(await outcome('2', 200), 'unknown')
    t.equal(asked, 2)
    for (const parts of ['11', '1e9', 'many', '-1']) {
      t.equal(await outcome(parts, CALL_MS), 'unknown', parts)
    }
    t.equal(asked, 6, 'nobody begins to fetch what has no end')
  },
)

t.test('F206 an answer that finds its caller gone is told', { skip: NO_SERVERS }, async (t) => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const undelivered: string[] = []
  const { ask, url, self } = await callerAndServer(
    t,
    async (acct, bytes) => {
      begun.resolve()
      if (acct === 'a1') await gate.promise
      return bytes
    },
    (acct, bytes) => undelivered.push(`${acct} ${Buffer.from(bytes).toString()}`),
  )
  const gone = await openLine(t, [url], { inboxPrefix: '_INBOX_gw2' })
  const call = new Calls(gone, LIMITS).request({ ...self, acct: 'a1' }, Buffer.from('buy'), CALL_MS)
  await inTime(begun.promise, 'the call to arrive')
  await gone.close()
  t.equal(await outcomeOf(call), 'unknown')
  gate.resolve()
  await turnsUntil(() => undelivered.length > 0, 'to hear that nobody was there')
  t.equal(await ask('a2', 'another'), 'another')
  t.equal(await ask('a2', 'one more'), 'one more')
  t.strictSame(undelivered, ['a1 buy'], 'and of no other')
})
