import { createConfig, lintFromString } from '@redocly/openapi-core'
import t from 'tap'
import { faultsOf, fuzz, prepared, serveDescribed } from './fixtures/contract.ts'
import type { Reply } from './fixtures/description.ts'
import { object } from './fixtures/json-schema.ts'
import { tryExamples } from './fixtures/readme.ts'
import type { Likely } from './fixtures/requests.ts'

const SEED = Number(process.env['STEWARD_FUZZ_SEED'] ?? 20_261_122)

const sides = await serveDescribed(t)
t.test('the examples of README.md', (t) => {
  tryExamples(t, { direct: sides[0].base, gateway: sides[1].base })
  t.end()
})
/** Made once, after the examples have been tried. */
let likely: Promise<Likely> | undefined

for (const side of sides) {
  t.test(`${side.name}: a linter finds nothing in the description`, async (t) => {
    const config = await createConfig({ extends: ['recommended'] })
    const lint = async (document: object) => {
      const source = JSON.stringify(document)
      const problems = await lintFromString({ source, absoluteRef: `${side.name}.json`, config })
      return problems.map(
        ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
      )
    }
    t.strictSame(await lint(side.description.document), [])
    const { openapi, info, servers } = side.description.document
    const broken = { openapi, info, servers, paths: { '/x': { get: { responses: { 200: {} } } } } }
    t.ok((await lint(broken)).length > 0, 'and would find something')
  })

  t.test(`${side.name}: every example is what it stands for`, async (t) => {
    const { description } = side
    let count = 0
    for (const operation of description.operations) {
      const schema = description.bodySchema(operation)
      for (const example of (schema?.['examples'] ?? []) as readonly unknown[]) {
        count += 1
        t.ok(description.isBody(object(schema), example), operation.path)
      }
    }
    t.ok(count > 2)
  })

  t.test(`${side.name}: whatever is asked, the answer is described`, async (t) => {
    likely ??= prepared(sides)
    const plan = { seed: SEED, right: 4, wrong: 3, likely: await likely }
    const { asked, reached, missed } = await fuzz(t, side, plan)
    t.ok(asked > 300, `${asked} requests`)
    t.ok(reached.size > missed.size * 3, `not got through to: ${[...missed].join(', ')}`)
  })
}

t.test('an answer that is not as described is noticed', (t) => {
  const { description } = sides[1]
  const operation = description.operations.find(
    ({ path }) => path === '/api/v1/health/{account_id}',
  )
  if (operation === undefined) throw new Error('not described')
  const request = {
    method: 'GET',
    target: '',
    headers: {},
    body: undefined,
    about: '',
    isWrong: false,
  }
  const status = {
    account_id: 'A',
    connected: true,
    reconnecting: false,
    reconnect_attempts: 0,
    last_ping_ok_time: null,
    connected_at: 1.5,
    data_feed_available: true,
    trading_available: true,
    xtdata_available: true,
    xttrader_available: true,
    ready: true,
    simulation_mode: false,
    disconnected_since: null,
    failures: 0,
    last_failure: null,
    next_attempt_at: null,
    waiting_for_terminal: false,
  }
  const answer = (data: object, beside: Partial<Reply> = {}): Reply => ({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    text: JSON.stringify({ success: true, data, error: null }),
    ...beside,
  })
  const found = (reply: Reply, isWrong = false) =>
    faultsOf(description, operation, { request: { ...request, isWrong }, reply })
  t.strictSame(found(answer(status)), [])
  t.match(found(answer({ ...status, ready: 'yes' })), [/ready must be boolean/])
  t.match(found(answer({ ...status, surprise: 1 })), [/surprise/], 'a field that is not described')
  t.match(found(answer({ account_id: 'A' })), [/required/])
  t.match(found(answer(status, { status: 418 })), [/418 is not described/])
  t.match(found(answer(status, { headers: { 'content-type': 'text/html' } })), [/text.html/])
  t.match(found(answer(status, { text: '{' })), [/not JSON/])
  t.match(found(answer(status, { status: 500 })), [/^500/])
  t.match(found(answer(status), true), [/taken with 200/])
  t.end()
})
