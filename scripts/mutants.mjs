// npm run mutants: plants the bugs of test/mutants one by one and asks the tests for them.
import { join } from 'node:path'
import { findNatsServer } from './nats-server.mjs'
import { failWith, getNode, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'
import { setUpNatsServer, setUpPython } from './test-needs.mjs'

try {
  await setUp()
  setUpPython()
  setUpNatsServer()
  // The copies that the bugs are planted in have no cache of their own.
  const server = findNatsServer()
  if (server !== undefined) process.env['NATS_SERVER_BIN'] = server
  process.exitCode = await runOn(
    getNode(),
    join(ROOT, 'scripts', 'mutate.mjs'),
    process.argv.slice(2),
  )
} catch (error) {
  failWith(error, 1)
}
