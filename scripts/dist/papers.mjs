// What comes with an archive to be read: the first page, licences, documents.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { productionPackages, reachablePackages } from '../packages.mjs'
import { findPinnedNode } from '../runtime.mjs'
import { VC_RUNTIME } from './platforms.mjs'
import { PAGE_PACKAGES, shippedPackages } from './selection.mjs'
import { asWindowsText, noticeText } from './texts.mjs'

const LICENCE = /^(licen[cs]e|notice|copying)/i
/** Documents that a user of the archive needs without a network. */
const DOCUMENTS = ['windows', 'windows-client', 'settings', 'cluster']
/** Configuration of the servers of a cluster: read by programs, so it stays as it is. */
const DEPLOY = ['deploy', 'nats']
const TEXTS = {
  win32: { first: 'READ ME FIRST 请先读我.txt', place: 'windows', asText: asWindowsText },
  linux: { first: 'README.txt', place: 'linux', asText: (text) => text },
}

const MICROSOFT = {
  name: VC_RUNTIME.join(', '),
  version: 'x64',
  license: 'Microsoft Visual Studio, distributable code',
  publisher: 'Microsoft Corporation',
  texts: [
    'Copyright (c) Microsoft Corporation. All rights reserved. Distributed unmodified, as part of this program, under\nthe terms for distributable code of Microsoft Visual Studio. You may use them only with this program.',
  ],
}

/** Paths in the archive, and what is written there. */
export function papersFor(source) {
  const { root, platform } = source
  const { first, place, asText } = TEXTS[platform.os]
  const files = [
    [first, join(root, 'scripts', 'dist', place, 'README.txt')],
    ['LICENSE.txt', join(root, 'LICENSE')],
    ...DOCUMENTS.map((name) => [`docs/${name}.txt`, join(root, 'docs', `${name}.md`)]),
  ]
  const papers = files.map(([path, file]) => [path, readFileSync(file, 'utf8')])
  papers.push(['NOTICE.txt', noticeText(notices(source))])
  return [...papers.map(([path, text]) => ({ path, content: asText(text) })), ...deployed(root)]
}

function deployed(root) {
  const folder = join(root, ...DEPLOY)
  return readdirSync(folder)
    .sort()
    .map((name) => ({
      path: [...DEPLOY, name].join('/'),
      content: readFileSync(join(folder, name), 'utf8'),
    }))
}

/** Of every package whose code is in the archive: shipped as it is, in the bundles, or in the pages. */
function notices({ root, lock, platform, modules, vcRuntime }) {
  const known = new Map(productionPackages(lock).map((each) => [each.path, each]))
  const forAll = (path) => lock.packages[path].os === undefined
  const bundled = [...known.keys()].filter(forAll)
  const shown = reachablePackages(lock, PAGE_PACKAGES).filter(forAll)
  const paths = new Set([...shippedPackages(lock, platform), ...bundled, ...shown])
  const isWithLibraries = vcRuntime !== undefined && platform.os === 'win32'
  const found = [...paths].sort().map((path) => {
    const folder = [modules, root].map((place) => join(place, path)).find(existsSync)
    const { version, license, name = path.replace(/^.*node_modules\//, '') } = lock.packages[path]
    const own = folder === undefined ? [] : licencesIn(folder)
    const isRuntime = `node_modules/${platform.node}`.startsWith(`${path}/`)
    const texts = isRuntime && own.length === 0 ? runtimeLicence(root) : own
    return { name, version, license, publisher: known.get(path)?.publisher, texts }
  })
  return isWithLibraries ? [...found, MICROSOFT] : found
}

const licencesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((each) => each.isFile() && LICENCE.test(each.name))
    .map((each) => readFileSync(join(folder, each.name), 'utf8'))

/** The package for Windows comes without; it is the same Node of the same release as the one that runs this. */
function runtimeLicence(root) {
  const pinned = findPinnedNode(root)
  const texts = pinned === undefined ? [] : licencesIn(dirname(dirname(pinned)))
  if (texts.length === 0) throw new Error('steward: the licence of Node is not here: npm run setup')
  return texts
}
