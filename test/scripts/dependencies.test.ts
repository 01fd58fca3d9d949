import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

interface Entry {
  readonly name?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly hasInstallScript?: boolean
}
interface Lock {
  readonly packages: Readonly<Record<string, Entry>>
}
interface Package {
  readonly path: string
  readonly publisher?: string
  readonly license: string
  readonly integrity: string
}
interface Bill {
  readonly components: readonly { readonly 'bom-ref': string; readonly name: string }[]
  readonly dependencies: readonly { readonly dependsOn: readonly string[] }[]
}

const script = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../scripts/${name}.mjs`, import.meta.url).href)) as T
const { checkBinaries, hasBinaryList, noteBinaries } = await script<{
  checkBinaries(root: string): void
  hasBinaryList(root: string): boolean
  noteBinaries(root: string): void
}>('binaries')
const { dependenciesPage } = await script<{ dependenciesPage(lock: Lock): string }>('dependencies')
const { lackingPackages, productionPackages, readLock } = await script<{
  lackingPackages(lock: Lock): readonly string[]
  productionPackages(lock: Lock): readonly Package[]
  readLock(root: string): Lock
}>('packages')
const { billOfMaterials } = await script<{ billOfMaterials(root: string): Bill }>('sbom')

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const lock = readLock(ROOT)
const LICENSES = new Set([
  'MIT',
  'ISC',
  'Unlicense',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
])

t.test('the page of the dependencies is what the lock file says', async (t) => {
  const page = join(ROOT, 'docs', 'dependencies.md')
  if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(page, dependenciesPage(lock))
  t.equal(readFileSync(page, 'utf8').replaceAll('\r\n', '\n'), dependenciesPage(lock))
})

t.test('every production package has a publisher and a licence that we may use', async (t) => {
  for (const { path, publisher, license, integrity } of productionPackages(lock)) {
    t.ok(publisher, `${path}: who publishes it? scripts/packages.mjs`)
    t.ok(LICENSES.has(license), `${path}: ${license}`)
    t.match(integrity, /^sha512-/, path)
  }
})

/** Packages whose work it is to tell somebody of somebody else. */
const TELLS =
  /^(@scarf\/|@sentry\/|@opentelemetry\/(?!api$)|@datadog\/|dd-trace|newrelic|analytics|@segment\/|posthog|mixpanel|amplitude|@amplitude\/|applicationinsights|@bugsnag\/|bugsnag|rollbar|raygun|insight$|configstore$|update-notifier$|universal-analytics|@vercel\/analytics|ga4?$)/

t.test('nothing in the tree tells anybody of us, not in the tools either', async (t) => {
  const names = Object.entries(lock.packages).map(
    ([path, entry]) => entry.name ?? path.replace(/^.*node_modules\//, ''),
  )
  t.strictSame(
    names.filter((name) => TELLS.test(name)),
    [],
  )
  for (const planted of ['@scarf/scarf', '@sentry/node', '@opentelemetry/sdk-node', 'posthog']) {
    t.ok(TELLS.test(planted), planted)
  }
})

t.test('no install script is run, and none is needed', async (t) => {
  t.match(readFileSync(join(ROOT, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m)
  const withScript = Object.entries(lock.packages).filter(
    ([, { hasInstallScript }]) => hasInstallScript,
  )
  t.strictSame(
    withScript.map(([path]) => path),
    ['node_modules/lmdb', 'node_modules/msgpackr-extract'],
    'these build from source what their packages bring ready-made',
  )
})

t.test('the bill of materials is CycloneDX, whole, and the same every time', async (t) => {
  const bill = billOfMaterials(ROOT)
  t.match(bill, {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: /^urn:uuid:[0-9a-f-]{36}$/,
  })
  const { components, dependencies } = bill
  t.equal(components.length, productionPackages(lock).length)
  const references = new Set(components.map((each) => each['bom-ref']))
  t.equal(references.size, components.length)
  for (const { dependsOn } of dependencies) {
    for (const ref of dependsOn) t.ok(references.has(ref), ref)
  }
  const uws = components.find(({ name }) => name === 'uws-pack')
  t.match(uws, {
    purl: /^pkg:npm\/uws-pack@\d/,
    hashes: [{ alg: 'SHA-512', content: /^[0-9a-f]{128}$/ }],
  })
  const digest = (value: object) => createHash('sha256').update(JSON.stringify(value)).digest('hex')
  t.equal(digest(billOfMaterials(ROOT)), digest(bill))
})

t.test('machine code that was changed, or is gone, ends a start with one line', async (t) => {
  const root = t.testdir({
    'package-lock.json': JSON.stringify({
      packages: {
        'node_modules/some': { version: '1.0.0', os: [process.platform] },
        'node_modules/plain': { version: '1.0.0' },
      },
    }),
    node_modules: {
      some: { 'here.node': 'machine code', 'old.abi115.node': 'of another Node', 'index.js': '' },
      plain: { 'index.js': '' },
    },
    bin: {},
    scripts: {},
    src: {},
  })
  const file = join(root, 'node_modules', 'some', 'here.node')
  t.doesNotThrow(() => checkBinaries(root), 'nothing was noted')
  t.notOk(hasBinaryList(root))
  noteBinaries(root)
  const list = JSON.parse(
    readFileSync(join(root, 'node_modules', '.steward-binaries.json'), 'utf8'),
  )
  t.strictSame(Object.keys(list), ['node_modules/some/here.node'])
  t.doesNotThrow(() => checkBinaries(root))
  writeFileSync(file, 'machine c0de')
  t.throws(
    () => checkBinaries(root),
    /^steward: .*here\.node 与安装时不同 \(is not what the set-up has/,
  )
  for (const folder of ['bin', 'scripts', 'src']) {
    mkdirSync(join(root, folder), { recursive: true })
    cpSync(join(ROOT, folder), join(root, folder), { recursive: true })
  }
  const start = spawnSync(process.execPath, [join(root, 'bin', 'steward.mjs'), '--version'], {
    encoding: 'utf8',
  })
  t.match(start, { status: 2, stdout: '', stderr: /^steward: .*here\.node .*\(is not .*\n$/ })
  rmSync(file)
  t.throws(() => checkBinaries(root), /here\.node 不见了 \(is gone\): .*npm run setup/)
  writeFileSync(join(root, 'distribution.json'), '{}')
  t.throws(
    () => checkBinaries(root),
    /here\.node 不见了 \(is gone\): 请把压缩包重新解压/,
    'npm is not there',
  )
})

t.test('the lock file has every package that one of its packages names as optional', async (t) => {
  t.strictSame(lackingPackages(readLock(ROOT)), [], 'npm ci refuses such a file on any platform')
})

t.test('an optional package is looked for where Node would look', async (t) => {
  const lock = (paths: readonly string[]) => ({
    packages: {
      '': { optionalDependencies: { first: '1.0.0' } },
      'node_modules/first': { optionalDependencies: { '@some/part': '1.0.0' } },
      'node_modules/@other/tool': {},
      'node_modules/@other/tool/node_modules/first': { optionalDependencies: { two: '1.0.0' } },
      ...Object.fromEntries(paths.map((path) => [path, {}])),
    },
  })
  t.strictSame(lackingPackages(lock([])), ['@some/part', 'two'])
  const below = 'node_modules/first/node_modules/@some/part'
  t.strictSame(lackingPackages(lock([below, 'node_modules/@other/tool/node_modules/two'])), [])
  t.strictSame(lackingPackages(lock(['node_modules/@some/part', 'node_modules/two'])), [])
})
