import t from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { tokenSchema } from '../../src/config/tokens.ts'

const token = (expires: string) => ({
  name: 'wall',
  hash: `sha256:${'0'.repeat(64)}`,
  scope: 'view',
  expires,
})

t.test('F652 a day that no calendar has is a mistake of the token, and no crash', async (t) => {
  for (const expires of ['2027-13-01', '2027-00-10', '2027-01-32', '2027-02-30', '2027-1-1']) {
    const text = JSON.stringify({ tokens: [token(expires)] })
    const loaded = loadConfig({ cwd: t.testdir({ 'steward.config.json': text }), env: {} })
    t.match(loaded, { ok: false, error: [/tokens\[0\]\.expires: .*must be a day such as/] })
  }
  for (const expires of ['', '2027-01-31', '2028-02-29']) {
    t.ok(tokenSchema.safeParse(token(expires)).success, expires)
  }
})
