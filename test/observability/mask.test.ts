import t from 'tap'
import { maskAccount } from '../../src/observability/mask.ts'

t.test('all but the last four characters of an account id become stars', async (t) => {
  t.equal(maskAccount('10000001'), '****0001')
  t.equal(maskAccount('12345'), '*2345')
  t.equal(maskAccount('1234'), '1234')
  t.equal(maskAccount(''), '')
})
