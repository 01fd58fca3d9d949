import { readFile } from 'node:fs/promises'
import { ServiceError } from '../../src/domain/errors.ts'
import type { Backend } from '../errors.ts'
import { JSON_TYPE, type Reply } from '../reply.ts'
import { type Route, route } from '../routes.ts'
import { openApiDocument } from './document.ts'
import { Packed } from './packed.ts'

const PAGE = `<!doctype html>
<html lang="zh-CN"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Steward · 接口说明</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script></body></html>
`
/** The viewer is dark where its page says so: as the system is, also when that changes. */
const START = `const dark = window.matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
window.SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#swagger-ui', validatorUrl: null, docExpansion: 'list',
})
`
/** Only what comes from here; the page shows its icons as data addresses. */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
} as const

const SCRIPT = 'text/javascript; charset=utf-8'
/** Files of the package that draws the page; nothing else of it is served. */
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': SCRIPT,
} as const

/** The description of the interface, for programs and for people. Open, like the pages. */
export function docsRoutes(backend: Backend, others: readonly Route[]): readonly Route[] {
  let description: Packed | undefined
  const routes: Route[] = [
    route({
      method: 'GET',
      path: '/openapi.json',
      scope: 'open',
      isConditional: true,
      summary: '接口描述 OpenAPI 3.1 (this description)',
      handle: ({ request }) => {
        description ??= packedJson(openApiDocument(backend, [...others, ...routes]))
        return description.reply(request)
      },
    }),
    page('/docs', '交互式接口说明 (interactive description)', 'text/html', () => ({
      status: 200,
      headers: PAGE_HEADERS,
      body: PAGE,
    })),
    page('/docs/start.js', '说明页的脚本 (script of the page)', SCRIPT, () => ({
      status: 200,
      headers: { 'Content-Type': SCRIPT },
      body: START,
    })),
    ...Object.entries(FILES).map(([name, type]) => asset(name, type)),
  ]
  return routes
}

const page = (path: string, summary: string, produces: string, handle: () => Reply): Route =>
  route({
    method: 'GET',
    path,
    scope: 'open',
    summary,
    produces: produces.replace(/;.*$/, ''),
    handle,
  })

const packedJson = (value: object): Packed =>
  new Packed(Buffer.from(JSON.stringify(value)), JSON_TYPE)

/** By name; all fronts of a process serve the same ones. */
const LOADED = new Map<string, Promise<Packed>>()

const asset = (name: string, type: string): Route =>
  route({
    method: 'GET',
    path: `/docs/${name}`,
    scope: 'open',
    isConditional: true,
    summary: '说明页的文件 (file of the page)',
    produces: type.replace(/;.*$/, ''),
    handle: async ({ request }) => {
      const known = LOADED.get(name) ?? load(name, type)
      LOADED.set(name, known)
      return (await known).reply(request)
    },
  })

async function load(name: string, type: string): Promise<Packed> {
  try {
    const bytes = await readFile(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)))
    return new Packed(bytes, { 'Content-Type': type, 'Cache-Control': 'public, max-age=86400' })
  } catch {
    LOADED.delete(name)
    throw new ServiceError('NOT_FOUND', 'swagger-ui-dist is not installed; run npm run setup')
  }
}
