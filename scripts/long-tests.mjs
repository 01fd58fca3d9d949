import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './runtime.mjs'

/**
 * Test files that are not part of `npm test`, which should take no longer than a walk to the coffee machine:
 * they go through what others test in short with many more kills, histories, damages or days. `npm run
 * test:long` runs them, and so does the build server after `npm test`.
 */
export const LONG_TESTS = JSON.parse(readFileSync(join(ROOT, 'test', 'long.json'), 'utf8'))
