import t from 'tap'
import { maskAccount, maskAddresses } from '../../src/domain/mask.ts'

t.test('all but the last four characters of an account id become stars', async (t) => {
  t.equal(maskAccount('10000001'), '****0001')
  t.equal(maskAccount('12345'), '*2345')
  t.equal(maskAccount('1234'), '1234')
  t.equal(maskAccount(''), '')
})

t.test('account ids in addresses become stars, and nothing else does', async (t) => {
  const table = [
    ['account/10000001', 'account/****0001'],
    ['/api/v1/accounts/10000001/orders/5', '/api/v1/accounts/****0001/orders/5'],
    ['/api/v1/metrics/10000001?x', '/api/v1/metrics/****0001?x'],
    ['/api/v1/health', '/api/v1/health'],
    ['account/10000001 is gone: 12345678', 'account/****0001 is gone: 12345678'],
    ['/api/orders', '/api/orders'],
  ] as const
  for (const [text, masked] of table) t.equal(maskAddresses(text), masked)
})
