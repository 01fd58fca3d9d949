import t from 'tap'
import { JournalLog } from '../../../src/cluster/nats/journal-log.ts'
import { followNews } from '../../../src/cluster/nats/news.ts'
import { turnsUntil } from '../../in-time.ts'
import { makeStreams, openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { natsProxy } from '../fixtures/nats-proxy.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

t.test(
  'what is kept of an account is news, and so is a connection that is there again',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    const url = server?.url ?? ''
    const line = await openLine(t, [url])
    await makeStreams(line, streamSettings(1))
    const log = new JournalLog(line, { callTimeoutMs: 5_000 })
    const seqs = new Map<string, number>()
    const append = async (acct: string) => {
      const at = { expectedSeq: seqs.get(acct) ?? 0, timeoutMs: 5_000 }
      seqs.set(acct, await log.append(acct, Buffer.from('record'), at))
    }
    const proxy = await natsProxy(t, url)
    const far = await openLine(t, [proxy.url])
    let news = 0
    const stop = followNews(far, 'a1', () => {
      news += 1
    })
    await far.connection.flush()
    await append('a2')
    await far.connection.flush()
    t.equal(news, 0, 'nothing of another account')
    await append('a1')
    await turnsUntil(() => news === 1, 'news of the record')

    proxy.cut()
    await turnsUntil(() => !far.isOpen, 'the line to be closed')
    await append('a1')
    proxy.hangUp()
    await turnsUntil(() => news === 2, 'the connection to be there again')

    stop()
    await append('a1')
    await far.connection.flush()
    t.equal(news, 2, 'who has stopped hears nothing more')
  },
)
