// Runs several tap test files one after the other in this process, each as a test with the file's path for a name.
// Started by tap-file.mjs: `node tap-together.mjs a.test.ts b.test.ts`.
//
// Half of the time of a small file is the start of its process. What a file imports as tap is its own test here, so
// that its tests, plans and teardowns stay within it. The files must leave the process as they found it; which ones
// may run so, and what they must not touch, is in `tap-rooms.mjs`.
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { DayEdge } from './day-edge.mjs'
import { fixturesOf } from './tap-fixtures.mjs'
import { isPure } from './tap-rooms.mjs'

const OWN_TAP = 'steward-tap:'
const own = new Map()
globalThis.stewardTapOf = (url) => own.get(url)

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'tap' && own.has(context.parentURL)
      ? { url: `${OWN_TAP}${context.parentURL}`, format: 'module', shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url.startsWith(OWN_TAP)
      ? {
          format: 'module',
          source: `export default stewardTapOf(${JSON.stringify(url.slice(OWN_TAP.length))})`,
          shortCircuit: true,
        }
      : next(url, context),
})

for (const file of process.argv.slice(2)) {
  const { href } = pathToFileURL(resolve(file))
  t.test(file, async (t) => {
    own.set(href, t)
    if (!isPure(file)) await new DayEdge({ say: (line) => t.comment(line) }).passed()
    t.testdirName = fixturesOf(process.cwd(), file)
    await import(href)
  })
}
