// npm run mutants: plants the bugs of test/mutants one by one and asks the tests for them.
import { join } from 'node:path'
import { failWith, getNode, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'
import { setUpNatsServer, setUpPython } from './test-needs.mjs'

try {
  await setUp()
  setUpPython()
  setUpNatsServer()
  process.exitCode = await runOn(
    getNode(),
    join(ROOT, 'scripts', 'mutate.mjs'),
    process.argv.slice(2),
  )
} catch (error) {
  failWith(error, 1)
}
