// npm test: set-up, checks, tests. `npm test -- test/domain/fees.test.ts` runs only the files named,
// `npm run test:long` those of long-tests.mjs, or the files named too.
import { join } from 'node:path'
import { LONG_TESTS } from './long-tests.mjs'
import { failWith, getNode, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'
import { setUpBrowser, setUpNatsServer, setUpPython } from './test-needs.mjs'

async function test(files) {
  await setUp()
  if (files.length === 0 || files.some((file) => file.includes('browser'))) setUpBrowser()
  if (files.length === 0 || files.some((file) => /xt|contract\/driver/.test(file))) setUpPython()
  if (files.length === 0 || files.some((file) => /cluster/.test(file))) setUpNatsServer()
  const node = getNode()
  const steps = files.length === 0 ? ['check.mjs', 'tap.mjs'] : ['tap.mjs']
  for (const step of steps) {
    const code = await runOn(node, join(ROOT, 'scripts', step), step === 'tap.mjs' ? files : [])
    if (code !== 0) return code
  }
  return 0
}

try {
  const words = process.argv.slice(2)
  const files = words.filter((word) => word !== '--long')
  const isLong = words.length > files.length && files.length === 0
  process.exitCode = await test(isLong ? LONG_TESTS : files)
} catch (error) {
  failWith(error, 1)
}
