// Builds the pages of web/ into web/dist, with compressed copies beside the files. Runs on the pinned Node.
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { renameHeld } from './rename.mjs'
import { failWith, isStarted, ROOT } from './runtime.mjs'
import { PAGES_STAMP } from './setup-builds.mjs'

const PAGES = ['console', 'monitor']
const TEXT = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest'])
/** What the page shows of itself in the browser's bar, beside the named files. */
const SHELL_ICONS = [
  '/favicon.svg',
  '/favicon-live.svg',
  '/favicon-paper.svg',
  '/favicon-simulation.svg',
]
const DIGEST_LENGTH = 16
/** Below this a compressed copy saves nothing. */
const BYTES_MIN = 1_024
/** A scanner may read what was written a moment ago. */
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }

async function buildPages(stamp) {
  const { build } = await import('vite')
  const { default: vue } = await import('@vitejs/plugin-vue')
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const fresh = join(ROOT, 'web', 'dist.new')
  rmSync(fresh, REMOVE)
  for (const page of PAGES) {
    await build({
      configFile: false,
      root: join(ROOT, 'web', page),
      publicDir: join(ROOT, 'web', 'public'),
      logLevel: 'warn',
      plugins: [vue(), releaseInTitle(version)],
      define: {
        __RELEASE__: JSON.stringify(version),
        __VUE_OPTIONS_API__: 'true',
        __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
        __VUE_I18N_FULL_INSTALL__: 'false',
        __VUE_I18N_LEGACY_API__: 'false',
        __INTLIFY_PROD_DEVTOOLS__: 'false',
      },
      build: {
        outDir: join(fresh, page),
        target: 'es2022',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 800,
      },
    })
  }
  for (const page of PAGES) listShell(join(fresh, page))
  await compressAll(fresh)
  putInPlace(fresh, join(ROOT, 'web', 'dist'), stamp)
}

const releaseInTitle = (version) => ({
  name: 'release-in-title',
  transformIndexHtml: (html) => html.replaceAll('%RELEASE%', version),
})

/**
 * What the page needs when the service does not answer; its worker keeps just that. A browser lets a worker begin only where
 * its text is another one: it says which files it is of.
 */
function listShell(folder) {
  const files = readdirSync(join(folder, 'assets')).map((name) => `/assets/${name}`)
  const listed = [...files, ...SHELL_ICONS].sort()
  const page = readFileSync(join(folder, 'index.html'))
  const digest = createHash('sha256').update(page).update(listed.join('\n')).digest('hex')
  const short = digest.slice(0, DIGEST_LENGTH)
  writeFileSync(join(folder, 'shell.json'), JSON.stringify({ digest: short, files: listed }))
  appendFileSync(join(folder, 'sw.js'), `// ${short}\n`)
}

async function compressAll(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && TEXT.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  await Promise.all(files.map(compress))
}

async function compress(file) {
  const bytes = readFileSync(file)
  if (bytes.length < BYTES_MIN) return
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, BROTLI),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  if (br.length < bytes.length) writeFileSync(`${file}.br`, br)
  if (gz.length < bytes.length) writeFileSync(`${file}.gz`, gz)
}

/** All of it is on the disk before it has its name and says what it was built from: nobody looks at it again. */
export function putInPlace(fresh, place, stamp) {
  for (const entry of readdirSync(fresh, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) flush(join(entry.parentPath ?? entry.path, entry.name))
  writeFileSync(join(fresh, PAGES_STAMP), stamp, { flush: true })
  swapIn(fresh, place)
}

function flush(file) {
  // Windows flushes only what may be written, and elsewhere a copy may be as read-only as its source.
  const handle = openSync(file, process.platform === 'win32' ? 'r+' : 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** A reader finds the old pages or the new ones, never half of them. */
function swapIn(fresh, place) {
  const aside = `${place}.old`
  rmSync(aside, REMOVE)
  mkdirSync(place, { recursive: true })
  renameHeld(place, aside)
  renameHeld(fresh, place)
  rmSync(aside, REMOVE)
}

if (isStarted(import.meta.url)) {
  await buildPages(process.argv[2] ?? '').catch((error) => failWith(error, 1))
}
