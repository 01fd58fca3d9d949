import t from 'tap'
import { BrokenChain, NotAppended } from '../../../src/cluster/node/fenced-log.ts'
import { memoryRig } from '../../contract/cluster/memory-rig.ts'
import { commitOf, type JournalClient, newLife, takeOver } from '../../contract/cluster/rig.ts'
import { inTime } from '../../in-time.ts'

const START = { seq: 0, hash: '' }

t.test('a journal whose records are not chained is not read', async (t) => {
  const client = await memoryRig().client()
  const { log } = await takeOver(t, client, { acct: 'a1', self: newLife('n1') })
  await log.append(commitOf('one'))
  const read = async (from: typeof START) => {
    let count = 0
    for await (const place of log.readFrom(from)) count += place.seq > 0 ? 1 : 0
    return count
  }
  t.equal(await read(START), 2, 'the epoch, and what was decided')
  await t.rejects(read({ seq: 0, hash: 'f'.repeat(64) }), BrokenChain)
  await t.rejects(read({ ...START, seq: 1 }), BrokenChain)
})

t.test('a record that cannot be read ends the reading', async (t) => {
  const client = await memoryRig().client()
  const { log } = await takeOver(t, client, { acct: 'a1', self: newLife('n1') })
  const to = { expectedSeq: log.place.seq, timeoutMs: 1_000 }
  await client.journals.append('a1', Buffer.from([0xc1]), to)
  await t.rejects(async () => {
    for await (const place of log.readFrom(START)) t.ok(place.seq)
  }, BrokenChain)
})

t.test('a pen that is laid down settles all that waits', async (t) => {
  const client = await memoryRig().client()
  const never = new Promise<never>(() => undefined)
  let isDead = false
  const deaf: JournalClient = {
    ...client,
    journals: {
      tail: (acct, timeoutMs) => client.journals.tail(acct, timeoutMs),
      readFrom: (acct, seq) => client.journals.readFrom(acct, seq),
      append: (acct, bytes, to) => (isDead ? never : client.journals.append(acct, bytes, to)),
    },
  }
  const { log, fenced, stalls } = await takeOver(t, deaf, {
    acct: 'a1',
    self: newLife('n1'),
    limits: { stalledMs: 1 },
  })
  isDead = true
  const waiting = [log.append(commitOf('one')), log.append(commitOf('two')), log.release()]
  log.close()
  for (const each of await inTime(Promise.allSettled(waiting), 'all that waits')) {
    t.equal(each.status, 'rejected')
    t.ok(each.status === 'rejected' && each.reason instanceof NotAppended)
  }
  t.equal(await inTime(fenced, 'the end'), 'closed')
  t.strictSame(stalls, [])
})
