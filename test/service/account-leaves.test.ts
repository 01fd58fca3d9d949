import t, { type Test } from 'tap'
import { ServiceError } from '../../src/domain/errors.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import {
  AccountHandle,
  type AccountHandleOptions,
} from '../../src/service/accounts/account-handle.ts'

const LATE = new ServiceError('DEADLINE_EXCEEDED', 'the thread of the cluster did not answer')
const SLOT = 7

/** An account of a process in a cluster, and what it has given back once it was left. */
function handleOn(t: Test, fail: Partial<Record<'stop' | 'leave', Error>>) {
  const given: (number | string)[] = []
  const failing = (error: Error | undefined) =>
    error === undefined ? Promise.resolve(null) : Promise.reject(error)
  const cluster = {
    node: 'node-a',
    ask: () => failing(fail.leave),
    listen: () => () => undefined,
    lineTo: () => ({ ask: () => Promise.reject(LATE) }),
  }
  const system = {
    cluster,
    clock: { nowMs: () => 0 },
    stopAccount: () => failing(fail.stop),
    leaveBooks: async (accountId: string) => void given.push(accountId),
    rows: { giveBack: (slot: number) => void given.push(slot) },
    records: () => Promise.reject(LATE),
  }
  const handle = new AccountHandle({
    system,
    slot: SLOT,
    account: { account_id: 'A', driver: 'paper', eligible: ['node-a'] },
    spawn: { policy: { accountId: 'A', alias: '', limits: { callTimeoutMs: 1 } } },
    limits: {},
    log: silentLogger,
  } as unknown as AccountHandleOptions)
  t.equal(handle.slot, SLOT)
  return { handle, given }
}

t.test(
  'F411 an account whose leave the servers do not answer gives up its row and its books',
  async (t) => {
    const { handle, given } = handleOn(t, { leave: LATE })
    await t.rejects(handle.leave(), LATE)
    t.strictSame(given, [SLOT, 'A'], 'or a process would have room for ever fewer')
  },
)

t.test('one whose thread could not be stopped keeps its row', async (t) => {
  const { handle, given } = handleOn(t, { stop: new Error('it did not end') })
  await t.rejects(handle.leave(), /did not end/)
  t.strictSame(given, ['A'])
})
