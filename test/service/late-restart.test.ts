import t from 'tap'
import { FollowerLine } from '../../src/service/accounts/follower-line.ts'
import { ActorLine } from '../../src/service/lines/actor-line.ts'
import { ACCOUNT } from '../cluster/fixtures/protocol.ts'

const CALL = { deadlineMs: Number.MAX_SAFE_INTEGER, startByMs: Number.MAX_SAFE_INTEGER }

t.test('F872 an account that is being left is not started anew for another process', async (t) => {
  const restarted: string[] = []
  let isOurs = true
  const line = new FollowerLine({
    accountId: ACCOUNT,
    actor: new ActorLine('account'),
    system: {
      supervisor: { restartChild: async (name: string) => void restarted.push(name) },
    } as never,
    isConnected: () => true,
    isReduced: () => false,
    isHeld: () => false,
    isOutOfRoom: () => false,
    isUnconfirmed: () => false,
    isOurs: () => isOurs,
    heldBack: () => undefined,
    limits: { answeredWithinMs: 1_000, callTimeoutMs: 1_000 },
    log: { warn: () => undefined },
  })
  const restart = () => line.serve({ target: 'restart' }, { ...CALL, correlationId: '' } as never)
  await restart()
  t.strictSame(restarted, [`account/${ACCOUNT}`])
  isOurs = false // it is unregistered, or its process stops: its thread is being ended
  await t.rejects(restart(), { code: 'NOT_OWNER' })
  t.equal(restarted.length, 1)
})
