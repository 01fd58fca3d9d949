// Runs tap test files and reports in a few lines. Started by test.mjs on the pinned Node.
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, sep } from 'node:path'
import { LONG_TESTS } from './long-tests.mjs'
import { ROOT } from './runtime.mjs'
import { runFile } from './tap-file.mjs'

/** One more than there are cores: many tests wait for a process, a page or a disk. */
const JOBS_MAX = 3
/** For a file that hangs, not for one on a busy computer: nothing is measured with it. */
const FILE_SECONDS_MAX = 600

/** Folders with files of half a minute: one that began last would be waited for alone. */
const FIRST = /^test\/(?:simulation|browser|days|service|actors)\//

function findFiles() {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name).split(sep).join('/'))
    .filter((file) => !LONG_TESTS.includes(file))
    .sort()
  return [...files.filter((file) => FIRST.test(file)), ...files.filter((file) => !FIRST.test(file))]
}

function print(result) {
  const { file, passed, failures, skipped, output, seconds } = result
  const word = failures.length === 0 ? 'ok    ' : 'FAILED'
  process.stdout.write(`${word}  ${file}  ${passed} passed  ${seconds.toFixed(1)} s\n`)
  for (const name of skipped) process.stdout.write(`  skipped: ${name}\n`)
  for (const { name, text } of failures) process.stdout.write(`\n  ✖ ${name}\n${indent(text)}\n`)
  if (failures.length > 0 && output !== '') {
    process.stdout.write(`  what the file printed:\n${indent(output)}\n`)
  }
}

function indent(text) {
  return text.trimEnd().replaceAll(/^(?=.)/gm, '    ')
}

async function runAll(files) {
  const queue = [...files]
  const results = []
  const work = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const result = await runFile(file, { root: ROOT, secondsMax: FILE_SECONDS_MAX })
      print(result)
      results.push(result)
    }
  }
  await Promise.all(Array.from({ length: Math.min(JOBS_MAX, availableParallelism() + 1) }, work))
  return results
}

const named = process.argv.slice(2)
const results = await runAll(named.length > 0 ? named : findFiles())
const passed = results.reduce((sum, result) => sum + result.passed, 0)
const skipped = results.reduce((sum, result) => sum + result.skipped.length, 0)
const failures = results.flatMap(({ file, failures }) =>
  failures.map(({ name }) => `${file} > ${name}`),
)

if (failures.length > 0) process.stdout.write(`\nfailed:\n${indent(failures.join('\n'))}\n`)
if (passed + failures.length === 0) process.stdout.write('\nno test ran\n')
if (skipped > 0) process.stdout.write(`\n${skipped} skipped\n`)
process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`)
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1
