// npm run dist: makes the archives that a user unpacks and starts, without npm, git or a compiler:
// npm run dist -- [--platform win-x64] [--out FOLDER]. The work is done by dist/make.mjs, on the pinned Node.
import { join } from 'node:path'
import { failWith, getNode, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'

try {
  await setUp()
  process.exitCode = await runOn(
    getNode(),
    join(ROOT, 'scripts', 'dist', 'make.mjs'),
    process.argv.slice(2),
  )
} catch (error) {
  failWith(error, 1)
}
