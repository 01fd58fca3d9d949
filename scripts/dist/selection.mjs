// Which packages and which of their files an archive carries. Pure.
import { basename } from 'node:path'
import { LEFT_OUT } from '../bundles.mjs'
import { reachablePackages } from '../packages.mjs'

/** In the bundles too, and imported by programs of `bin` that are no bundles. */
const ALSO_BESIDE = ['msgpackr']
/** Of the pinned Node. */
const ABI = '127'
/** What a running package reads, and what its licence asks to keep. */
const KEPT = /\.(c?js|mjs|json|node|css|wasm)$|^(license|licence|notice|copying)/i
/** Folders of packages that only their authors need. */
const FOLDERS = /(^|\/)(tests?|__tests__|benchmarks?|bench|docs?|examples?|\.github|types)\//
/** Where a package brings far more than is read: what is kept of it. */
const OWN_RULES = [
  [
    'swagger-ui-dist',
    /^(package\.json|LICENSE|NOTICE|swagger-ui\.css|swagger-ui-bundle\.js(\.LICENSE\.txt)?)$/,
  ],
  ['uWebSockets.js', /^(package\.json|LICENSE|dist\/(index|uws)\.mjs|dist\/bin\/.*\.node)$/],
  ['node-', /^(package\.json|LICENSE|bin\/node(\.exe)?)$/],
]

/** Paths of the packages that are loaded from their folders on a platform; the others are in the bundles. */
export function shippedPackages(lock, { os, cpu, node }) {
  const runtime = node.slice(0, node.indexOf('/'))
  return reachablePackages(lock, [...LEFT_OUT, ...ALSO_BESIDE, runtime]).filter((path) => {
    const entry = lock.packages[path]
    return !entry.dev && fits(entry.os, os) && fits(entry.cpu, cpu) && fits(entry.libc, 'glibc')
  })
}

const fits = (list, value) => list === undefined || [list].flat().includes(value)

/** Whether a file of a package belongs into the archive of a platform; `file` from the folder of the package. */
export function isShipped(name, file, { os, cpu }) {
  const uws = /^uws_(\w+?)_(\w+)_(\d+)\.node$/.exec(basename(file))
  if (uws !== null) return uws[1] === os && uws[2] === cpu && uws[3] === ABI
  const own = OWN_RULES.find(
    ([start]) => name === start || (start.endsWith('-') && isRuntime(name)),
  )
  if (own !== undefined) return own[1].test(file)
  if (FOLDERS.test(file) || /(^|\/)\./.test(file)) return false
  const abi = /(?:^|[._]abi|_)(\d{3})[._]/.exec(basename(file))?.[1]
  if (file.endsWith('.node') && abi !== undefined && abi !== ABI) return false
  return KEPT.test(basename(file))
}

const isRuntime = (name) => /^node-(win|linux)-/.test(name)

/** Of what the pages are made; their code is inside the files of web/dist. */
export const PAGE_PACKAGES = [
  'vue',
  'vue-router',
  'vue-i18n',
  'pinia',
  'element-plus',
  'lightweight-charts',
  'uplot',
]
