// Runs tap test files and reports in a few lines. Started by test.mjs on the pinned Node.
//
// tap's own command puts loader hooks into every process and every thread that a test starts: a thread
// then takes 580 ms to start instead of 110, and is no longer the thread that runs in production. So the
// files run as plain programs, which is what tap files are, and tap's parser reads what they print.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Parser } from 'tap-parser'
import { ROOT } from './runtime.mjs'
import { TestCount } from './test-count.mjs'

const JOBS_MAX = 2
const FILE_SECONDS_MAX = 120
/** tap ends a slow file itself and names the test; this is for one that cannot even do that. */
const KILL_MS = (FILE_SECONDS_MAX + 10) * 1_000
const OUTPUT_CHARS_MAX = 20_000
const FLAGS = [
  '--disable-warning=ExperimentalWarning',
  `--import=${pathToFileURL(join(import.meta.dirname, 'keep-stripped.mjs')).href}`,
]

function findFiles() {
  return readdirSync(join(ROOT, 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name).split(sep).join('/'))
    .sort()
}

function runFile(file) {
  const startedAt = performance.now()
  const parser = new Parser()
  const count = new TestCount(parser)
  let output = ''
  const keep = (text) => {
    output = (output + text).slice(-OUTPUT_CHARS_MAX)
  }
  parser.on('extra', keep)
  return new Promise((done) => {
    const child = spawn(process.execPath, [...FLAGS, file], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TAP_TIMEOUT: String(FILE_SECONDS_MAX) },
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_MS)
    child.stdout.pipe(parser)
    child.stderr.setEncoding('utf8').on('data', keep)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      const seconds = (performance.now() - startedAt) / 1_000
      done({ file, output, seconds, ...count.finish({ code, signal }) })
    })
  })
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
      const result = await runFile(file)
      print(result)
      results.push(result)
    }
  }
  await Promise.all(Array.from({ length: Math.min(JOBS_MAX, availableParallelism()) }, work))
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
