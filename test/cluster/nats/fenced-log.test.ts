import t from 'tap'
import { NotAppended } from '../../../src/cluster/node/fenced-log.ts'
import { memoryRig } from '../../contract/cluster/memory-rig.ts'
import { commitOf, type JournalClient, newLife, takeOver } from '../../contract/cluster/rig.ts'
import { inTime } from '../../in-time.ts'

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
