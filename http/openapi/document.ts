import type { Backend } from '../message/errors.ts'
import type { Route } from '../message/routes.ts'
import { parametersOf } from './parameters.ts'
import { refusals, sharedResponses, successes } from './responses.ts'
import { Schemas } from './schemas.ts'

/** Of the interface, not of the program: raised when an answer or a request changes its meaning. */
const VERSION = '1.0.0'

/** What is the same on both. */
const COMMON = `
**委托编号 Numbers of orders.** \`order_id\` 是交易客户端的编号：下单的回答里是数字（超过 2^53 时为文本），列表和直连撤单里是同样数字的文本；回答未定时为 null。\`client_order_id\` 到处都是文本，是我们自己的编号。
\`order_id\` is the number of the trading client. The answer to an order has it as a JSON number (as text above 2^53), lists and the cancel of direct mode have the same digits as text; it is null while nobody knows it. \`client_order_id\` is ours and text everywhere.

**存疑 In doubt.** 202 表示委托结果未知，不是失败：用同一个 Idempotency-Key 再问，绝不会再发一笔；换新键重试才可能重复。
202 means that nobody knows yet what became of an order; it is no failure. The same Idempotency-Key tells, and never sends another; a new key is a new order.

**错误 Errors.** 所有错误同一结构（schema Error），以 \`code\` 区分。Every error has the schema Error; \`code\` tells them apart and is never renamed.`

/** What each backend says of itself. */
export const INFO: Readonly<
  Record<Backend, { readonly title: string; readonly description: string }>
> = {
  direct: {
    title: 'Steward · 直连模式 (direct mode)',
    description: `单个账户的完整接口，仅限本机。The full interface of one account, on this computer only. Every success carries status, data and timestamp. What the account publishes carries an ETag; sent back as If-None-Match it is answered with 304 while nothing has changed.\n${COMMON}`,
  },
  gateway: {
    title: 'Steward · 网关 (gateway)',
    description: `多账户接口；/api/* 由请求头 X-Account-Id 选择账户，缺省为第一个。All accounts; /api/* answers for the account of X-Account-Id, else for the first one. /api/v1/* answers with success and data. What an account publishes carries an ETag; sent back as If-None-Match it is answered with 304 while nothing has changed.\n${COMMON}`,
  },
}

/** The description of one backend as OpenAPI 3.1, from its route table. Pure. */
export function openApiDocument(backend: Backend, routes: readonly Route[]): object {
  const schemas = new Schemas()
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const item = paths[route.path] ?? {}
    item[route.method.toLowerCase()] = operation(backend, route, { schemas, routes })
    paths[route.path] = item
  }
  const responses = sharedResponses(schemas)
  const used = JSON.stringify(paths)
  const isUsed = (name: string): boolean => used.includes(`/responses/${name}"`)
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
      responses: Object.fromEntries(Object.entries(responses).filter(([name]) => isUsed(name))),
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Token',
          description:
            '未设令牌时本机无需携带 (while no token is set, callers on this computer need none)',
        },
      },
    },
  }
}

interface Whole {
  readonly schemas: Schemas
  readonly routes: readonly Route[]
}

function operation(backend: Backend, route: Route, { schemas, routes }: Whole): object {
  const { method, path, scope, schemas: own, bodyUse, doc } = route
  const body = own.body && schemas.convert(own.body, 'input')
  const parameters = parametersOf(backend, route, schemas)
  return {
    operationId: operationId(method, path),
    tags: [tagOf(path)],
    summary: doc.summary,
    'x-scope': scope,
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: bodyUse === 'required',
        content: { 'application/json': { schema: body } },
      },
    }),
    responses: { ...successes(route, schemas), ...refusals(backend, route, routes) },
  }
}

/** An open address that tells more to who shows a token takes it, and does without. */
function securityOf({ scope, doc }: Route): object[] {
  if (scope !== 'open') return [{ token: [] }]
  return doc.tellsMore ? [{}, { token: [] }] : []
}

/** `GET /api/v1/accounts/{account_id}/orders` → `getV1AccountsByAccountIdOrders`. */
export function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api(?=\/|$)/, '')
    .replaceAll('{', 'by_')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  const upper = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return method.toLowerCase() + (upper.join('') || 'StartPage')
}

/** The group of what is no part of the interface, only its pages and figures. */
export const PAGES = 'pages'
/** The group of an operation: the first word of its path. */
export const tagOf = (path: string): string => {
  const [first = '', second = '', third = ''] = path.split('/').slice(1)
  if (first !== 'api') return PAGES
  return second === 'v1' ? `v1/${third}` : second
}
