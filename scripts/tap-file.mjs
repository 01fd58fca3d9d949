// Runs one tap test file. Plain JavaScript; started on the pinned Node by tap.mjs and mutate.mjs.
//
// tap's own command puts loader hooks into every process and every thread that a test starts: a thread
// then takes 580 ms to start instead of 110, and is no longer the thread that runs in production. So the
// files run as plain programs, which is what tap files are, and tap's parser reads what they print.
import { spawn } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { Parser } from 'tap-parser'

/** tap ends a slow file itself and names the test; this is for one that cannot even do that. */
const KILL_AFTER_MS = 10_000
/** A file that has failed and left something open would run until the end of its time, and say nothing more. */
const QUIET_SECONDS_MAX = 120
const OUTPUT_CHARS_MAX = 20_000

/** Fields of a diagnosis that a reader needs, in this order; the rest repeats them. */
const SHOWN = ['tapError', 'diff', 'found', 'wanted', 'pattern', 'expired', 'stack']

const flagsOf = (root) => [
  '--disable-warning=ExperimentalWarning',
  `--import=${pathToFileURL(join(root, 'scripts', 'keep-stripped.mjs')).href}`,
]

/**
 * Runs `file`, a path from the root of the project, and answers what became of its tests.
 * `titles` are those of one test from the outside in; the others are left out. `env` is added to ours.
 */
export function runFile(
  file,
  { root, secondsMax, quietSecondsMax = QUIET_SECONDS_MAX, titles = [], env = {} },
) {
  const startedAt = performance.now()
  const parser = new Parser()
  const count = new TestCount(parser)
  let output = ''
  const keep = (text) => {
    output = (output + text).slice(-OUTPUT_CHARS_MAX)
  }
  parser.on('extra', keep)
  return new Promise((done) => {
    const child = spawn(process.execPath, [...flagsOf(root), file], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...env,
        TAP_SAVE_FIXTURE: '1',
        TAP_TIMEOUT: String(secondsMax),
        ...filterOf(titles),
      },
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), secondsMax * 1_000 + KILL_AFTER_MS)
    const watch = endWhenQuiet(quietSecondsMax, () => {
      keep(`\nended: a test had failed, and nothing more was said for ${quietSecondsMax} s\n`)
      child.kill('SIGKILL')
    })
    child.stdout.on('data', watch.heard)
    child.stdout.pipe(parser)
    child.stderr.setEncoding('utf8').on('data', keep)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      watch.stop()
      removeFixtures(root, file)
      const seconds = (performance.now() - startedAt) / 1_000
      done({ file, output, seconds, ...count.finish({ code, signal }) })
    })
  })
}

/**
 * tap removes the folders of a test before its teardowns, which close what lies in them: Windows removes nothing
 * that is open, and elsewhere a service finds itself without its files. So they are kept until the process is gone.
 */
function removeFixtures(root, file) {
  const place = join(root, '.tap', 'fixtures')
  const own = relative(root, resolve(root, file)).replace(/[^a-zA-Z0-9._-]+/g, '-')
  try {
    for (const name of readdirSync(place)) {
      if (!name.startsWith(own)) continue
      rmSync(join(place, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  } catch {
    // None was made, or a process that outlived the test holds one: it is emptied when it is made again.
  }
}

const NOT_OK = /^\s*not ok (?!.*# todo)/im

/**
 * Once something has failed, `end` is called when nothing was heard for so long. The text itself is looked
 * at: the parser tells of a failure with the line after it, which may never come.
 */
function endWhenQuiet(secondsMax, end) {
  let hasFailed = false
  let line = ''
  let timer
  return {
    heard: (chunk) => {
      const text = line + chunk
      line = text.slice(text.lastIndexOf('\n') + 1)
      hasFailed ||= NOT_OK.test(text)
      clearTimeout(timer)
      if (hasFailed) timer = setTimeout(end, secondsMax * 1_000)
    },
    stop: () => clearTimeout(timer),
  }
}

/** What is left out says nothing at all, so that it does not count as skipped. */
function filterOf(titles) {
  if (titles.length === 0) return {}
  const patterns = titles.map((title) => `/^${escaped(title)}$/`)
  return { TAP_GREP: patterns.join('\n'), TAP_FILTER_QUIETLY: '1' }
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/**
 * A test is a `t.test` that holds no other; a file with bare assertions only is one test.
 * A failure outside of every test (a throw, a wrong plan, a timeout, a bad exit) counts as a failed one.
 */
class TestCount {
  #root

  /** Feed the parser with the output of the file; call `finish` when it has ended. */
  constructor(parser) {
    this.#root = treeOf(parser)
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
function treeOf(parser) {
  const block = { name: parser.name, blocks: [], points: [], errors: [], isOk: true, closing: null }
  parser.on('child', (child) => block.blocks.push(treeOf(child)))
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
  for (const point of block.points) {
    if (point.skip || point.todo) total.skipped.push(skippedName(path, point))
  }

  if (isTest) addTest(block, path, failed, total)
  else for (const point of failed) total.failures.push(describe(path, [point]))

  const isSilent = total.failures.length === failuresBefore
  if (!isTest && isSilent && isFailed(block.closing)) {
    total.failures.push(describe(path, [block.closing]))
  }
}

/** With the reason, where the test gives one. */
function skippedName(path, { name, skip }) {
  const title = [...path, name].join(' > ')
  return typeof skip === 'string' ? `${title} (${skip})` : title
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
  const isTimeout = points.some(({ diag }) => diag?.expired !== undefined)
  return { name, text: points.map(describePoint).join('\n'), isTimeout }
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
