import { readFile } from 'node:fs/promises'
import { ServiceError } from '../../src/domain/errors.ts'
import type { Backend } from '../message/errors.ts'
import { JSON_TYPE, type Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import { type Route, route } from '../message/routes.ts'
import { contentsPage } from './contents.ts'
import { openApiDocument } from './document.ts'
import { Packed } from './packed.ts'
import { PAGE_STYLE, START } from './page-files.ts'

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
const STYLE = 'text/css; charset=utf-8'
/** Files of the package that draws the viewer; nothing else of it is served. */
const FILES = {
  'swagger-ui.css': STYLE,
  'swagger-ui-bundle.js': SCRIPT,
} as const

type Headers = Readonly<Record<string, string>> & { readonly 'Content-Type': string }
const typed = (type: string): Headers => ({ 'Content-Type': type })

/** The description of the interface, for programs and for people. Open, like the pages. */
export function docsRoutes(backend: Backend, others: readonly Route[]): readonly Route[] {
  const all = (): readonly Route[] => [...others, ...routes]
  const routes: readonly Route[] = [
    made('/openapi.json', '接口描述 OpenAPI 3.1 (this description)', JSON_TYPE, () =>
      JSON.stringify(openApiDocument(backend, all())),
    ),
    made('/docs', '交互式接口说明 (interactive description)', PAGE_HEADERS, () =>
      contentsPage(backend, all()),
    ),
    made('/docs/page.css', '说明页的样式 (style of the page)', typed(STYLE), () => PAGE_STYLE),
    made('/docs/start.js', '说明页的脚本 (script of the page)', typed(SCRIPT), () => START),
    ...Object.entries(FILES).map(([name, type]) => asset(name, type)),
  ]
  return routes
}

type Answer = (request: HttpRequest) => Promise<Reply>

/** Of these files everybody is answered the same, packed. */
const file = (path: string, summary: string, type: string, answer: Answer): Route =>
  route({
    method: 'GET',
    path,
    scope: 'open',
    isConditional: true,
    summary,
    ...(type !== JSON_TYPE['Content-Type'] && { produces: type.replace(/;.*$/, '') }),
    handle: ({ request }) => answer(request),
  })

/** Made when somebody asks for it first. */
function made(path: string, summary: string, headers: Headers, text: () => string): Route {
  let packed: Packed | undefined
  return file(path, summary, headers['Content-Type'], (request) => {
    packed ??= new Packed(Buffer.from(text()), headers)
    return packed.reply(request)
  })
}

/** By name; all fronts of a process serve the same ones. */
const LOADED = new Map<string, Promise<Packed>>()

const asset = (name: string, type: string): Route =>
  file(`/docs/${name}`, '说明页的文件 (file of the page)', type, async (request) => {
    const known = LOADED.get(name) ?? load(name, type)
    LOADED.set(name, known)
    return (await known).reply(request)
  })

async function load(name: string, type: string): Promise<Packed> {
  try {
    const bytes = await readFile(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)))
    return new Packed(bytes, { ...typed(type), 'Cache-Control': 'public, max-age=86400' })
  } catch {
    LOADED.delete(name)
    throw new ServiceError(
      'NOT_FOUND',
      '接口说明页尚未安装，请运行 npm run setup (swagger-ui-dist is not installed; run npm run setup)',
    )
  }
}
