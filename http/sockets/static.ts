import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join, sep } from 'node:path'
import { STOCK_CODE } from '../../src/domain/instrument.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'

/** The pages of one front, built by the set-up and held in memory from start to stop. */
export interface Pages {
  /** The file with this address, `/` included; undefined for another address or another verb. */
  find(request: HttpRequest): Reply | undefined
  /** Whether there is a file with this address, whatever the verb. */
  has(path: string): boolean
  /** The page itself, for an address that only the page's own router knows; undefined for a caller that takes no page. */
  fallback(request: HttpRequest): Reply | undefined
}

/** Which page, and what it may talk to beside its own origin. */
export interface PagesOptions {
  readonly folder: string
  /** The monitor may be pointed at another gateway by its user; the console may not. */
  readonly mayConnectElsewhere: boolean
  /** Answers an unknown address with the page. */
  readonly hasFallback: boolean
}

interface StaticFile {
  readonly headers: Readonly<Record<string, string>>
  readonly plain: Uint8Array
  readonly encoded: ReadonlyMap<string, Uint8Array>
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.json', 'application/json; charset=utf-8'],
  ['.webmanifest', 'application/manifest+json; charset=utf-8'],
])
/** In order of preference; the set-up writes `<file>.br` and `<file>.gz` where that saves bytes. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const
/** Names in here carry a digest of their content. */
const HASHED = '/assets/'
const INDEX = '/index.html'

/** Reads the built pages. undefined when the set-up has not built them. */
export function loadPages({
  folder,
  mayConnectElsewhere,
  hasFallback,
}: PagesOptions): Pages | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined
  const policy = contentPolicy(mayConnectElsewhere)
  const files = readFiles(folder, policy)
  const index = files.get(INDEX)
  if (index !== undefined) files.set('/', index)
  return {
    find: (request) => {
      const file = isRead(request) ? files.get(request.path) : undefined
      return file && replyOf(file, request)
    },
    has: (path) => files.has(path),
    fallback: (request) => {
      if (!hasFallback || index === undefined || !isRead(request)) return undefined
      return isOfRouter(request) && takesPage(request) ? replyOf(index, request) : undefined
    },
  }
}

/** What ends as a file does is none of the page, but for a stock that is named with its exchange. */
const isOfRouter = ({ path }: HttpRequest): boolean =>
  (extname(path) === '' || STOCK_CODE.test(basename(path))) && !path.startsWith(HASHED)

/** Whoever names nothing takes everything. */
const takesPage = ({ headers }: HttpRequest): boolean =>
  /(?:^|[\s,])(?:text\/html|text\/\*|\*\/\*)/.test(headers.get('accept') || '*/*')

const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD'

/** Everything from here, no inline script or style, no frame around it, no form to anywhere. */
const contentPolicy = (mayConnectElsewhere: boolean): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    `connect-src 'self'${mayConnectElsewhere ? ' http: https:' : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

function readFiles(folder: string, policy: string): Map<string, StaticFile> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const all = new Set(names)
  const files = new Map<string, StaticFile>()
  for (const name of names) {
    const type = TYPES.get(extname(name))
    if (type === undefined) continue
    const path = `/${name.split(sep).join('/')}`
    const found = ENCODINGS.filter(([, ending]) => all.has(name + ending))
    files.set(path, {
      headers: headersOf(path, type, policy),
      plain: readFileSync(join(folder, name)),
      encoded: new Map(
        found.map(([encoding, ending]) => [encoding, readFileSync(join(folder, name + ending))]),
      ),
    })
  }
  return files
}

const headersOf = (path: string, type: string, policy: string): Record<string, string> => ({
  'Content-Type': type,
  'Cache-Control': path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  Vary: 'Accept-Encoding',
})

function replyOf({ headers, plain, encoded }: StaticFile, request: HttpRequest): Reply {
  const accepted = acceptedEncodings(request.headers.get('accept-encoding') ?? '')
  for (const [encoding, body] of encoded) {
    if (accepted.has(encoding)) {
      return { status: 200, headers: { ...headers, 'Content-Encoding': encoding }, body }
    }
  }
  return { status: 200, headers, body: plain }
}

/** What the caller takes; `q=0` is a refusal. */
function acceptedEncodings(header: string): Set<string> {
  const parts = header.split(',').map((part) => part.trim().toLowerCase().split(';'))
  return new Set(
    parts
      .filter(([, quality = '']) => !/^\s*q=0(\.0*)?\s*$/.test(quality))
      .map(([name = '']) => name.trim()),
  )
}
