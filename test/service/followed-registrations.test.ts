import t from 'tap'
import { encode } from '../../src/protocol/codec.ts'
import { LATE, nodeAccounts, registrationOf, sharedOf } from './fixtures/node-accounts.ts'

/** A start waits some renewals for an account to be found. */
const SOON = { lease_renew_ms: 200, engine_timeout_ms: 200 }

t.test('F412 an account that cannot be left or begun keeps no other from following', async (t) => {
  const { accounts, said, tell } = nodeAccounts(t, {
    limits: { accounts_max: 2 },
    answer: ({ kind, accountId }) => {
      if (kind === 'leave' && accountId === 'A') throw LATE
      return null
    },
  })
  const ids = () => accounts.accounts().map(({ accountId }) => accountId)
  const settled = () => accounts.unregister('nobody').catch(() => undefined)
  await accounts.recall()
  await accounts.start()
  tell([sharedOf('A', 1), sharedOf('B', 2), sharedOf('C', 3)])
  await settled()
  t.strictSame(ids(), ['A', 'B'], 'there is no room for a third one')
  tell([sharedOf('C', 3), sharedOf('D', 4)], ['A', 'B'])
  await settled()
  t.strictSame(ids(), ['C', 'D'], 'B went on being traded, unregistered')
  t.match(said, [
    { alert: 'account_not_started', account: 'C' },
    { alert: 'account_not_left', account: 'A', err: LATE },
  ])
})

t.test(
  'F889 an account whose registration the servers have lost is let go with a word',
  async (t) => {
    const { accounts, said, tell } = nodeAccounts(t, {
      limits: { accounts_max: 3, cluster: SOON },
      kept: ['A', 'B', 'C'],
      answer: () => null,
    })
    const settled = () => accounts.unregister('nobody').catch(() => undefined)
    await accounts.recall()
    tell([sharedOf('C')], ['B']) // their bucket is of before A was registered
    const started = accounts.start()
    t.teardown(() => started)
    await settled()
    t.strictSame(
      accounts.accounts().map(({ accountId }) => accountId),
      ['C'],
    )
    t.strictSame(said, [{ alert: 'registration_lost', account: 'A' }], 'B was unregistered')
  },
)

t.test('F890 a registration of a later release is told, and lets nothing go', async (t) => {
  const { accounts, said, tell } = nodeAccounts(t, {
    limits: { accounts_max: 2, cluster: SOON },
    kept: ['A'],
    answer: () => null,
  })
  const settled = () => accounts.unregister('nobody').catch(() => undefined)
  const later = (accountId: string) => {
    const registration = { ...registrationOf(accountId), of_a_later_release: true }
    return { accountId, value: encode({ ord: 1, registration }) }
  }
  await accounts.recall()
  const started = accounts.start()
  t.teardown(() => started)
  tell([later('A'), later('B')])
  tell([later('A'), later('B')])
  await settled()
  t.strictSame(
    accounts.accounts().map(({ accountId }) => accountId),
    ['A'],
  )
  t.strictSame(said, [{ alert: 'account_not_started', account: 'B' }], 'once')
})

t.test(
  'F895 an account that was unregistered here and returns with its old registration is told',
  async (t) => {
    const { accounts, said, tell } = nodeAccounts(t, {
      limits: { accounts_max: 3, cluster: SOON },
      kept: ['A'],
      answer: () => null,
    })
    const settled = () => accounts.unregister('nobody').catch(() => undefined)
    const ids = () => accounts.accounts().map(({ accountId }) => accountId)
    await accounts.recall()
    const started = accounts.start()
    t.teardown(() => started)
    tell([sharedOf('A', 1)])
    tell([], ['A'])
    await settled()
    t.strictSame([ids(), said], [[], []])
    tell([sharedOf('A', 1), sharedOf('B', 2)]) // their bucket is of before that
    await settled()
    t.strictSame(ids(), ['A', 'B'])
    t.strictSame(said, [{ alert: 'registration_returned', account: 'A' }], 'B is only new here')
    tell([sharedOf('B', 2)], ['A'])
    await settled()
    tell([sharedOf('A', Date.now() + 60_000), sharedOf('B', 2)])
    await settled()
    t.strictSame(ids(), ['B', 'A'])
    t.equal(said.length, 1, 'A was registered again by somebody')
  },
)
