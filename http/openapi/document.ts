import { POLICY } from '../../src/domain/errors.ts'
import { errorBody } from '../answers/envelope.ts'
import type { Backend } from '../errors.ts'
import type { Route } from '../routes.ts'
import { type JsonSchema, Schemas } from './schemas.ts'

/** Of the interface, not of the program: raised when an answer or a request changes its meaning. */
const VERSION = '1.0.0'

const INFO: Readonly<Record<Backend, { readonly title: string; readonly description: string }>> = {
  direct: {
    title: 'Steward · 直连模式 (direct mode)',
    description:
      '单个账户的完整接口，仅限本机。The full interface of one account, on this computer only. Every success carries status, data and timestamp. What the account publishes carries an ETag; sent back as If-None-Match it is answered with 304 while nothing has changed.',
  },
  gateway: {
    title: 'Steward · 网关 (gateway)',
    description:
      '多账户接口；/api/* 由请求头 X-Account-Id 选择账户，缺省为第一个。All accounts; /api/* answers for the account of X-Account-Id, else for the first one. /api/v1/* answers with success and data. What an account publishes carries an ETag; sent back as If-None-Match it is answered with 304 while nothing has changed.',
  },
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'bad input; the text names the field and what helps',
  401: 'X-API-Token is missing, wrong or expired, or public mode',
  403: 'this caller, page or token may not',
  404: 'no such account, order, path or other thing',
  405: 'this path has other methods; see Allow',
  409: 'the request contradicts what is, or a rule refuses the order',
  413: 'the body is too large',
  415: 'the body is not application/json',
  429: 'too many requests; see Retry-After',
  503: 'restarting, stopping or overloaded; see Retry-After',
  504: 'the trading client, or this service, did not answer in time',
}
const RETRY_STATUSES = [429, 503]
const codesOf = (status: number): string[] =>
  Object.entries(POLICY).flatMap(([code, policy]) => (policy.status === status ? [code] : []))

/** The description of one backend as OpenAPI 3.1, from its route table. Pure. */
export function openApiDocument(backend: Backend, routes: readonly Route[]): object {
  const schemas = new Schemas()
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const item = paths[route.path] ?? {}
    item[route.method.toLowerCase()] = operation(backend, route, schemas)
    paths[route.path] = item
  }
  const error = { 'application/json': { schema: schemas.convert(errorBody, 'output') } }
  return {
    openapi: '3.1.0',
    info: {
      ...INFO[backend],
      version: VERSION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: schemas.components(),
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, text]) => [
          `Refusal${status}`,
          refusal(Number(status), text, error),
        ]),
      ),
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-API-Token' },
      },
    },
  }
}

function refusal(status: number, text: string, content: object): object {
  const integer = { schema: { type: 'integer' } }
  const headers = {
    ...(RETRY_STATUSES.includes(status) && {
      'Retry-After': { ...integer, description: 'seconds' },
    }),
    ...(status === 405 && { Allow: { schema: { type: 'string' } } }),
  }
  const description = `${text} (${codesOf(status).join(', ')})`
  return { description, ...(Object.keys(headers).length > 0 && { headers }), content }
}

function operation(backend: Backend, route: Route, schemas: Schemas): object {
  const { method, path, scope, schemas: own, bodyUse, doc } = route
  const body = own.body && schemas.convert(own.body, 'input')
  const parameters = [
    ...pathParameters(route, schemas),
    ...queryParameters(route, schemas),
    ...headerParameters(backend, route, body),
  ]
  return {
    operationId: operationId(method, path),
    tags: [tagOf(path)],
    summary: doc.summary,
    'x-scope': scope,
    security: scope === 'open' ? [] : [{ token: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: bodyUse === 'required',
        content: { 'application/json': { schema: body } },
      },
    }),
    responses: { ...successes(route, schemas), ...refusals(backend, route) },
  }
}

/** `GET /api/v1/accounts/{account_id}/orders` → `getV1AccountsByAccountIdOrders`. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api(?=\/|$)/, '')
    .replaceAll('{', 'by_')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  const upper = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return method.toLowerCase() + (upper.join('') || 'StartPage')
}

const tagOf = (path: string): string => {
  const [first = '', second = '', third = ''] = path.split('/').slice(1)
  if (first !== 'api') return 'pages'
  return second === 'v1' ? `v1/${third}` : second
}

function successes({ doc }: Route, schemas: Schemas): Record<string, object> {
  const { answer, produces, statuses, summary } = doc
  const isText = produces !== 'application/json'
  const free: JsonSchema = { type: isText ? 'string' : 'object' }
  const schema = answer === undefined ? free : schemas.convert(answer, 'output')
  const content = { [produces]: { schema } }
  return Object.fromEntries(statuses.map((status) => [status, { description: summary, content }]))
}

function refusals(backend: Backend, { scope, schemas, path }: Route): object {
  const hasBody = schemas.body !== undefined
  const canBeMissing = path.includes('{') || backend === 'gateway' || scope !== 'open'
  const possible = [
    400,
    ...(scope === 'open' ? [] : [401]),
    403,
    ...(canBeMissing ? [404] : []),
    ...(scope === 'open' ? [] : [409]),
    ...(hasBody ? [413, 415] : []),
    ...(backend === 'gateway' || scope !== 'open' ? [429] : []),
    503,
    504,
  ]
  return Object.fromEntries(
    possible.map((status) => [status, { $ref: `#/components/responses/Refusal${status}` }]),
  )
}

const propertiesOf = (schema: JsonSchema): [string, JsonSchema][] =>
  Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)

function pathParameters({ path, schemas: own }: Route, schemas: Schemas): object[] {
  const known = own.params === undefined ? {} : schemas.convert(own.params, 'input')
  const types = Object.fromEntries(propertiesOf(known))
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: types[name] ?? { type: 'string' },
  }))
}

function queryParameters({ schemas: own }: Route, schemas: Schemas): object[] {
  if (own.query === undefined) return []
  const schema = schemas.convert(own.query, 'input')
  const required = (schema['required'] ?? []) as readonly string[]
  return propertiesOf(schema).map(([name, type]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: type,
  }))
}

function headerParameters(
  backend: Backend,
  { path }: Route,
  body: JsonSchema | undefined,
): object[] {
  const isChosen = backend === 'gateway' && /^\/api\/(?!v1\/|accounts$)/.test(path)
  const isOrder =
    body !== undefined && propertiesOf(body).some(([name]) => name === 'client_order_id')
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  })
  return [
    ...(isChosen ? [header('X-Account-Id', 'the account that is meant; else the first one')] : []),
    ...(isOrder ? [header('Idempotency-Key', 'the same key is the same order')] : []),
  ]
}
