import fc from 'fast-check'
import t from 'tap'
import { shownSettings } from '../../../http/features/shown-settings.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { SCOPES } from '../../../src/domain/scope.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront } from '../fixtures/fronts.ts'

t.test('a process that was told nothing has nothing to show', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const { status, body } = await call(front.port, '/api/settings')
  t.equal(status, 200)
  t.match(body, { status: 'success', settings: [] })
})

t.test('every setting is shown with its source, a secret never with its value', async (t) => {
  const settings = [
    { path: 'market.source', value: 'replay', source: 'file', isSecret: false },
    { path: 'direct.api_token', value: 'hush', source: 'env SVC_API_TOKEN', isSecret: true },
  ]
  const { front } = await directFront(t, new FakeLink('A'), { settings })
  const { body, text } = await call(front.port, '/api/settings')
  t.match(body, {
    settings: [
      { path: 'market.source', value: 'replay', source: 'file' },
      { path: 'direct.api_token', value: '*** (4 characters)', source: 'env SVC_API_TOKEN' },
    ],
  })
  t.notMatch(text, /hush/)
})

t.test('a described setting says meaning, range and how it is changed', async (t) => {
  const of = (path: string, value: unknown) => ({ path, value, source: 'file', isSecret: false })
  const settings = [
    of('market.source', 'simulated'),
    of('risk.max_order_value', 5_000),
    of('strategy.BUY_GRID_LEVELS', [1, 0.93, 0.88]),
    of('strategy.ENABLE_DYNAMIC_STOP_PROFIT', true),
    of('limits.http.read_timeout_ms', 3_000),
    of('not.a.setting', 1),
  ]
  const configFile = '/srv/steward/steward.config.json'
  const { front } = await directFront(t, new FakeLink('A'), { settings, configFile })
  const { body } = await call(front.port, '/api/settings/described')
  const { file, settings: rows } = body['data'] as { file: string; settings: unknown[] }
  t.equal(file, configFile)
  t.equal(rows.length, 5, 'what the schema does not know is not shown')
  t.match(rows, [
    { kind: 'text', section: 'market', changed_by: 'start', min: null, unit_zh: null },
    {
      path: 'risk.max_order_value',
      value: 5_000,
      source: 'file',
      section: 'risk',
      text_zh: /最大金额/,
      text_en: /largest value/,
      kind: 'number',
      unit_zh: '元',
      unit_en: 'yuan',
      min: 0,
      max: 1e11,
      default: 0,
      changed_by: 'risk',
      parameter: null,
    },
    { kind: 'list', changed_by: 'config', parameter: 'stopLossBuy' },
    { kind: 'flag', changed_by: 'start', parameter: null },
    { kind: 'whole', unit_en: 'ms', section: 'limits.http', default: 3_000 },
  ])
})

t.test('whoever is no admin of all is told neither secrets nor other accounts', async (t) => {
  const cwd = t.testdir({
    'steward.config.json': JSON.stringify({
      accounts: ['10000001', '10000002', '10000003'].map((id) => ({
        account_id: id,
        qmt_path: `D:/qmt/${id}`,
      })),
      tokens: [{ name: 'chief', hash: `sha256:${'ab'.repeat(32)}`, scope: 'admin' }],
    }),
  })
  const loaded = loadConfig({ cwd, env: { SVC_API_TOKEN: 'a-secret-token' } })
  if (!loaded.ok) throw new Error(loaded.error.join('; '))
  const { settings } = loaded.value
  const ids = ['10000001', '10000002', '10000003']
  const caller = fc.record({
    scope: fc.constantFrom(...SCOPES),
    accounts: fc.option(fc.subarray(ids), { nil: undefined }),
  })
  fc.assert(
    fc.property(caller, ({ scope, accounts }) => {
      const own = accounts && new Set(accounts)
      const shown = shownSettings(settings, { scope, accounts: own })
      if (scope === 'admin' && own === undefined) return
      const text = JSON.stringify(shown)
      for (const id of ids) t.equal(text.includes(id), own?.has(id) ?? true, `${id} in ${scope}`)
      t.notOk(shown.some(({ isSecret }) => isSecret))
      t.notMatch(text, /a-secret-token|chief|data_dir/)
    }),
    { numRuns: 100 },
  )
})

t.test(
  'the checklist of the first start is told what is known, and null for the rest',
  async (t) => {
    const { front: silent } = await directFront(t, new FakeLink('A'))
    t.match((await call(silent.port, '/api/first-start')).body, {
      data: { backup: null, autostart: null, access: null },
    })
    const { front } = await directFront(t, new FakeLink('A'), {
      installation: () => ({ backup: 'none', isAutostarted: undefined, access: 'token' }),
    })
    t.match((await call(front.port, '/api/first-start')).body, {
      status: 'success',
      data: { backup: 'none', autostart: null, access: 'token' },
    })
  },
)
