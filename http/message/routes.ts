import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import type { TokenScope } from '../../src/domain/scope.ts'
import { invalid } from './errors.ts'
import { fieldText, inTwo } from './field-texts.ts'
import type { JsonObject } from './json-body.ts'
import type { Reply, StreamReply } from './reply.ts'
import type { HttpRequest } from './request.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
/** What a caller needs: nothing, or a token with one of three rights. */
export type Scope = 'open' | TokenScope
/** `none`: whatever is sent is read and dropped; `optional`: nothing sent is the empty object. */
export type BodyUse = 'none' | 'optional' | 'required'

/** A request that has found its route. */
export interface Asked {
  readonly request: HttpRequest
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: JsonObject
}

/** A request on its way into a route. */
export interface Incoming extends Asked {
  /** The account that it is about, named or standing in; undefined when it is about none, or about all. */
  readonly accountId: string | undefined
}

/** One row of a route table, its schemas tied to its own function. */
export interface Route {
  readonly method: Method
  /** `/api/v1/accounts/{account_id}`: exact segments and `{param}` segments. */
  readonly path: string
  readonly scope: Scope
  /** Shows a caller the accounts of its token only, of itself; else the desk sees to it. */
  readonly confinesItself: boolean
  /** Must get through while everything else is shed: it has slots and a rate of its own. */
  readonly isReserved: boolean
  readonly bodyUse: BodyUse
  readonly schemas: Schemas
  /** Where the gateway takes the name of the account from; the header too when there is none in query or body. */
  readonly accountIn: AccountSource
  /** For the description of the interface. */
  readonly doc: RouteDoc
  readonly handle: (incoming: Incoming) => Handled
}

/** What a reader of the interface's description is told. */
export interface RouteDoc {
  /** One line for people, Chinese first. */
  readonly summary: string
  /** The body of a success; undefined where the content is no JSON, or free in its form. */
  readonly answer?: z.ZodType
  /** Statuses of a success. */
  readonly statuses: readonly number[]
  /** Content type of a success. */
  readonly produces: string
  /** Another one, that callers may ask for; text of a free form. */
  readonly alsoProduces?: string
  /** Carries an ETag, and is answered with 304 while that holds. */
  readonly isConditional: boolean
  /** Open, and tells more to who shows a token. */
  readonly tellsMore: boolean
  /** Of an event stream. */
  readonly stream?: StreamDoc
}

export interface StreamDoc {
  /** What stands behind `data: `. */
  readonly event: z.ZodType
  /** How it is to be read. */
  readonly description: string
  /** As it comes over the wire. */
  readonly example: string
}

/** `header` is `X-Account-Id`; `none` is about no account, or about all. */
export type AccountSource = 'params' | 'query' | 'body' | 'header' | 'none'

/** Only what the route itself reads counts: a name in any other place would not bind it. */
function accountSource(path: string, { query, body }: Schemas): AccountSource {
  if (path.includes('{account_id}')) return 'params'
  if (namesAccount(query)) return 'query'
  if (namesAccount(body)) return 'body'
  return path.startsWith('/api/') && !path.startsWith('/api/v1/') ? 'header' : 'none'
}

const namesAccount = (schema: z.ZodType | undefined): boolean =>
  schema instanceof z.ZodObject && 'account_id' in schema.shape

interface Schemas {
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
}

/** A request as a route's function sees it: what its schemas have let pass. */
export interface Call<P, Q, B> {
  readonly request: HttpRequest
  readonly params: P
  readonly query: Q
  readonly body: B
}
export type Handled = Promise<Reply | StreamReply> | Reply | StreamReply

export interface RouteSpec<P, Q, B> {
  readonly method: Method
  readonly path: string
  readonly scope: Scope
  readonly confinesItself?: true
  readonly isReserved?: true
  readonly summary: RouteDoc['summary']
  readonly answer?: z.ZodType
  /** 200 alone when left out. */
  readonly statuses?: readonly number[]
  /** JSON when left out. */
  readonly produces?: string
  readonly alsoProduces?: string
  readonly isConditional?: true
  readonly tellsMore?: true
  readonly stream?: StreamDoc
  readonly bodyUse?: BodyUse
  readonly params?: z.ZodType<P>
  readonly query?: z.ZodType<Q>
  readonly body?: z.ZodType<B>
  readonly handle: (call: Call<P, Q, B>, incoming: Incoming) => Handled
}

const docOf = <P, Q, B>(spec: RouteSpec<P, Q, B>): RouteDoc => ({
  summary: spec.summary,
  ...(spec.answer && { answer: spec.answer }),
  statuses: spec.statuses ?? [200],
  produces: spec.produces ?? 'application/json',
  ...(spec.alsoProduces && { alsoProduces: spec.alsoProduces }),
  isConditional: spec.isConditional ?? false,
  tellsMore: spec.tellsMore ?? false,
  ...(spec.stream && { stream: spec.stream }),
})

/** Ties a route's function to its own schemas: it only ever sees what they let pass. */
export function route<P, Q, B>(spec: RouteSpec<P, Q, B>): Route {
  const { method, path, scope, params, query, body, handle } = spec
  const schemas = { ...(params && { params }), ...(query && { query }), ...(body && { body }) }
  return {
    method,
    path,
    scope,
    confinesItself: spec.confinesItself ?? false,
    isReserved: spec.isReserved ?? false,
    bodyUse: spec.bodyUse ?? (body === undefined ? 'none' : 'required'),
    schemas,
    accountIn: accountSource(path, schemas),
    doc: docOf(spec),
    handle: (incoming) =>
      handle(
        {
          request: incoming.request,
          params: parseWith(params, incoming.params),
          query: incoming.query === NO_QUERY ? emptyQuery(query) : parseWith(query, incoming.query),
          body: parseWith(body, incoming.body),
        },
        incoming,
      ),
  }
}

/** What a schema makes of no query at all: the same each time, and asked for by most. */
const EMPTY_QUERIES = new WeakMap<z.ZodType, unknown>()

function emptyQuery<T>(schema: z.ZodType<T> | undefined): T {
  if (schema === undefined) return NO_QUERY as T
  const known = EMPTY_QUERIES.get(schema)
  if (known !== undefined) return known as T
  const parsed = parseWith(schema, NO_QUERY)
  EMPTY_QUERIES.set(schema, Object.freeze(parsed))
  return parsed
}

function parseWith<T>(schema: z.ZodType<T> | undefined, value: unknown): T {
  if (schema === undefined) return value as T
  const parsed = schema.safeParse(value, { error: fieldText })
  if (parsed.success) return parsed.data
  const details: Record<string, string[]> = {}
  for (const { path, message } of parsed.error.issues) {
    const field = path.length === 0 ? 'body' : path.map(String).join('.')
    const texts = details[field] ?? []
    texts.push(`${field}: ${inTwo(message)}`)
    details[field] = texts
  }
  throw invalid(details)
}

export type Match =
  | {
      readonly kind: 'found'
      readonly route: Route
      readonly params: Readonly<Record<string, string>>
    }
  | { readonly kind: 'otherMethod'; readonly allow: string }
  | { readonly kind: 'notFound' }

interface Entry {
  readonly segments: readonly string[]
  /** Segments that may be anything. */
  readonly freeCount: number
  readonly byMethod: Map<string, Route>
}

/** Methods that change nothing, whatever they reach. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The route table of one backend. Paths are compared raw: another spelling is another path, but for a slash at the end. */
export class RouteTable {
  readonly routes: readonly Route[]
  readonly #exact = new Map<string, Entry>()
  readonly #patterns: Entry[] = []

  constructor(routes: readonly Route[]) {
    this.routes = routes
    const entries = new Map<string, Entry>()
    for (const row of routes) {
      const entry = entries.get(row.path) ?? this.#newEntry(row.path)
      entries.set(row.path, entry)
      if (entry.byMethod.has(row.method)) throw new Error(`two routes: ${row.method} ${row.path}`)
      entry.byMethod.set(row.method, row)
    }
    // `/orders/preview` before `/orders/{order_id}`, whichever was declared first.
    this.#patterns.sort((one, other) => one.freeCount - other.freeCount)
  }

  /**
   * HEAD finds the GET route. A slash at the end is overlooked, except in a write where a name could
   * follow it: `stop/` with a name that somebody's program has lost must not become the `stop` of everything.
   *
   * Errors  `BAD_REQUEST` for a parameter that is not percent-encoded UTF-8.
   */
  find(method: string, path: string): Match {
    const match = this.#spelled(method, path)
    if (match.kind !== 'notFound' || !path.endsWith('/')) return match
    const lacksName = !READING.has(method) && this.#spelled(method, `${path}name`).kind === 'found'
    return lacksName ? match : this.#spelled(method, path.slice(0, -1))
  }

  #spelled(method: string, path: string): Match {
    const exact = this.#exact.get(path)
    if (exact !== undefined) return choose(exact, method, NO_PARAMS)
    const segments = path.split('/')
    for (const entry of this.#patterns) {
      const params = matchSegments(entry.segments, segments)
      if (params !== undefined) return choose(entry, method, params)
    }
    return { kind: 'notFound' }
  }

  #newEntry(path: string): Entry {
    const segments = path.split('/')
    const freeCount = segments.filter((segment) => segment.startsWith('{')).length
    const entry = { segments, freeCount, byMethod: new Map<string, Route>() }
    if (path.includes('{')) this.#patterns.push(entry)
    else this.#exact.set(path, entry)
    return entry
  }
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

function choose(
  { byMethod }: Entry,
  method: string,
  params: Readonly<Record<string, string>>,
): Match {
  const found = byMethod.get(method === 'HEAD' ? 'GET' : method)
  if (found !== undefined) return { kind: 'found', route: found, params }
  const allowed = [...byMethod.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name))
  return { kind: 'otherMethod', allow: [...allowed, 'OPTIONS'].join(', ') }
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index] ?? ''
    if (!expected.startsWith('{')) {
      if (actual !== expected) return undefined
    } else if (actual === '') {
      return undefined
    } else {
      params[expected.slice(1, -1)] = decodeStrict(actual)
    }
  }
  return params
}

function decodeStrict(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ServiceError(
      'BAD_REQUEST',
      '路径不是百分号编码的 UTF-8 (the path is not percent-encoded UTF-8)',
    )
  }
}

const NO_QUERY: Readonly<Record<string, string>> = Object.freeze(Object.create(null))

/**
 * Query text into a map. Two values for one name are nobody's guess, as with a header or a key of a body.
 *
 * Errors  throws `VALIDATION`.
 */
export function parseQuery(text: string): Readonly<Record<string, string>> {
  if (text === '') return NO_QUERY
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    if ((query[name] ?? value) !== value) {
      throw invalid({ [name]: [`${name}: 只能给一个值 (has more than one value)`] })
    }
    query[name] = value
  }
  return query
}
