// npm run hostile: set up if needed, then attacks on a running service, one after the other, with a table of how it took them.
import { join } from 'node:path'
import { failWith, getNode, obeyShell, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'

obeyShell()
try {
  await setUp()
  const file = join(ROOT, 'test', 'hostile', 'fixtures', 'run.ts')
  process.exitCode = await runOn(getNode(), file, process.argv.slice(2))
} catch (error) {
  failWith(error, 1)
}
