import { POLICY } from '../../src/domain/errors.ts'
import { errorBody } from '../answers/envelope.ts'
import type { Backend } from '../message/errors.ts'
import type { Route } from '../message/routes.ts'
import type { JsonSchema, Schemas } from './schemas.ts'

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

/** Answers that many routes give, under their names. */
export function sharedResponses(schemas: Schemas): Record<string, object> {
  const content = { 'application/json': { schema: schemas.convert(errorBody, 'output') } }
  const refusals = Object.entries(REFUSALS).map(([status, text]) => [
    `Refusal${status}`,
    refusal(Number(status), text, content),
  ])
  return {
    ...Object.fromEntries(refusals),
    Fault: { description: `a fault of the service (${codesOf(500).join(', ')})`, content },
    // Before a route is looked for, by the library of the sockets: no body of ours, and no type.
    HeadTooLarge: { description: 'address and headers are longer than 4 KiB; the connection ends' },
    NotModified: {
      description: '与 If-None-Match 相同 (the same as If-None-Match names); no body',
      headers: { ETag: ETAG },
    },
  }
}

const ETAG = {
  schema: { type: 'string' },
  description: 'of this content; sent back as If-None-Match it is answered with 304 while it holds',
}
const REQUEST_ID = {
  schema: { type: 'string' },
  description: 'of this request, as the log of the service has it',
}
const REPLAYED = {
  schema: { type: 'string', enum: ['true'] },
  description: 'the key was used before: this is what became of it, and nothing was sent',
}
/** Of an answer that says that nobody knows yet. */
const TO_ASK = {
  Location: { schema: { type: 'string' }, description: 'where to ask what became of it' },
  'Retry-After': { schema: { type: 'integer' }, description: 'seconds' },
}

function refusal(status: number, text: string, content: object): object {
  const integer = { schema: { type: 'integer' } }
  const headers = {
    'X-Request-Id': REQUEST_ID,
    ...(RETRY_STATUSES.includes(status) && {
      'Retry-After': { ...integer, description: 'seconds' },
    }),
    ...(status === 405 && { Allow: { schema: { type: 'string' } } }),
  }
  return { description: `${text} (${codesOf(status).join(', ')})`, headers, content }
}

/** The answers of a success, and 304 where it can be. */
export function successes(route: Route, schemas: Schemas): Record<string, object> {
  const { statuses, summary, isConditional } = route.doc
  const content = contentOf(route, schemas)
  const headers = {
    'X-Request-Id': REQUEST_ID,
    ...(isConditional && { ETag: ETAG }),
    ...(takesKey(route) && { 'Idempotency-Replayed': REPLAYED }),
  }
  const each = statuses.map((status) => {
    const all = status === 202 ? { ...headers, ...TO_ASK } : headers
    return [status, { description: summary, headers: all, content }]
  })
  return {
    ...Object.fromEntries(each),
    ...(isConditional && { 304: { $ref: '#/components/responses/NotModified' } }),
  }
}

/** An order that is one order under one key. */
export const takesKey = ({ schemas: { body } }: Route): boolean =>
  body !== undefined && 'shape' in body && Object.hasOwn(body.shape as object, 'client_order_id')

function contentOf({ doc }: Route, schemas: Schemas): object {
  const { answer, produces, alsoProduces, stream } = doc
  if (stream !== undefined) {
    const data = schemas.convert(stream.event, 'output')
    const schema = {
      type: 'string',
      description: stream.description,
      contentMediaType: produces,
      // What stands behind `data: `.
      contentSchema: data,
    }
    return { [produces]: { schema, example: stream.example } }
  }
  const isText = produces !== 'application/json'
  const free: JsonSchema = { type: isText ? 'string' : 'object' }
  return {
    [produces]: { schema: answer === undefined ? free : schemas.convert(answer, 'output') },
    ...(alsoProduces && { [alsoProduces]: { schema: { type: 'string' } } }),
  }
}

/** What a route may refuse with. `others`: the whole table, which may hide one address behind another. */
export function refusals(backend: Backend, route: Route, others: readonly Route[]): object {
  const { scope, method, bodyUse } = route
  const possible = [
    400,
    ...(scope === 'open' ? [] : [401]),
    403,
    404,
    ...(isShadowed(route, others) ? [405] : []),
    ...(scope === 'open' ? [] : [409]),
    ...(method === 'GET' ? [] : [413]),
    ...(bodyUse === 'none' ? [] : [415]),
    ...(backend === 'gateway' || scope !== 'open' ? [429] : []),
    503,
    504,
  ]
  const named = possible.map((status) => [
    status,
    { $ref: `#/components/responses/Refusal${status}` },
  ])
  return {
    ...Object.fromEntries(named),
    431: { $ref: '#/components/responses/HeadTooLarge' },
    default: { $ref: '#/components/responses/Fault' },
  }
}

/** `DELETE /template/{name}` is no way to `/template/default`, which only has GET. */
function isShadowed({ path, method }: Route, others: readonly Route[]): boolean {
  if (!path.includes('{')) return false
  const pattern = path.split('/')
  const isExact = (other: readonly string[]): boolean =>
    other.length === pattern.length &&
    other.join('/') !== path &&
    other.every((segment, index) => segment === pattern[index] || isFree(pattern[index], segment))
  const exact = others.filter((other) => isExact(other.path.split('/')))
  const methods = new Map<string, Set<string>>()
  for (const other of exact) {
    methods.set(other.path, (methods.get(other.path) ?? new Set()).add(other.method))
  }
  return [...methods.values()].some((known) => !known.has(method))
}

const isFree = (pattern: string | undefined, segment: string): boolean =>
  pattern?.startsWith('{') === true && !segment.startsWith('{')
