import type { Backend } from '../message/errors.ts'
import type { Route } from '../message/routes.ts'
import { takesKey } from './responses.ts'
import type { JsonSchema, Schemas } from './schemas.ts'

/** What a route reads besides its body. */
export const parametersOf = (backend: Backend, route: Route, schemas: Schemas): object[] => [
  ...pathParameters(route, schemas),
  ...queryParameters(route, schemas),
  ...headerParameters(backend, route),
]

const propertiesOf = (schema: JsonSchema): [string, JsonSchema][] =>
  Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)

/** A description stands at the parameter, where every page shows it. */
function parameter(name: string, place: 'path' | 'query', type: JsonSchema, required: boolean) {
  const { description, ...schema } = type
  return {
    name,
    in: place,
    required,
    ...(typeof description === 'string' && { description }),
    schema,
  }
}

function pathParameters({ path, schemas: own }: Route, schemas: Schemas): object[] {
  const known = own.params === undefined ? {} : schemas.convert(own.params, 'input')
  const types = Object.fromEntries(propertiesOf(known))
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameter(name, 'path', types[name] ?? { type: 'string' }, true),
  )
}

function queryParameters({ schemas: own }: Route, schemas: Schemas): object[] {
  if (own.query === undefined) return []
  const schema = schemas.convert(own.query, 'input')
  const required = (schema['required'] ?? []) as readonly string[]
  return propertiesOf(schema).map(([name, type]) =>
    parameter(name, 'query', type, required.includes(name)),
  )
}

function headerParameters(backend: Backend, route: Route): object[] {
  const { path, doc } = route
  const isOfAccount = route.scope !== 'open' && route.accountIn !== 'none'
  const isChosen = backend === 'gateway' && /^\/api\/(?!v1\/|accounts$)/.test(path)
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  })
  return [
    ...(isChosen ? [header('X-Account-Id', 'the account that is meant; else the first one')] : []),
    ...(isOfAccount
      ? [
          header(
            'X-Page-Account',
            'whose page asks; refused with 409 where it is about another account',
          ),
        ]
      : []),
    ...(takesKey(route)
      ? [
          header(
            'Idempotency-Key',
            'the same key is the same order; 1 to 64 visible ASCII. Other characters at its ends are lost before they are seen, so that keys which differ in these alone are one key: in client_order_id of the body they are refused',
          ),
        ]
      : []),
    ...(doc.isConditional
      ? [header('If-None-Match', 'the ETag of an earlier answer: 304 while nothing has changed')]
      : []),
    ...(doc.stream
      ? [
          header(
            'Last-Event-ID',
            'the id of the last event that was got: what came after it follows',
          ),
        ]
      : []),
  ]
}
