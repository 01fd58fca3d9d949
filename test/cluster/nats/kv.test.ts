import t from 'tap'
import { Kv } from '../../../src/cluster/nats/kv.ts'
import { CONTROL_BUCKET } from '../../../src/cluster/protocol/subjects.ts'
import { makeStreams, openLine, streamSettings } from '../fixtures/nats-lines.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const CALL_MS = 5_000

t.test(
  'F729 what is written over a removal names it, and stands over no later one',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    const line = await openLine(t, [server?.url ?? ''])
    await makeStreams(line, streamSettings(1))
    const kv = new Kv(line, CONTROL_BUCKET)
    const write = (text: string, revision: number) =>
      kv.update('n.n1', Buffer.from(text), { revision, timeoutMs: CALL_MS })
    const removed = async (operation: 'DEL' | 'PURGE') => {
      const headers = { 'KV-Operation': operation }
      await line.request('$KV.CTL.n.n1', new Uint8Array(0), { timeoutMs: CALL_MS, headers })
      const { entry, revision } = await kv.standing('n.n1', CALL_MS)
      t.equal(entry, undefined, 'it is not there')
      return revision
    }
    t.strictSame(await kv.standing('n.n1', CALL_MS), { entry: undefined, revision: 0 })
    const up = await write('up', 0)
    t.equal((await kv.standing('n.n1', CALL_MS)).revision, up)
    const first = await removed('DEL')
    t.equal(first, up + 1)
    await t.rejects(write('as if it had never been there', 0), /wrong last sequence/)
    const next = await write('the next life', first)
    const second = await removed('PURGE')
    t.equal(second, next + 1)
    await t.rejects(write('a fence of the life before', first), /wrong last sequence/)
    t.ok(await write('a fence of the next life', second))
  },
)
