import t from 'tap'
import { LATE, nodeAccounts, sharedOf } from './fixtures/node-accounts.ts'

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
  tell([sharedOf('C', 3), sharedOf('D', 4)])
  await settled()
  t.strictSame(ids(), ['C', 'D'], 'B went on being traded, unregistered')
  t.match(said, [
    { alert: 'account_not_started', account: 'C' },
    { alert: 'account_not_left', account: 'A', err: LATE },
  ])
})
