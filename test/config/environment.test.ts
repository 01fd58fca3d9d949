import t from 'tap'
import {
  directSecrets,
  environmentOverrides,
  isTrueText,
  mergeEnvironment,
  oddSwitches,
  readDotenv,
} from '../../src/config/environment.ts'
import { inEnglish } from './fixtures/in-english.ts'

t.test('boolean text: six words mean true in any case, all others false', async (t) => {
  for (const text of ['1', 'true', 'TRUE', 'Yes', 'on', 'y', 't', ' true ']) t.ok(isTrueText(text))
  for (const text of ['0', 'false', 'no', 'off', 'n', '2', 'enabled']) t.notOk(isTrueText(text))
})

t.test('.env lines: names, values, quotes, comments, export', async (t) => {
  const { values, badLines } = readDotenv(
    [
      '\uFEFF# head',
      'A=1',
      'export B = two words # note',
      'C="quoted # kept"',
      "D='single'  # note",
      'E=',
      '',
      'not a line',
      'F=a=b#c',
      'A=2',
    ].join('\r\n'),
  )
  t.strictSame(Object.fromEntries(values), {
    A: '2',
    B: 'two words',
    C: 'quoted # kept',
    D: 'single',
    E: '',
    F: 'a=b#c',
  })
  t.strictSame(badLines, [8])
})

t.test('the process environment wins over .env; values are trimmed; empty is unset', async (t) => {
  const dotenv = new Map([
    ['A', 'file'],
    ['B', ' file '],
    ['C', ''],
  ])
  const environment = mergeEnvironment({ A: ' own ', B: '  ', D: undefined }, dotenv)
  t.strictSame(environment('A'), { value: 'own', source: 'env A' })
  t.strictSame(environment('B'), { value: 'file', source: '.env B' })
  t.equal(environment('C'), undefined)
  t.equal(environment('D'), undefined)
})

t.test('the gateway takes GW_API_TOKEN, then SVC_API_TOKEN, wherever each was found', async (t) => {
  const token = (env: Record<string, string>, dotenv: [string, string][] = []) =>
    environmentOverrides(mergeEnvironment(env, new Map(dotenv))).find(({ path }) =>
      path.includes('api_token'),
    )
  t.match(token({ GW_API_TOKEN: 'g', SVC_API_TOKEN: 's' }), { value: 'g' })
  t.match(token({ SVC_API_TOKEN: 's' }), { value: 's', source: 'env SVC_API_TOKEN' })
  t.match(token({ SVC_API_TOKEN: 's' }, [['GW_API_TOKEN', 'g']]), { source: '.env GW_API_TOKEN' })
  t.equal(token({ GW_API_TOKEN: ' ' }), undefined)
})

t.test('direct mode takes its token and its mode from the environment alone', async (t) => {
  const of = (env: Record<string, string>) => directSecrets(mergeEnvironment(env, new Map()))
  t.match(of({}), { secrets: { api_token: '', public_mode: false }, problems: [] })
  t.match(of({ GW_API_TOKEN: 'g' }), { secrets: { api_token: '' } })
  t.match(of({ SVC_API_TOKEN: 's', WEB_PUBLIC_MODE: 'yes' }), {
    secrets: { api_token: 's', public_mode: true },
  })
  t.equal(of({ WEB_PUBLIC_MODE: 'maybe' }).secrets.public_mode, false)
  t.strictSame(of({ SVC_API_TOKEN: '开门' }).problems.map(inEnglish), [
    'env SVC_API_TOKEN: must be visible ASCII characters without spaces',
  ])
})

t.test('a switch that says neither yes nor no is told, because it counts as off', async (t) => {
  const told = (env: Record<string, string>) => oddSwitches(mergeEnvironment(env, new Map()))
  t.match(told({ ENABLE_SIMULATION_MODE: 'ture' }), [
    /^env ENABLE_SIMULATION_MODE: .*counts as false/,
  ])
  t.match(told({ WEB_PUBLIC_MODE: '开' }), [/^env WEB_PUBLIC_MODE: /])
  for (const text of ['1', 'Yes', 'T', '0', 'FALSE', 'off', 'n', '']) {
    t.strictSame(told({ ENABLE_SIMULATION_MODE: text, WEB_PUBLIC_MODE: text }), [], text)
  }
})
