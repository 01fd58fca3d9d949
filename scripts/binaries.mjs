// Digests of the machine code that packages bring along: noted by the set-up, compared at each start before
// any of it is loaded. docs/dependencies.md says what that is worth. Plain JavaScript for any Node from 18 on.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDistribution } from './distribution.mjs'
import { productionPackages, readLock } from './packages.mjs'
import { renameHeld } from './rename.mjs'

/** In node_modules. */
export const LIST = '.steward-binaries.json'
const MEND =
  '若不是您自己改动的，请删除 node_modules 再执行 npm run setup；若再次出现，请查明原因 (if you did not change it yourself, delete node_modules and run npm run setup; if it comes back, ask why)'
const UNPACK =
  '请把压缩包重新解压到新的文件夹；若再次出现，请查看杀毒软件的隔离区 (unpack the archive again into a new folder; if it comes back, look into the quarantine of the virus scanner)'

const listOf = (root) => join(root, 'node_modules', LIST)

/** Whether the set-up has noted them. */
export const hasBinaryList = (root) => existsSync(listOf(root))

/** By path from the root, for the platform that will load them. */
export const digestsOf = (root, { os, cpu }) =>
  Object.fromEntries(binariesOf(root, os, cpu).map((path) => [path, digestOf(join(root, path))]))

/** Notes what was installed a moment ago. */
export function noteBinaries(root) {
  const digests = digestsOf(root, { os: process.platform, cpu: process.arch })
  const draft = `${listOf(root)}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(digests, null, 2)}\n`)
  renameHeld(draft, listOf(root))
}

/** Throws an Error whose message is the line for the user. Nothing was noted: nothing is said. */
export function checkBinaries(root) {
  if (!hasBinaryList(root)) return
  const mend = isDistribution(root) ? UNPACK : MEND
  for (const [path, digest] of Object.entries(JSON.parse(readFileSync(listOf(root), 'utf8')))) {
    const file = join(root, path)
    if (!existsSync(file)) throw new Error(`steward: ${file} 不见了 (is gone): ${mend}`)
    if (digestOf(file) === digest) continue
    throw new Error(`steward: ${file} 与安装时不同 (is not what the set-up has installed): ${mend}`)
  }
}

/** Of the Node that the service runs on: a binary for another one is never loaded. */
const ABI = '127'
const OF_AN_ABI = /(?:^|[._]abi|_)(\d{3})[._]/

/** Files of machine code that a platform may load, as paths from the root. */
function binariesOf(root, platform, arch) {
  const here = new RegExp(`_${platform}_${arch}_`)
  const isOfAbi = (path) => (OF_AN_ABI.exec(basename(path))?.[1] ?? ABI) === ABI
  return productionPackages(readLock(root))
    .filter(({ path, isNative }) => isNative && existsSync(join(root, path)))
    .flatMap(({ path }) => filesOf(root, path))
    .filter((path) => isOfAbi(path) && (!/uws_\w+\.node$/.test(path) || here.test(path)))
}

function filesOf(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesOf(root, path)
    return entry.name.endsWith('.node') ? [path] : []
  })
}

const digestOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')
