import { createHash } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { account, get, type Json, post, serve } from './fixture.ts'

const OWN = '10000001'
const OTHER = '10000002'
const hash = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
const TOKENS = [
  { name: 'only-one', hash: hash('of one'), scope: 'admin', accounts: [OWN] },
  { name: 'watcher', hash: hash('of all, view'), scope: 'view' },
  { name: 'secret-chief', hash: hash('of all'), scope: 'admin' },
]
const as = (token: string) => ({ 'X-API-Token': token })
/** What only the other account, its section or somebody who may do everything knows. */
const FOREIGN = [OTHER, 'D:/other/userdata', '601318', 'secret-chief', 'watcher', 'heads.log']

/** It never ends, so it is no answer to read. */
const isStream = (method: Json | undefined): boolean =>
  JSON.stringify(method?.['responses']).includes('text/event-stream')

/** Addresses of the description that read, with what they ask for filled in. */
function readsOf(paths: Json, accountId: string): string[] {
  return Object.entries(paths)
    .filter(([, methods]) => 'get' in methods && !isStream(methods['get'] as Json))
    .map(([path, methods]) => {
      const parameters = (methods['get'] as Json)?.['parameters'] as unknown as
        | readonly { in: string; name: string; required?: boolean }[]
        | undefined
      const query = (parameters ?? [])
        .filter((each) => each.in === 'query' && each.required === true)
        .map(({ name }) => `${name}=${VALUES[name] ?? '1'}`)
      const filled = path.replace('{account_id}', accountId).replace(/\{\w+\}/g, '1')
      return query.length === 0 ? filled : `${filled}?${query.join('&')}`
    })
}
const VALUES: Readonly<Record<string, string>> = {
  stock_codes: '600036',
  stock_code: '600036',
  period: '1d',
  start_time: '20260101',
  end_time: '20260102',
}

t.test('no answer tells a token of one account anything of the others', async (t) => {
  const folder = t.testdir({})
  const { gateway, direct } = await serve(t, {
    folder,
    overrides: {
      accounts: [
        account(OWN, [{ stock_code: '600036', volume: 100, cost_price: 35 }]),
        {
          ...account(OTHER, [{ stock_code: '601318', volume: 500, cost_price: 48 }]),
          qmt_path: 'D:/other/userdata',
        },
      ],
      tokens: TOKENS,
      audit: { head_file: join(folder, 'heads.log') },
    },
  })
  const seenOf = async (base: string, path: string): Promise<string> => {
    const answer = await fetch(base + path, { headers: as('of one') })
    return `${answer.status} ${await answer.text()}`
  }
  // Something to count that only the other one has done.
  const order = { stock_code: '601318', order_type: 24, order_volume: 100, price_type: 5, price: 0 }
  await post(`${gateway}/api/v1/accounts/${OTHER}/orders`, order, as('of all'))
  let asked = 0
  for (const base of [gateway, direct[0] ?? '']) {
    const { body } = await get(`${base}/openapi.json`, as('of one'))
    for (const path of readsOf(body['paths'] as Json, OWN)) {
      const text = await seenOf(base, path)
      asked += 1
      t.notMatch(text, /^5\d\d/, path)
      for (const word of FOREIGN) t.notOk(text.includes(word), `${path} says ${word}`)
    }
  }
  t.ok(asked > 50, `${asked} addresses were asked`)
  for (const path of ['/metrics', '/api/latency']) {
    const text = await seenOf(direct[0] ?? '', path)
    t.notMatch(text, /"gateway"/, `${path}: how others use the gateway is theirs`)
  }
  t.notMatch(await seenOf(gateway, '/metrics'), /\*{4}0002/)
})

t.test('settings: each sees its own, an admin of all sees all', async (t) => {
  const { direct } = await serve(t, { overrides: { tokens: TOKENS } })
  const pathsFor = async (token: string): Promise<Set<string>> => {
    const { body } = await get(`${direct[0]}/api/settings`, as(token))
    return new Set((body['settings'] as unknown as { path: string }[]).map(({ path }) => path))
  }
  const one = await pathsFor('of one')
  t.ok(one.has('accounts[0].account_id') && one.has('strategy.STOP_LOSS_RATIO'))
  t.ok(one.has('risk.max_orders_per_day') && one.has('limits.http.read_timeout_ms'))
  for (const path of ['accounts[1].account_id', 'tokens[0].name', 'data_dir', 'audit.key_file']) {
    t.notOk(one.has(path), path)
  }
  t.notOk(one.has('gateway.ssl_keyfile') || one.has('log.folder'))
  const watcher = await pathsFor('of all, view')
  t.ok(watcher.has('accounts[1].account_id'), 'who may see all accounts sees their sections')
  t.notOk(watcher.has('tokens[0].name') || watcher.has('gateway.ssl_keyfile'))
  const chief = await pathsFor('of all')
  for (const path of ['accounts[1].account_id', 'tokens[0].name', 'data_dir', 'audit.key_file']) {
    t.ok(chief.has(path), path)
  }
})

t.test('what is of the whole process a token of one account does not change', async (t) => {
  const { gateway, direct } = await serve(t, { overrides: { tokens: TOKENS } })
  for (const path of [`${gateway}/api/v1/logs/level`, `${direct[0]}/api/logs/level`]) {
    const refused = await post(path, { level: 'debug' }, as('of one'))
    t.match(refused, { status: 403, body: { code: 'SCOPE_REFUSED' } })
    t.equal((await post(path, { level: 'silent' }, as('of all'))).status, 200)
  }
})
