// npm test: set-up, checks, tests. `npm test -- test/domain/fees.test.ts` runs only the files named,
// `npm run test:long` those of long-tests.mjs, or the files named too. With `--minutes N` no file begins later.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LONG_TESTS } from './long-tests.mjs'
import { failWith, getNode, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'
import { setUpBrowser, setUpNatsServer, setUpPython } from './test-needs.mjs'

async function test(files, options) {
  await setUp()
  if (files.length === 0 || files.some((file) => file.includes('browser'))) setUpBrowser()
  if (files.length === 0 || files.some((file) => /xt|contract\/driver/.test(file))) setUpPython()
  if (files.length === 0 || files.some((file) => /cluster/.test(file))) setUpNatsServer()
  const node = getNode()
  const steps = files.length === 0 ? ['check.mjs', 'tap.mjs'] : ['tap.mjs']
  for (const step of steps) {
    const code = await runOn(
      node,
      join(ROOT, 'scripts', step),
      step === 'tap.mjs' ? [...options, ...files] : [],
    )
    if (code !== 0) return code
  }
  return 0
}

try {
  const { values, positionals: named } = parseArgs({
    options: { long: { type: 'boolean' }, minutes: { type: 'string' } },
    allowPositionals: true,
  })
  const files = values.long && named.length === 0 ? LONG_TESTS : named
  process.exitCode = await test(files, values.minutes ? ['--minutes', values.minutes] : [])
} catch (error) {
  failWith(error, 1)
}
