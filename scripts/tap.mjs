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
import { inspect } from 'node:util'
import { Parser } from 'tap-parser'
import { ROOT } from './runtime.mjs'

const JOBS_MAX = 2
/** For a file that hangs, not for one on a busy computer: nothing is measured with it. */
const FILE_SECONDS_MAX = 600
/** tap ends a slow file itself and names the test; this is for one that cannot even do that. */
const KILL_MS = (FILE_SECONDS_MAX + 10) * 1_000
const OUTPUT_CHARS_MAX = 20_000
const FLAGS = [
  '--disable-warning=ExperimentalWarning',
  `--import=${pathToFileURL(join(import.meta.dirname, 'keep-stripped.mjs')).href}`,
]

/** Fields of a diagnosis that a reader needs, in this order; the rest repeats them. */
const SHOWN = ['tapError', 'diff', 'found', 'wanted', 'pattern', 'expired', 'stack']

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

/**
 * A test is a `t.test` that holds no other; a file with bare assertions only is one test.
 * A failure outside of every test (a throw, a wrong plan, a timeout, a bad exit) counts as a failed one.
 */
class TestCount {
  #root

  /** Feed the parser with the output of the file; call `finish` when it has ended. */
  constructor(parser) {
    this.#root = watch(parser)
  }

  /** The verdict; `end` is how the process ended. */
  finish(end) {
    const total = { passed: 0, skipped: [], failures: [] }
    addBlock(this.#root, [], total)
    const isClean = end.code === 0 && this.#root.isOk
    if (!isClean && total.failures.length === 0) {
      const how = end.signal === null ? `exit code ${end.code}` : `ended by ${end.signal}`
      total.failures.push({ name: 'the file as a whole', text: how })
    }
    if (total.passed + total.skipped.length + total.failures.length === 0) {
      total.failures.push({ name: 'the file as a whole', text: 'it holds no test' })
    }
    return total
  }
}

/** The tree of tests that a parser sees: `closing` is the line by which the parent sums a test up. */
function watch(parser) {
  const block = { name: parser.name, blocks: [], points: [], errors: [], isOk: true, closing: null }
  parser.on('child', (child) => block.blocks.push(watch(child)))
  parser.on('assert', (point) => {
    const last = block.blocks.at(-1)
    if (point.closingTestPoint && last !== undefined) last.closing = point
    else block.points.push(point)
  })
  parser.on('complete', (results) => {
    block.isOk = results.ok
    block.errors = results.failures.filter(({ tapError }) => typeof tapError === 'string')
  })
  return block
}

function addBlock(block, path, total) {
  const failuresBefore = total.failures.length
  for (const inner of block.blocks) addBlock(inner, [...path, inner.name], total)
  const isTest = block.blocks.length === 0
  const failed = [...block.points.filter(isFailed), ...block.errors]
  for (const { name, skip, todo } of block.points) {
    if (skip || todo) total.skipped.push([...path, name].join(' > '))
  }

  if (isTest) addTest(block, path, failed, total)
  else for (const point of failed) total.failures.push(describe(path, [point]))

  const isSilent = total.failures.length === failuresBefore
  if (!isTest && isSilent && isFailed(block.closing)) {
    total.failures.push(describe(path, [block.closing]))
  }
}

function addTest(block, path, failed, total) {
  if (failed.length > 0) total.failures.push(describe(path, failed))
  else if (isFailed(block.closing)) total.failures.push(describe(path, [block.closing]))
  else if (block.closing !== null || block.points.some(isPassed)) total.passed += 1
}

function isPassed(point) {
  return point.ok && !point.skip && !point.todo
}

function isFailed(point) {
  return point !== null && !point.ok && !point.skip && !point.todo
}

function describe(path, points) {
  const name = path.length > 0 ? path.join(' > ') : (points[0].name ?? 'outside of every test')
  return { name, text: points.map(describePoint).join('\n') }
}

function describePoint(point) {
  const diagnosis = { ...point.diag, tapError: point.tapError || undefined }
  const at = point.diag?.at
  const place = at?.fileName === undefined ? '' : `  (${at.fileName}:${at.lineNumber})`
  const lines = SHOWN.filter((field) => diagnosis[field] !== undefined).map((field) => {
    const value = diagnosis[field]
    return `${field}: ${typeof value === 'string' ? value.trim() : inspect(value, { depth: 6 })}`
  })
  return [`${point.name ?? ''}${place}`, ...lines].join('\n')
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
