import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { configSchema } from '../../src/config/schema.ts'

/** What pages for people name of the service, compared with it: limits with their defaults, metrics, scripts, addresses. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    join(folder, file),
  )
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  ...filesIn('docs').filter((file) => /\.md$/.test(file)),
]
const TEXTS = PAGES.map((page) => [page, read(page)] as const)
const SOURCES = ['src', 'http', 'actors']
  .flatMap(filesIn)
  .filter((file) => /\.ts$/.test(file))
  .map(read)
  .join('\n')

interface Found {
  readonly page: string
  readonly words: readonly string[]
}
const found = (pattern: RegExp): readonly Found[] =>
  TEXTS.flatMap(([page, text]) =>
    Array.from(text.matchAll(pattern), ([, ...words]) => ({ page, words })),
  )
const told = ({ page, words }: Found): string => `${page}: ${words.join(' ')}`

const DEFAULTS: unknown = configSchema.parse({})
const defaultOf = (path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], DEFAULTS)

/** `limits.http.request_timeout_ms` (40 s): a number in its own unit, in that of its name. */
const MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  second: 1_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  day: 86_400_000,
}
const BYTES: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }
function isDefault(path: string, value: string, unit: string): boolean {
  const number = Number(value.replaceAll(',', ''))
  const factor = path.endsWith('_ms')
    ? (MS[unit.replace(/(?<=..)s$/, '')] ?? 1)
    : (BYTES[unit] ?? 1)
  return defaultOf(path) === number * factor
}

t.test(
  'every limit that a page names exists, with the default that stands behind it',
  async (t) => {
    const named = found(/`((?:limits|risk)\.[a-z_]+(?:\.[a-z_]+)?)`/g)
    t.ok(named.length > 100, `${named.length} names`)
    t.strictSame(
      named.filter(({ words: [path = ''] }) => defaultOf(path) === undefined).map(told),
      [],
    )
    const valued = found(/`((?:limits|risk)\.[a-z_.]+)` \((\d[\d,]*(?:\.\d+)?)(?: ([A-Za-z]+))?/g)
    t.ok(valued.length > 40, `${valued.length} defaults`)
    const isOff = ({ words: [path = '', value = '', unit = ''] }: Found) =>
      !isDefault(path, value, unit)
    t.strictSame(valued.filter(isOff).map(told), [])
    t.notOk(isDefault('limits.http.request_timeout_ms', '30', 's'), 'another one would be found')
    t.ok(isDefault('limits.http.guess_forget_ms', '10', 'minutes'))
    t.ok(isDefault('limits.gateway.quotes_poll_ms', '0.5', 's'))
    t.ok(isDefault('limits.log.file_bytes_max', '16', 'MiB'))
  },
)

t.test('every metric that a page or the board names is one', async (t) => {
  const named = new Set(
    [...TEXTS.map(([, text]) => text), read('docs/grafana/steward.json')].flatMap(
      (text) => text.match(/\bsteward_[a-z_]+\b/g) ?? [],
    ),
  )
  t.ok(named.size > 5, `${named.size} metrics`)
  const isNone = (name: string) => !SOURCES.includes(name.replace(/_(bucket|count|sum)$/, ''))
  t.strictSame([...named].filter(isNone), [])
})

t.test('every script that a page runs exists', async (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: object }
  const named = found(/npm(?:\.cmd)? run (?:-s )?([\w:]+)/g)
  t.ok(named.length > 10)
  t.strictSame(named.filter(({ words: [name = ''] }) => !(name in scripts)).map(told), [])
})

t.test('every address that a page asks with its verb is a route', async (t) => {
  const routes = ['direct', 'gateway'].flatMap((backend) =>
    Array.from(
      read(`test/http/fixtures/interface.${backend}.txt`).matchAll(/^([A-Z]+) (\S+) /gm),
      ([, verb, path = '']) => new RegExp(`^${verb} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    ),
  )
  // Not `/api/v1/*`, which is several.
  const named = found(/\b(GET|POST|PUT|DELETE) (\/api\/[\w/<>{}-]+)(?![\w/<>{}*…-])/g)
  t.ok(named.length > 30, `${named.length} addresses`)
  const isNone = ({ words: [verb = '', path = ''] }: Found) =>
    !routes.some((route) => route.test(`${verb} ${path.replace(/\/$/, '')}`))
  t.strictSame(named.filter(isNone).map(told), [])
})
