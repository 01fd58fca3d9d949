// npm run bench: set up if needed, then the suite on the pinned Node. `npm run bench -- read tick` picks.
import { join } from 'node:path'
import { failWith, getNode, obeyShell, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'

obeyShell()
try {
  await setUp()
  process.exitCode = await runOn(getNode(), join(ROOT, 'bench', 'run.ts'), process.argv.slice(2))
} catch (error) {
  failWith(error, 1)
}
