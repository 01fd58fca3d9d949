import t from 'tap'
import {
  figure,
  inLanguage,
  isNameOf,
  type SettingRow,
  sectionName,
  sectionsOf,
  sourceWord,
  valueText,
  withUnit,
} from '../../web/console/setting-rows.ts'

const row = (path: string, fields: Partial<SettingRow> = {}): SettingRow => ({
  path,
  value: 1,
  source: 'default',
  section: path.split('.').slice(0, -1).join('.'),
  text_zh: '中文',
  text_en: 'english',
  kind: 'whole',
  unit_zh: null,
  unit_en: null,
  min: 0,
  max: 10,
  options: [],
  default: 1,
  is_dead: false,
  changed_by: 'start',
  parameter: null,
  ...fields,
})
const ROWS = [
  row('accounts[0].account_id', { value: '10000001', source: 'file' }),
  row('accounts[0].call_timeout', { text_zh: '一次调用的时限', text_en: 'limit of one call' }),
  row('accounts[1].account_id', { value: '10000002', source: 'file' }),
  row('accounts[1].qmt_path', { value: 'D:/other', source: 'file' }),
  row('risk.max_daily_loss', { value: 20_000, source: 'file', text_zh: '当日亏损上限' }),
  row('risk.max_orders_per_day', { value: 500, text_en: 'orders per day' }),
]
const shown = (wanted: Partial<Parameters<typeof sectionsOf>[1]> = {}) =>
  sectionsOf(ROWS, {
    text: '',
    onlySet: false,
    accountId: '10000001',
    heading: (name) => (name === 'risk' ? '风控' : name),
    ...wanted,
  }).map(({ name, rows }) => [name, rows.map(({ path }) => path)])

t.test('settings stand by heading, without those of other accounts', async (t) => {
  t.strictSame(shown(), [
    ['accounts[0]', ['accounts[0].account_id', 'accounts[0].call_timeout']],
    ['risk', ['risk.max_daily_loss', 'risk.max_orders_per_day']],
  ])
  t.strictSame(
    shown({ accountId: '' }).map(([name]) => name),
    ['risk'],
    'of no account while nobody knows which it is',
  )
  t.notMatch(JSON.stringify(shown({ text: 'other' })), /qmt_path/, 'nor are they found')
})

t.test('a search finds every word, in either language, name, value and heading', async (t) => {
  const found = (text: string) => shown({ text }).flatMap(([, paths]) => paths)
  t.strictSame(found('亏损'), ['risk.max_daily_loss'])
  t.strictSame(found('CALL 时限'), ['accounts[0].call_timeout'])
  t.strictSame(found('20000'), ['risk.max_daily_loss'])
  t.strictSame(found('风控  per'), ['risk.max_orders_per_day'])
  t.strictSame(found('风控 call'), [])
})

t.test('only what is set leaves the defaults out', async (t) => {
  t.strictSame(shown({ onlySet: true }).flat(2), [
    'accounts[0]',
    'accounts[0].account_id',
    'risk',
    'risk.max_daily_loss',
  ])
})

t.test('values as people read them', async (t) => {
  const words = { on: '开', off: '关', empty: '空' }
  const text = (value: unknown, unit: string | null = null, rest = {}) =>
    valueText(value, { unit, words, ...rest })
  t.equal(text(true), '开')
  t.equal(text(false), '关')
  t.equal(text(''), '空')
  t.equal(text(null), '空')
  t.equal(text([]), '空')
  t.equal(text(1_000_000, '元'), '1,000,000元')
  t.equal(text(3_000, 'ms'), '3,000 ms')
  t.equal(text(-0.075, 'ratio', { isPart: true }), '-0.075 (-7.5%)')
  t.equal(text(0.0003, '比例', { isPart: true }), '0.0003 (0.03%)')
  t.equal(text(58_800, null, { isName: true }), '58800')
  t.equal(text(['a', 'b']), 'a, b')
  t.equal(
    text([
      [0.05, 0.96],
      [0.1, 0.93],
    ]),
    '0.05 → 0.96, 0.1 → 0.93',
  )
  t.equal(text('all'), 'all')
  t.equal(withUnit('', 'ms'), ' ms')
  t.equal(figure(0.00001), '0.00001')
})

t.test('ports and seeds are names, limits are not', async (t) => {
  for (const path of ['gateway.port', 'direct.base_port', 'accounts[0].bigqmt.port', 'market.seed'])
    t.ok(isNameOf(path), path)
  for (const path of ['limits.http.url_bytes_max', 'risk.max_orders_per_day'])
    t.notOk(isNameOf(path), path)
})

t.test('sources and sections are taken apart', async (t) => {
  t.strictSame(sourceWord('env SVC_API_TOKEN'), { key: 'env', name: 'SVC_API_TOKEN' })
  t.strictSame(sourceWord('.env GW_API_TOKEN'), { key: 'dotenv', name: 'GW_API_TOKEN' })
  t.strictSame(sourceWord('file, as risk.x'), { key: 'as', name: 'risk.x' })
  t.strictSame(sourceWord('file'), { key: 'file' })
  t.equal(sectionName('accounts[12]'), 'account')
  t.equal(sectionName('tokens[0]'), 'tokens')
  t.equal(sectionName('limits.http'), 'limits.http')
  t.strictSame(inLanguage(row('a.b', { unit_zh: '元', unit_en: 'yuan' }), 'en'), {
    text: 'english',
    unit: 'yuan',
  })
})
