import t from 'tap'
import { accountsIn } from '../../../src/service/data/stopped.ts'

t.test('the database of the service is that of no account', async (t) => {
  const database = () => ({ db: { 'data.mdb': '' } })
  const folder = t.testdir({ 88001234: database(), service: database(), logs: {}, paper: {} })
  t.strictSame(accountsIn(folder), ['88001234'])
})
