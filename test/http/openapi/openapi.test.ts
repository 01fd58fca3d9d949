import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { z } from 'zod'
import { route } from '../../../http/message/routes.ts'
import { openApiDocument } from '../../../http/openapi/document.ts'
import { call, post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

type Node = Readonly<Record<string, unknown>>
const METHODS = ['get', 'post', 'put', 'delete']
const object = (value: unknown): Node => (value ?? {}) as Node
const list = (value: unknown): readonly Node[] => (value ?? []) as readonly Node[]

interface Operation {
  readonly method: string
  readonly path: string
  readonly node: Node
}
const operationsOf = (document: Node): Operation[] =>
  Object.entries(object(document['paths'])).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const node = object(item)[method]
      return node === undefined ? [] : [{ method, path, node: object(node) }]
    }),
  )

/** `get /api/orders view 200 ?version` and the fields of body and answer: what a client relies on. */
function summaryLine({ method, path, node }: Operation, document: Node): string {
  const parameters = list(node['parameters']).map(
    ({ name, required }) => `${String(name)}${required === true ? '' : '?'}`,
  )
  const body = object(object(object(node['requestBody'])['content'])['application/json'])['schema']
  const statuses = Object.keys(object(node['responses'])).filter((status) => status < '300')
  const success = object(object(node['responses'])[statuses[0] ?? ''])
  const [type = '', media] = Object.entries(object(success['content']))[0] ?? []
  return [
    `${method.toUpperCase()} ${path} ${String(node['x-scope'])} ${statuses.join(',')} ${type}`,
    ...(parameters.length > 0 ? [`  parameters: ${parameters.join(' ')}`] : []),
    ...(body === undefined ? [] : [`  body: ${fields(body, document)}`]),
    `  answer: ${fields(object(media)['schema'], document)}`,
  ].join('\n')
}

function fields(schema: unknown, document: Node, depth = 0): string {
  const node = resolved(schema, document)
  const variants = list(node['anyOf'])
  if (variants.length > 0) {
    return variants.map((variant) => fields(variant, document, depth)).join(' | ')
  }
  if (node['type'] === 'array') return `[${fields(node['items'], document, depth)}]`
  const properties = Object.entries(object(node['properties']))
  if (properties.length === 0 || depth > 3) return String(node['type'] ?? 'any')
  const required = (node['required'] ?? []) as readonly string[]
  const names = properties.map(([name, type]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${name}${mark}: ${fields(type, document, depth + 1)}`
  })
  return `{${names.join(', ')}}`
}

function resolved(schema: unknown, document: Node): Node {
  const node = object(schema)
  const { $ref } = node
  if (typeof $ref !== 'string') return node
  return $ref
    .slice(2)
    .split('/')
    .reduce<Node>((at, step) => object(at[step]), document)
}

const references = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : references(inner),
  )
}

for (const backend of ['direct', 'gateway'] as const) {
  t.test(`${backend}: the description is whole and is the route table`, async (t) => {
    const { front } =
      backend === 'direct'
        ? await directFront(t, new FakeLink('A'), { token: 'secret' })
        : await gatewayFront(t, [new FakeLink('A')], { token: 'secret' })
    const answer = await call(front.port, '/openapi.json')
    t.equal(answer.status, 200, 'without a token')
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    const document: Node = answer.body
    t.match(document, { openapi: '3.1.0', info: { title: /Steward/, version: /^\d+\.\d+\.\d+$/ } })
    const operations = operationsOf(document)
    const ids = operations.map(({ node }) => String(node['operationId']))
    t.equal(new Set(ids).size, ids.length, 'operation ids are unique')
    for (const { method, path, node } of operations) {
      t.match(node['summary'], /\p{Script=Han}.*[a-z]/u, `${method} ${path} says what it does`)
      const named = list(node['parameters']).filter((parameter) => parameter['in'] === 'path')
      t.strictSame(
        named.map(({ name }) => `{${String(name)}}`),
        path.match(/\{\w+\}/g) ?? [],
      )
    }
    for (const reference of references(document)) {
      t.not(Object.keys(resolved({ $ref: reference }, document)).length, 0, reference)
    }
    const text = operations.map((operation) => summaryLine(operation, document)).join('\n')
    // Written anew with UPDATE_SNAPSHOT=1; the difference is what clients will notice.
    const file = new URL(`../fixtures/interface.${backend}.txt`, import.meta.url)
    if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(file, `${text}\n`)
    t.equal(`${text}\n`, readFileSync(file, 'utf8').replaceAll('\r\n', '\n'))
  })

  t.test(`${backend}: the page of the description loads from here alone`, async (t) => {
    const { front } =
      backend === 'direct'
        ? await directFront(t, new FakeLink('A'))
        : await gatewayFront(t, [new FakeLink('A')])
    const page = await call(front.port, '/docs')
    t.equal(page.status, 200)
    const policy = String(page.headers['content-security-policy'])
    t.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
    t.notMatch(policy, /unsafe|https?:/)
    const named = page.text.matchAll(/<(?:script|link)\b[^>]* (?:src|href)="(\/[^"]+)"/g)
    const viewer = ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js']
    const files = [...[...named].map(([, file = '']) => file), ...viewer]
    t.equal(files.length, 4)
    for (const file of files) {
      const { status, headers, text } = await call(front.port, file)
      t.equal(status, 200, file)
      t.match(headers['content-type'], /^text\/(css|javascript); charset=utf-8$/)
      t.ok(text.length > 50)
    }
    t.notMatch(
      page.text,
      /<script>|\s(style|on\w+)=/,
      'nothing inline, which the policy would block',
    )
  })
}

t.test('what is easily left out of a description is in it', async (t) => {
  const { front } = await directFront(t, new FakeLink('A'))
  const document: Node = (await call(front.port, '/openapi.json')).body
  const at = (path: string, method: string): Node =>
    object(object(object(document['paths'])[path])[method])
  const statusesOf = (path: string, method: string) =>
    Object.keys(object(at(path, method)['responses']))
  const hidden = await call(front.port, '/api/grid/template/default', { method: 'DELETE' })
  t.match(hidden, { status: 405, headers: { allow: /GET/ } })
  t.ok(statusesOf('/api/grid/template/{name}', 'delete').includes('405'), 'hidden by another path')
  t.notOk(statusesOf('/api/grid/trades/{session_id}', 'get').includes('405'))
  t.ok(statusesOf('/api/orders', 'get').includes('304'), 'nothing has changed')
  t.notOk(statusesOf('/api/latency', 'get').includes('304'))
  const inDoubt = object(object(at('/api/actions/execute_sell', 'post')['responses'])['202'])
  t.match(inDoubt['headers'], { Location: {}, 'Retry-After': {} })
  const stream = object(object(at('/api/sse', 'get')['responses'])['200'])
  const { schema, example } = object(object(stream['content'])['text/event-stream'])
  t.match(schema, { contentSchema: { $ref: /StreamEvent$/ }, description: /Last-Event-ID/ })
  const [, data = ''] = /^data: (.*)\n\nid: [0-9a-f]+-\d+\n\n$/.exec(String(example)) ?? []
  t.match(JSON.parse(data), { positions_update: { changed: true } })
})

t.test('the numbers of an order that are described are those that are taken', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const document: Node = (await call(front.port, '/openapi.json')).body
  for (const path of ['/api/actions/place_order', '/api/orders/preview']) {
    const request = object(object(object(object(document['paths'])[path])['post'])['requestBody'])
    const { schema } = object(object(request['content'])['application/json'])
    const properties = object(object(schema)['properties'])
    const order = { order_volume: 100, price: 35 }
    const isTaken = async (type: number, price: number) => {
      for (const stock_code of ['600036', '000001']) {
        const body = { ...order, stock_code, order_type: type, price_type: price }
        const { status, body: answer } = await post(front.port, path, body)
        if (status !== 400 || !/order_type|price_type/.test(JSON.stringify(answer))) return true
      }
      return false
    }
    const taken = { order_type: [] as number[], price_type: [] as number[] }
    for (let number = 0; number < 60; number++) {
      if (await isTaken(number, 11)) taken.order_type.push(number)
      if (await isTaken(23, number)) taken.price_type.push(number)
    }
    t.strictSame(object(properties['order_type'])['enum'], taken.order_type, path)
    t.strictSame(object(properties['price_type'])['enum'], taken.price_type, path)
    t.match(object(properties['price_type'])['description'], /5 最新价.*11 限价/)
  }
})

t.test('two different schemas of one name are a mistake', (t) => {
  const row = (path: string, answer: z.ZodType) =>
    route({
      method: 'GET' as const,
      path,
      scope: 'view' as const,
      summary: '测试 (test)',
      answer,
      handle: () => ({ status: 200, body: '' }),
    })
  const first = z.object({ a: z.number() })
  const second = z.object({ a: z.string() })
  const named = (schema: z.ZodType) => schema.meta({ id: 'SameNameTwice' })
  const routes = [row('/a', named(first)), row('/b', z.object({ x: named(second) }))]
  t.throws(() => openApiDocument('direct', routes), /SameNameTwice/)
  t.end()
})
