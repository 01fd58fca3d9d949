// Makes one file of everything that the process, or one of its threads, loads. Runs on the pinned Node,
// below the set-up, which says into which folder; a distribution adds where below this project they will seem to lie.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { entriesOf, LEFT_OUT } from './bundles.mjs'
import { renameHeld } from './rename.mjs'
import { failWith, ROOT } from './runtime.mjs'

/** A process that still runs the code of yesterday starts its threads from it. */
const STATES_MAX = 3

async function buildAll(folder, place = folder) {
  const { rolldown } = await import(bundler())
  const draft = `${folder}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  for (const entry of entriesOf(ROOT)) {
    const file = join(draft, entry.replace(/ts$/, 'js'))
    mkdirSync(dirname(file), { recursive: true })
    const code = await bundle(rolldown, entry, join(place, relative(draft, file)))
    // On disk before its name: what is found under it is run without another look.
    writeFileSync(file, scriptOf(code, entry), { flush: true })
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  renameHeld(draft, folder)
  if (place === folder) removeOld(dirname(folder))
}

/**
 * The names stay as they are and each module begins with its path, so that the stack of an error can be
 * read. Without comments and characters beyond ASCII the text is kept once per thread in half the bytes.
 */
async function bundle(rolldown, entry, file) {
  const build = await rolldown({
    cwd: ROOT,
    input: entry,
    platform: 'node',
    external: [/^node:/, ...LEFT_OUT],
    plugins: [ownAddress(file)],
    onwarn: (warning) => {
      throw new Error(warning.message)
    },
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false, comments: false })
  await build.close()
  return output[0].code.replace(/[^\0-\x7f]/g, escaped)
}

/** One import of the bundler, at the beginning of a line. Modules of Node come by `require`, which knows no default. */
const IMPORT = /^import (\{(?![^}]*\bdefault\b)[^}]*\}) from ("[^"]+");$/gm
/** What only a module may say, and imports that were not made ours. */
const OF_MODULES = /^(?:import|export)\b|\bimport(?:\.meta\b|\()/m

/**
 * The same as the text of one function, because the engine keeps what it has compiled of a script with all of the
 * functions in it, and of a module without them (`scripts/run-script.cjs`).
 */
function scriptOf(module, entry) {
  const code = module
    .replace(/^export \{\};\n/m, '')
    .replace(
      IMPORT,
      (_, names, from) => `const ${names.replace(/ as /g, ': ')} = await importModule(${from});`,
    )
    .replaceAll('import.meta.', 'importMeta.')
    .replace(/\bimport\((?=["'])/g, 'importModule(')
  const foreign = OF_MODULES.exec(code)
  if (foreign !== null) throw new Error(`${entry}: "${foreign[0]}" cannot be made a script`)
  return `(async (importModule, importMeta) => {"use strict";${code}\n})`
}

/** The one that builds the pages: it comes with vite. */
function bundler() {
  const vite = fileURLToPath(import.meta.resolve('vite'))
  return pathToFileURL(createRequire(vite).resolve('rolldown')).href
}

const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A module that looks for a file beside itself must find it from inside the bundle. */
const ownAddress = (file) => ({
  name: 'own-address',
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.startsWith('\0')) return null
    const path = JSON.stringify(relative(dirname(file), id).split(sep).join('/'))
    return code.replaceAll('import.meta.url', `new URL(${path}, import.meta.url).href`)
  },
})

function removeOld(place) {
  const age = (name) => statSync(join(place, name)).mtimeMs
  const folders = readdirSync(place).sort((a, b) => age(b) - age(a))
  for (const name of folders.slice(STATES_MAX)) {
    rmSync(join(place, name), { recursive: true, force: true, maxRetries: 3 })
  }
}

await buildAll(...process.argv.slice(2)).catch((error) => failWith(error, 1))
