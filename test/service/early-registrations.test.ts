import t, { type Test } from 'tap'
import { nodeAccounts, registrationOf, sharedOf } from './fixtures/node-accounts.ts'

/** A node on whose folder the account `A` was registered in an earlier life. */
const open = (t: Test) =>
  nodeAccounts(t, {
    limits: { accounts_max: 4, cluster: { lease_renew_ms: 200, engine_timeout_ms: 200 } },
    kept: ['A'],
    answer: ({ kind, accountId }) =>
      kind === 'register' ? { is: 'registered', value: sharedOf(accountId).value } : null,
  })

t.test(
  'F871 while the service starts no account is unknown, registered or unregistered',
  async (t) => {
    const { accounts } = open(t)
    const early = { code: 'ACTOR_RESTARTING', message: /正在启动.*is starting/ }
    t.throws(() => accounts.find('A'), early)
    t.throws(() => accounts.accounts(), early, 'whoever stops all must not take that for none')
    await t.rejects(accounts.unregister('A'), early)
    await t.rejects(accounts.register(registrationOf('B')), early)
    t.strictSame(accounts.known, [])
    await accounts.recall()
    t.equal(accounts.known.length, 1, 'its health can be told')
    t.match(await accounts.register(registrationOf('A')), { message: /already registered/ })
    await t.rejects(accounts.register(registrationOf('B')), early, 'it would be begun twice')
    const started = accounts.start() // of a node: it looks for the account for some seconds
    t.teardown(() => started)
    t.ok(accounts.find('A'))
    t.equal(accounts.find('B'), undefined)
    await accounts.unregister('A')
    t.equal(accounts.find('A'), undefined)
  },
)

t.test('F871 what another node registers while this one starts is begun once', async (t) => {
  const { accounts, said, tell } = open(t)
  await accounts.recall()
  tell([sharedOf('A'), sharedOf('B')])
  await new Promise(setImmediate)
  const started = accounts.start()
  t.teardown(() => started)
  await t.rejects(accounts.unregister('nobody'), { code: 'UNKNOWN_ACCOUNT' })
  t.strictSame(
    accounts.accounts().map(({ accountId }) => accountId),
    ['A', 'B'],
  )
  t.strictSame(said, [])
})
