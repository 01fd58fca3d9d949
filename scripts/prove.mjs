// npm run prove: set up if needed, then histories of the simulation on all cores until the time is up.
import { join } from 'node:path'
import { failWith, getNode, obeyShell, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'

function fileOf(args) {
  if (args.includes('--year')) return join(ROOT, 'test', 'days', 'fixtures', 'year-command.ts')
  if (args.includes('--soak')) {
    process.env.TAP_TIMEOUT = '86400' // of tap, for a whole file; it ends with its last fault
    return join(ROOT, 'test', 'cluster', 'soak', 'fixtures', 'prove.ts')
  }
  return join(ROOT, 'test', 'simulation', 'fixtures', 'prove.ts')
}

obeyShell()
try {
  await setUp()
  const args = process.argv.slice(2)
  process.exitCode = await runOn(getNode(), fileOf(args), args)
} catch (error) {
  failWith(error, 1)
}
