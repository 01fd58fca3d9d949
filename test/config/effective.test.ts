import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { formatEffective, maskSecret } from '../../src/config/effective.ts'
import { loadConfig } from '../../src/config/load.ts'

t.test('a secret shows its length and nothing of itself', async (t) => {
  t.equal(maskSecret('sesame'), '*** (6 characters)')
  t.equal(maskSecret(''), '(none)')
})

t.test(
  'every setting is listed with value and source, then warnings, then the verdict',
  async (t) => {
    const cwd = t.testdir({
      'steward.config.json': '{"log": {"level": "warn"}, "gateway": {"rate_limit": 0}}',
    })
    const loaded = loadConfig({ cwd, env: { SVC_API_TOKEN: 'sesame' } })
    if (!loaded.ok) throw new Error(loaded.error.join())
    const text = formatEffective(loaded.value)
    const row = (path: string) => text.split('\n').find((line) => line.startsWith(`${path} `))
    t.match(row('log.level'), /"warn" +file$/)
    t.match(row('direct.base_port'), /5000 +default$/)
    t.match(row('direct.api_token'), /\*\*\* \(6 characters\) +env SVC_API_TOKEN$/)
    t.match(row('gateway.api_token'), /\*\*\* \(6 characters\) +env SVC_API_TOKEN$/)
    t.match(row('strategy.ENABLE_SIMULATION_MODE'), /false +default$/)
    t.match(text, /\nwarning: .*\(gateway.rate_limit is 0: requests are not limited\)\n/)
    t.ok(text.endsWith('\n配置有效 (configuration is valid)\n'))
  },
)

t.test('a named token is listed with all but its hash', async (t) => {
  const hash = `sha256:${'ab'.repeat(32)}`
  const tokens = [{ name: 'wall', hash, scope: 'view', expires: '2099-12-31' }]
  const cwd = t.testdir({ 'steward.config.json': JSON.stringify({ tokens }) })
  const loaded = loadConfig({ cwd, env: {} })
  if (!loaded.ok) throw new Error(loaded.error.join())
  const text = formatEffective(loaded.value)
  for (const row of [
    /tokens\[0\]\.name +"wall" +file/,
    /tokens\[0\]\.expires +"2099-12-31" +file/,
  ]) {
    t.match(text, row)
  }
  t.match(text, /tokens\[0\]\.hash +\*\*\* \(71 characters\) +file/)
  t.notMatch(text, /abab/)
})

t.test('neither the listing nor a message ever holds a secret', async (t) => {
  const cwd = t.testdir()
  // The first characters keep a random token from being a word of the listing by chance.
  const secret = fc.string({ minLength: 1, maxLength: 40 }).map((text) => `§q7${text}`)
  const ascii = fc.stringMatching(/^[!-~]{1,40}$/).map((text) => `~q7${text}`)
  const token = fc.oneof(secret, ascii)
  const place = fc.constantFrom('file', 'SVC_API_TOKEN', 'GW_API_TOKEN', '.env')
  fc.assert(
    fc.property(token, place, fc.boolean(), (token, place, isBroken) => {
      const gateway = place === 'file' ? { api_token: token } : {}
      const file = { gateway, ...(isBroken ? { qqq: 1 } : {}) }
      writeFileSync(join(cwd, 'steward.config.json'), JSON.stringify(file))
      writeFileSync(join(cwd, '.env'), place === '.env' ? `GW_API_TOKEN='${token}'\n` : '')
      const env = place.endsWith('TOKEN') ? { [place]: token } : {}
      const loaded = loadConfig({ cwd, env })
      const shown = loaded.ok ? formatEffective(loaded.value) : loaded.error.join('\n')
      return shown.length > 0 && !shown.includes(token.trim())
    }),
  )
})
