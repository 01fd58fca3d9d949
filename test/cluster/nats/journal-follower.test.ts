import t from 'tap'
import { type FollowSource, followJournal } from '../../../src/cluster/nats/journal-follower.ts'
import { JournalLog } from '../../../src/cluster/nats/journal-log.ts'
import { turnsUntil } from '../../in-time.ts'
import { makeStreams, openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { natsProxy } from '../fixtures/nats-proxy.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const LIMITS = { callTimeoutMs: 1_000 }

t.test(
  'a follower hears each record once, also what was lost on the way',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    const url = server?.url ?? ''
    const line = await openLine(t, [url])
    await makeStreams(line, streamSettings(1))
    const log = new JournalLog(line, LIMITS)
    let seq = 0
    const append = async (text: string) => {
      seq = await log.append('a1', Buffer.from(text), { expectedSeq: seq, timeoutMs: 5_000 })
      return seq
    }
    await append('one')
    const afterSeq = seq
    await append('two')

    const proxy = await natsProxy(t, url)
    const far = await openLine(t, [proxy.url])
    const heard: string[] = []
    const failures: unknown[] = []
    const stop = followJournal(
      { line: far, log: new JournalLog(far, LIMITS), limits: { retryMs: 20 } },
      { acct: 'a1', afterSeq },
      {
        onRecord: ({ bytes }) => heard.push(Buffer.from(bytes).toString()),
        onFailure: (error) => failures.push(error),
      },
    )
    t.teardown(stop)
    const until = (text: string) => turnsUntil(() => heard.includes(text), text)
    await until('two')
    await append('three')
    await until('three')

    proxy.cut()
    await turnsUntil(() => !far.isOpen, 'the line to be closed')
    await append('four')
    await append('five')
    proxy.hangUp()
    await until('five')
    await append('six')
    await until('six')
    t.strictSame(heard, ['two', 'three', 'four', 'five', 'six'])

    stop()
    await append('seven')
    t.notOk(heard.includes('seven'), 'who has stopped hears nothing more')
  },
)

t.test(
  'F170 a message that was lost is noticed with the next one',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    const line = await openLine(t, [server?.url ?? ''])
    await makeStreams(line, streamSettings(1))
    const log = new JournalLog(line, LIMITS)
    const lost = new Set(['two', 'three'])
    const leaky: FollowSource['line'] = {
      onReopened: (listener) => line.onReopened(listener),
      subscribe: (subject, onMessage) =>
        line.subscribe(subject, (message) => {
          if (!lost.has(message.string())) onMessage(message)
        }),
    }
    const heard: string[] = []
    const stop = followJournal(
      { line: leaky, log, limits: { retryMs: 20 } },
      { acct: 'a1', afterSeq: 0 },
      { onRecord: ({ bytes }) => heard.push(Buffer.from(bytes).toString()), onFailure: t.error },
    )
    t.teardown(stop)
    const texts = ['one', 'two', 'three', 'four', 'five']
    let seq = 0
    for (const text of texts) {
      seq = await log.append('a1', Buffer.from(text), { expectedSeq: seq, timeoutMs: 5_000 })
      if (!lost.has(text)) await turnsUntil(() => heard.includes(text), text)
    }
    t.strictSame(heard, texts)
  },
)
