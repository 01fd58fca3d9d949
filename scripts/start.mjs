// npm start: set up if needed, then `steward up` with the arguments given.
import { join } from 'node:path'
import { failWith, obeyShell, ROOT } from './runtime.mjs'
import { setUp } from './setup.mjs'

obeyShell()
try {
  await setUp()
  process.argv.splice(1, 1, join(ROOT, 'bin', 'steward.mjs'), 'up')
} catch (error) {
  failWith(error, 1)
}
if (process.exitCode === undefined) await import('../bin/steward.mjs')
