// Runs tap test files and reports in a few lines. Started by test.mjs on the pinned Node.
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { DayEdge } from './day-edge.mjs'
import { LONG_TESTS } from './long-tests.mjs'
import { failWith, ROOT } from './runtime.mjs'
import { runFile, runFiles } from './tap-file.mjs'
import { groupsOf, isPure } from './tap-rooms.mjs'
import { minutesOf, TimedQueue } from './timed-queue.mjs'

/** One more than there are cores: many tests wait for a process, a page or a disk. */
const JOBS_MAX = 3
/** For a file that hangs, not for one on a busy computer: nothing is measured with it. */
const FILE_SECONDS_MAX = 600
/** Of those that take minutes where nothing is slow, and of several in one process. */
const LONG_SECONDS_MAX = 1_200

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

const secondsMaxOf = (files) =>
  files.length > 1 || LONG_TESTS.includes(files[0]) ? LONG_SECONDS_MAX : FILE_SECONDS_MAX

async function runAll(queue) {
  const results = []
  const edge = new DayEdge()
  const work = async () => {
    for (let files = queue.next(); files !== undefined; files = queue.next()) {
      if (!files.every(isPure)) await edge.passed()
      const options = { root: ROOT, secondsMax: secondsMaxOf(files) }
      const ended =
        files.length > 1 ? await runFiles(files, options) : [await runFile(files[0], options)]
      for (const result of ended) print(result)
      results.push(...ended)
    }
  }
  await Promise.all(Array.from({ length: Math.min(JOBS_MAX, availableParallelism() + 1) }, work))
  return results
}

/** The closing lines, and whether all that ran is well. */
function sumUp(results, notRun) {
  const passed = results.reduce((sum, result) => sum + result.passed, 0)
  const skipped = results.reduce((sum, result) => sum + result.skipped.length, 0)
  const failures = results.flatMap(({ file, failures }) =>
    failures.map(({ name }) => `${file} > ${name}`),
  )
  if (failures.length > 0) process.stdout.write(`\nfailed:\n${indent(failures.join('\n'))}\n`)
  if (passed + failures.length === 0) process.stdout.write('\nno test ran\n')
  if (skipped > 0) process.stdout.write(`\n${skipped} skipped\n`)
  if (notRun.length > 0) {
    process.stdout.write(`\n${notRun.length} files not run, the time was over:\n`)
    process.stdout.write(`${indent(notRun.join('\n'))}\n`)
  }
  process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`)
  return failures.length === 0 && passed > 0
}

try {
  const { values, positionals: named } = parseArgs({
    options: { minutes: { type: 'string' } },
    allowPositionals: true,
  })
  const files = named.length > 0 ? named : findFiles()
  const queue = new TimedQueue(groupsOf(files), { minutes: minutesOf(values.minutes) })
  const results = await runAll(queue)
  process.exitCode = sumUp(results, queue.left.flat()) ? 0 : 1
} catch (error) {
  failWith(error, 1)
}
