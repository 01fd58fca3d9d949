// Gathers what an archive holds: entries of a path, bytes, and whether it may be started.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { digestsOf, LIST } from '../binaries.mjs'
import { BUNDLES, DISTRIBUTION } from '../distribution.mjs'
import { billOfMaterials } from '../sbom.mjs'
import { PAGES_STAMP } from '../setup-builds.mjs'
import { papersFor } from './papers.mjs'
import { VC_RUNTIME } from './platforms.mjs'
import { isShipped, shippedPackages } from './selection.mjs'
import { withCrlf } from './texts.mjs'

const IMPORT = /(?:from |import\(|require\()'(\.[^']+\.[mc]js)'/g

/**
 * Everything in the archive of a platform, `path` below its one folder. `modules` is a folder whose node_modules
 * npm has filled for the platform, `bundles` one with the bundles, `vcRuntime` one with the libraries of
 * Microsoft that Windows may lack, or undefined.
 */
export function entriesFor(source) {
  const { root, platform, modules, bundles, version } = source
  const app = [
    ...programs(root),
    ...below(bundles, '').map(({ file, path }) => entry(`${BUNDLES}/${path}`, file)),
    ...below(join(root, 'web', 'dist'), '')
      .filter(({ path }) => path !== PAGES_STAMP)
      .map(({ file, path }) => entry(`web/dist/${path}`, file)),
    ...pythons(root),
    ...packages(source),
    ...runtimeLibraries(source),
    text('package.json', manifest(root)),
    text(DISTRIBUTION, json({ version, platform: `${platform.os}-${platform.cpu}` })),
    text('sbom.json', json(billOfMaterials(root))),
    text(`node_modules/${LIST}`, json(digestsOf(modules, platform))),
    ...(platform.os === 'win32'
      ? ['autostart.cmd', 'autostart.txt'].map((name) => windowsScript(root, name))
      : []),
  ]
  const all = [
    ...app.map((each) => ({ ...each, path: `app/${each.path}` })),
    ...front(root, platform),
    ...papersFor(source).map(({ path, content }) => text(path, content)),
  ]
  checkWhole(all, { modules, platform })
  return all
}

/** Files below a folder, with their paths from there; not the packages inside a package. */
function below(folder, path) {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((each) => {
    const at = path === '' ? each.name : `${path}/${each.name}`
    if (each.isDirectory()) return each.name === 'node_modules' ? [] : below(folder, at)
    return each.isFile() ? [{ file: join(folder, at), path: at }] : []
  })
}

const json = (value) => `${JSON.stringify(value, null, 2)}\n`
const entry = (path, file) => ({ path, bytes: readFileSync(file), isProgram: false })
const text = (path, content) => ({ path, bytes: Buffer.from(content), isProgram: false })

/** What the start of the process and of its threads consists of, and what these files import. */
function programs(root) {
  const found = new Set()
  const visit = (path) => {
    if (found.has(path)) return
    found.add(path)
    for (const [, name] of readFileSync(join(root, path), 'utf8').matchAll(IMPORT)) {
      visit(join(dirname(path), name).split(sep).join('/'))
    }
  }
  for (const name of readdirSync(join(root, 'bin')))
    if (/\.[mc]js$/.test(name)) visit(`bin/${name}`)
  visit('scripts/autostart.mjs')
  return [...found].map((path) => entry(path, join(root, path)))
}

/** Python that the service starts, or writes for others to start, and the order in which it is joined. */
const PYTHONS = {
  'src/drivers/xt/sidecar': /\.py$/,
  'src/drivers/bigqmt/script': /\.py$|^ORDER\.json$/,
}
const pythons = (root) =>
  Object.entries(PYTHONS).flatMap(([folder, isOurs]) =>
    below(join(root, folder), '')
      .filter(({ path }) => isOurs.test(path))
      .map(({ file, path }) => entry(`${folder}/${path}`, file)),
  )

function packages({ lock, platform, modules }) {
  return shippedPackages(lock, platform).flatMap((path) => {
    const name = path.replace(/^.*node_modules\//, '')
    return below(join(modules, path), '')
      .filter((each) => isShipped(name, each.path, platform))
      .map((each) => ({
        ...entry(`${path}/${each.path}`, each.file),
        isProgram: `${path}/${each.path}` === `node_modules/${platform.node}`,
      }))
  })
}

/** Beside the one file that needs them: that is where Windows looks for them, and not beside node.exe. */
const runtimeLibraries = ({ platform, vcRuntime }) =>
  vcRuntime === undefined || platform.os !== 'win32'
    ? []
    : VC_RUNTIME.map((name) =>
        entry(`node_modules/uWebSockets.js/dist/bin/${name}`, join(vcRuntime, name)),
      )

/** Of package.json only what is read at run time. */
function manifest(root) {
  const { name, version, description, license, type } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  return json({ name, version, description, license, private: true, type })
}

const PLACE = 'scripts/dist'
const windowsScript = (root, name) =>
  text(name, withCrlf(readFileSync(join(root, PLACE, 'windows', name), 'utf8')))

/** What the user sees when the folder is opened. */
function front(root, { os, node }) {
  if (os === 'win32') {
    return ['steward.cmd', 'install-autostart.cmd', 'remove-autostart.cmd'].map((name) =>
      windowsScript(root, name),
    )
  }
  const source = readFileSync(join(root, PLACE, 'linux', 'steward'), 'utf8')
  const launcher = text('steward', source.replace('@NODE@', dirname(dirname(node))))
  return [{ ...launcher, isProgram: true }]
}

/** What is listed as machine code must be there, else the program would refuse to start. */
function checkWhole(entries, { modules, platform }) {
  const there = new Set(entries.map(({ path }) => path))
  const wanted = [`node_modules/${platform.node}`, ...Object.keys(digestsOf(modules, platform))]
  const missing = wanted.find((path) => !there.has(`app/${path}`))
  if (missing !== undefined) throw new Error(`steward: ${missing} is not in the archive`)
  if (there.size !== entries.length) throw new Error('steward: two entries have one name')
}
