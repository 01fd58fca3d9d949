// npm run prove: set up if needed, then histories of the simulation on all cores until the time is up.
import { join } from 'node:path'
import { failWith, getNode, obeyShell, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'

obeyShell()
try {
  await setUp()
  const isYear = process.argv.includes('--year')
  const file = isYear
    ? join(ROOT, 'test', 'days', 'fixtures', 'year-command.ts')
    : join(ROOT, 'test', 'simulation', 'fixtures', 'prove.ts')
  process.exitCode = await runOn(getNode(), file, process.argv.slice(2))
} catch (error) {
  failWith(error, 1)
}
