import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { TOGETHER } = (await import(
  new URL('../../scripts/tap-rooms.mjs', import.meta.url).href
)) as {
  readonly TOGETHER: readonly string[]
}
const FOLDERS = ['actors', 'bench', 'bin', 'docs', 'http', 'scripts', 'src', 'test', 'web', '.ci']
const SKIPPED = new Set(['node_modules', 'dist', '__pycache__'])
const CODE = /\.(ts|mjs|cjs|py)$/
const TEXT = /\.(ts|tsx|mjs|cjs|py|md|json|css|html)$|\/run$/
/** Fewer files seen means that the walk went astray: an empty check passes everything. */
const FILES_MIN = 60
/** Likewise for files that cite the page of the domain. */
const CITING_MIN = 40
/** Folders of test/ that test no single room. */
const SHARED_TESTS = [
  'architecture',
  'browser',
  'contract',
  'days',
  'hostile',
  'mutants',
  'simulation',
  'wine',
]

/** Rooms and folders whose code takes time and chance as inputs. */
const PURE = ['src/domain', 'src/strategy', 'src/account', 'src/jobs', 'src/cluster/protocol']
/** Words that this file must not spell, because it reads itself too. */
const word = (...parts: string[]) => parts.join('')
const UNFINISHED = new RegExp(`\\b(${word('TO', 'DO')}|${word('FIX', 'ME')}|${word('XX', 'X')})\\b`)
const OUTSIDE = new RegExp(
  [
    `registry\\.[a-z]+\\.(org|com)`,
    word('npm', 'mirror'),
    word('\\.\\./', 'shared/(design|spec|data)'),
    `${word('/wo', 'rk')}/(main|shared|notes)`,
    `\\bnotes/${word('bri', 'ef')}`,
  ].join('|'),
)
const CLOCK_OR_CHANCE =
  /\b(Date\.now|Math\.random|performance\.now|setTimeout|setInterval|setImmediate|randomUUID|randomBytes)\b|new Date\(\s*\)/
/** What would be seen by the other files of a process, or is not theirs alone. */
const PROCESS_WIDE =
  /\b(process\.(chdir|exit|on|once|umask|env\[[^\]]+\] = )|globalThis|setTimeout|setInterval|testdir|node:(child_process|worker_threads|timers|vm))/
const DEFAULT_EXPORT = new RegExp(`^${word('export', ' default')}\\b`, 'm')
/** Packs several properties or items into a line, to look shorter than it is. */
const SPREAD = word('\\.\\.', '\\.')
const PACKED = new RegExp(`${SPREAD}\\{|^\\s*${SPREAD}\\[[^\\]]*\\],?$`)
const NEW_WORKER = new RegExp(`${word('new', ' Worker')}\\(`)
/** Papers that users do not have: docs/domain.md says it. */
const UNSEEN_PAPER = new RegExp(
  `${word('domain', '[ -]', 'facts')}|${word('contract', ', ')}(section|rulings?)`,
  'i',
)
const DOMAIN = 'docs/domain.md'
/** `docs/domain.md 3.4`, also several: `3.4, 3.5` or `3.4–3.6`. */
const CITED = /docs\/domain\.md (\d+\.\d+(?:(?:, |–)\d+\.\d+)*)/g
/** Pages that name files and folders as code. */
const PAGES = [DOMAIN, 'docs/glossary.md', 'docs/extending.md']
const NAMED = /`((?:src|actors|http|web|test|bench|bin|scripts|docs)\/[\w./-]+)`/g

interface File {
  readonly path: string
  readonly text: string
}

const files = collect()
const code = files.filter(({ path }) => CODE.test(path))

function collect(): readonly File[] {
  const top = readdirSync(ROOT).filter((name) => statSync(join(ROOT, name)).isFile())
  const deep = FOLDERS.filter((name) => existsSync(join(ROOT, name))).flatMap(walk)
  return [...top, ...deep]
    .filter((path) => TEXT.test(path) && path !== 'package-lock.json')
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : walk(path)
    return [path]
  })
}

/** Comments may name what code may not use. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

/** `path:line` of every match, so that a failure leads to the place. */
function findAll(among: readonly File[], pattern: RegExp): string[] {
  return among.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  )
}

/** `path: 3.4` for every section cited that is no heading of the page. */
function citedInVain(among: readonly File[], page: string): string[] {
  const sections = new Set(Array.from(page.matchAll(/^### (\d+\.\d+) /gm), ([, number]) => number))
  return among.flatMap(({ path, text }) =>
    Array.from(text.matchAll(CITED), ([, cited = '']) => cited.split(/, |–/))
      .flat()
      .filter((section) => !sections.has(section))
      .map((section) => `${path}: ${section}`),
  )
}

function isIn(path: string, ...folders: string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`))
}

t.test('the walk sees the house', async (t) => {
  t.ok(code.length >= FILES_MIN, `saw ${code.length} files of code`)
  const self = relative(ROOT, fileURLToPath(import.meta.url))
    .split(sep)
    .join('/')
  t.ok(code.some(({ path }) => path === self))
})

t.test('no literal is spread into a literal', async (t) => {
  t.strictSame(findAll(code, PACKED), [])
})

t.test('nothing is left unfinished', async (t) => {
  t.strictSame(findAll(files, UNFINISHED), [])
})

t.test('no default export', async (t) => {
  t.strictSame(findAll(code, DEFAULT_EXPORT), [])
})

t.test('threads are started in src/runtime/thread.ts only', async (t) => {
  const system = code.filter(({ path }) => isIn(path, 'src', 'actors', 'http', 'bin', 'scripts'))
  const elsewhere = system.filter(({ path }) => path !== 'src/runtime/thread.ts')
  t.strictSame(findAll(elsewhere, NEW_WORKER), [])
})

t.test('no rule reads the clock or draws a random number', async (t) => {
  const pure = code
    .filter(({ path }) => isIn(path, ...PURE))
    .map(({ path, text }) => ({ path, text: withoutComments(text) }))
  t.ok(pure.length > 0)
  const found = pure.filter(({ text }) => CLOCK_OR_CHANCE.test(text)).map(({ path }) => path)
  t.strictSame(found, [])
})

t.test('tests that share a process leave it as it was', async (t) => {
  const shared = files.filter(({ path }) => isIn(path, ...TOGETHER) && path.endsWith('.test.ts'))
  t.ok(shared.length >= FILES_MIN)
  t.strictSame(
    shared.filter(({ text }) => PROCESS_WIDE.test(text)).map(({ path }) => path),
    [],
  )
})

t.test('nothing points outside of the repository', async (t) => {
  t.strictSame(findAll(files, OUTSIDE), [])
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8')
  t.notMatch(lock, /"resolved"/, 'the lock file names no registry')
})

t.test('comments cite sections of docs/domain.md that are there, and no other paper', async (t) => {
  const page = files.find(({ path }) => path === DOMAIN)?.text ?? ''
  const citing = files.filter(({ text }) => text.search(CITED) >= 0)
  t.ok(citing.length >= CITING_MIN, `${citing.length} files cite it`)
  t.strictSame(citedInVain(citing, page), [])
  t.strictSame(findAll(files, UNSEEN_PAPER), [])
})

t.test('the pages of the domain name files that are there', async (t) => {
  const pages = files.filter(({ path }) => PAGES.includes(path))
  const named = pages.flatMap(({ text }) =>
    Array.from(text.matchAll(NAMED), ([, path = '']) => path),
  )
  t.ok(named.length > 0)
  t.strictSame(
    named.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})

t.test('every folder of test/ mirrors a room', async (t) => {
  const isRoom = (name: string) =>
    SHARED_TESTS.includes(name) ||
    existsSync(join(ROOT, 'src', name)) ||
    existsSync(join(ROOT, name))
  const tests = files.filter(({ path }) => path.startsWith('test/'))
  const rooms = new Set(tests.map(({ path }) => path.split('/')[1] ?? ''))
  const strays = [...rooms].filter((name) => !name.includes('.') && !isRoom(name))
  t.strictSame(strays, [])
  const loose = tests.filter(
    ({ path }) => path.split('/').length === 2 && path.endsWith('.test.ts'),
  )
  t.strictSame(loose, [], 'a test lies in the folder of its room')
})

t.test('no file of code is hidden by .gitignore', async (t) => {
  const lines = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')
  // `name/` hides every folder of that name, `/name/` only the one at the top.
  const hidden = lines.filter((line) => /^[\w-]+\/$/.test(line)).map((line) => line.slice(0, -1))
  const lost = code.filter(({ path }) => path.split('/').some((name) => hidden.includes(name)))
  t.strictSame(
    lost.map(({ path }) => path),
    [],
  )
})

t.test('files are named in kebab-case', async (t) => {
  const odd = code.filter(({ path }) => !/^[.a-z0-9][a-z0-9.-]*$|\.py$/.test(basename(path)))
  t.strictSame(
    odd.map(({ path }) => path),
    [],
  )
})

t.test('the checks bite', async (t) => {
  const bad = (text: string) => [{ path: 'bad.ts', text }]
  t.strictSame(findAll(bad(`ok\n// ${word('TO', 'DO')}: later`), UNFINISHED), ['bad.ts:2'])
  t.strictSame(findAll(bad(`${word('export', ' default')} 1`), DEFAULT_EXPORT), ['bad.ts:1'])
  t.strictSame(findAll(bad(`x = ${word('new', ' Worker')}(y)`), NEW_WORKER), ['bad.ts:1'])
  t.strictSame(findAll(bad(`  ${word('..', '.')}{ a, b },`), PACKED), ['bad.ts:1'])
  t.strictSame(findAll(bad(`  ${word('..', '.')}['a', 'b'],`), PACKED), ['bad.ts:1'])
  t.strictSame(findAll(bad(`see ${word('../', 'shared/design')}/a.md`), OUTSIDE), ['bad.ts:1'])
  t.strictSame(findAll(bad(`"https://${word('registry', '.npmjs')}.org/"`), OUTSIDE), ['bad.ts:1'])
  t.strictSame(findAll(bad(`${word('Domain', ' facts')} 1.9`), UNSEEN_PAPER), ['bad.ts:1'])
  t.strictSame(findAll(bad(`(${word('contract', ', section')} 6)`), UNSEEN_PAPER), ['bad.ts:1'])
  const cites = `${DOMAIN} ${'1.1, 1.2–1.9'} and 7.7`
  t.strictSame(citedInVain(bad(cites), '### 1.1 One\n### 1.2 Two\n'), ['bad.ts: 1.9'])
  for (const text of ['Date.now()', 'x = Math.random()', 'new Date()', 'setTimeout(f, 1)']) {
    t.match(withoutComments(text), CLOCK_OR_CHANCE)
  }
  for (const text of [
    'process.chdir(x)',
    "process.env['A'] = '1'",
    't.testdir()',
    'setTimeout(f)',
  ]) {
    t.match(text, PROCESS_WIDE)
  }
  t.notMatch("process.env['A'] === '1'", PROCESS_WIDE)
  t.notMatch(withoutComments('/** never Date.now() */ // nor Math.random()'), CLOCK_OR_CHANCE)
  t.notMatch('new Date(atMs)', CLOCK_OR_CHANCE)
})
