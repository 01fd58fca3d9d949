// npm test: set-up, checks, tests. `npm test -- test/domain/fees.test.ts` runs only the files named.
import { join } from 'node:path'
import { failWith, getNode, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'
import { setUpBrowser, setUpPython } from './test-needs.mjs'

async function test(files) {
  await setUp()
  if (files.length === 0 || files.some((file) => file.includes('browser'))) setUpBrowser()
  if (files.length === 0 || files.some((file) => /xt|contract\/driver/.test(file))) setUpPython()
  const node = getNode()
  const steps = files.length === 0 ? ['check.mjs', 'tap.mjs'] : ['tap.mjs']
  for (const step of steps) {
    const code = await runOn(node, join(ROOT, 'scripts', step), step === 'tap.mjs' ? files : [])
    if (code !== 0) return code
  }
  return 0
}

try {
  process.exitCode = await test(process.argv.slice(2))
} catch (error) {
  failWith(error, 1)
}
