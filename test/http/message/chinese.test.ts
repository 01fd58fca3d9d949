import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { type FrontOptions, frontParts } from '../../../http/front.ts'
import { errorReply } from '../../../http/message/errors.ts'
import type { Route } from '../../../http/message/routes.ts'
import { type ErrorCode, POLICY, ServiceError } from '../../../src/domain/errors.ts'
import { asked } from '../fixtures/fake-raw.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directOptions, gatewayOptions } from '../fixtures/fronts.ts'

const CHINESE = /[\u3400-\u9fff]/
const CODES = Object.keys(POLICY) as ErrorCode[]

t.test(
  'whatever is refused is said in Chinese, also where its text was English alone',
  async (t) => {
    const at = { backend: 'direct', nowMs: 0, retryAfterSeconds: 1 } as const
    for (const code of CODES) {
      const body = JSON.parse(String(errorReply(new ServiceError(code, 'plain (text)'), at).body))
      t.match(body.message_zh, CHINESE, code)
      t.equal(body.message_en, 'plain (text)', code)
      t.equal(body.error, body.message)
    }
    const quoted = new ServiceError('CONFLICT', 'somebody said “不行”')
    t.match(JSON.parse(String(errorReply(quoted, at).body)).message_zh, /^与当前状态冲突/)
  },
)

const WRONG = [null, true, -1, 0, 1e300, 1.5, '', 'x', '\0', '9'.repeat(400), [], [[]], {}]
const TEXTS = ['', 'x', '-1', '0', '1e400', '2026-02-30', '99991231', '9'.repeat(400), '%00']
const BODIES = ['', '{', '[]', '{"a":1,"a":2}', '{"__proto__":1}', '{"unknown":1}']

const namesOf = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : []

/** What a stranger may send to a route: each field with each wrong value, and what is no request at all. */
function* wrongRequests({ method, path, schemas, bodyUse }: Route) {
  const own = path.replaceAll('{account_id}', 'A').replaceAll(/\{\w+\}/g, '1')
  yield { method: 'PATCH', path: own }
  for (const text of [...TEXTS.slice(1), '%ff', '%20']) {
    yield { method, path: path.replaceAll(/\{\w+\}/g, text) }
  }
  yield { method, path: own }
  for (const name of namesOf(schemas.query)) {
    for (const text of TEXTS) yield { method, path: own, query: `${name}=${text}` }
  }
  if (bodyUse === 'none') return
  yield { method, path: own, body: '{}', headers: { 'content-type': 'text/plain' } }
  for (const body of BODIES) yield { method, path: own, body }
  for (const name of namesOf(schemas.body)) {
    for (const value of WRONG) yield { method, path: own, body: JSON.stringify({ [name]: value }) }
  }
}

/** Texts of a refusal that a reader of Chinese does not understand. */
function untold(text: string): string[] {
  const { message_zh, errors = [] } = JSON.parse(text)
  return [message_zh, ...errors].filter((said: unknown) => !CHINESE.test(String(said)))
}

async function refusalsOf(t: Test, options: FrontOptions): Promise<number> {
  const { dispatcher, routes, close } = frontParts(options, { port: 5_000 })
  t.teardown(close)
  const wrong: string[] = []
  let count = 0
  for (const route of routes.filter(({ path }) => path.startsWith('/api/'))) {
    for (const request of wrongRequests(route)) {
      const { status, text } = await asked(dispatcher, {
        peer: '127.0.0.1',
        headers: {},
        ...request,
      })
      if (status < 400) continue
      count += 1
      const texts = untold(text)
      if (texts.length > 0) wrong.push(`${route.method} ${route.path}: ${texts.join(' | ')}`)
    }
  }
  t.strictSame(wrong, [])
  return count
}

t.test('every refusal of direct mode has Chinese, and so has each field of it', async (t) => {
  t.ok((await refusalsOf(t, directOptions(new FakeLink('A'), {}))) > 1_000)
})

t.test('every refusal of the gateway has Chinese, and so has each field of it', async (t) => {
  t.ok((await refusalsOf(t, gatewayOptions([new FakeLink('A')], {}))) > 500)
})

/** Literal texts of refusals, as they stand in the source. */
const REFUSAL = /new ServiceError\(\s*'[A-Z_]+',\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g
const englishIn = (source: string): string[] =>
  [...source.matchAll(REFUSAL)].flatMap(([, plain, pattern]) => {
    const text = plain ?? pattern ?? ''
    return CHINESE.test(text) || /^\$\{[^}]*\}$/.test(text) ? [] : [text]
  })

t.test('refusals of the front are worded in both languages where they are made', async (t) => {
  t.strictSame(englishIn("new ServiceError('CONFLICT', 'no')"), ['no'], 'one that is planted')
  const folder = join(import.meta.dirname, '../../../http')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    t.strictSame(englishIn(readFileSync(join(folder, file), 'utf8')), [], file)
  }
})
