// Runs one tap test file. Plain JavaScript; started on the pinned Node by tap.mjs and mutate.mjs.
//
// tap's own command puts loader hooks into every process and every thread that a test starts: a thread
// then takes 580 ms to start instead of 110, and is no longer the thread that runs in production. So the
// files run as plain programs, which is what tap files are, and tap's parser reads what they print.
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Parser } from 'tap-parser'
import { TapRun } from './tap-count.mjs'
import { removeAll, removeFixtures } from './tap-fixtures.mjs'

/** tap ends a slow file itself and names the test; this is for one that cannot even do that. */
const KILL_AFTER_MS = 10_000
/** A file that has failed and left something open would run until the end of its time, and say nothing more. */
const QUIET_SECONDS_MAX = 120
const OUTPUT_CHARS_MAX = 20_000

const flagsOf = (root) => [
  '--disable-warning=ExperimentalWarning',
  `--import=${pathToFileURL(join(root, 'scripts', 'keep-stripped.mjs')).href}`,
]

/**
 * Runs `file`, a path from the root of the project, and answers what became of its tests.
 * `titles` are those of one test from the outside in; the others are left out. `env` is added to ours.
 */
export async function runFile(file, options) {
  const { run, output, seconds } = await runProgram([file], [file], options)
  return { file, output, seconds, ...run.verdict() }
}

/** Runs `files` in one process (`tap-rooms.mjs` says which may) and answers for each what `runFile` would. */
export async function runFiles(files, options) {
  const together = relative(
    options.root,
    fileURLToPath(new URL('tap-together.mjs', import.meta.url)),
  )
  const { run, output, seconds } = await runProgram(files, [together, ...files], options)
  return files.map((file) => {
    const { seconds: own = seconds / files.length, ...verdict } = run.verdictOf(file)
    return { file, output: verdict.failures.length > 0 ? output : '', seconds: own, ...verdict }
  })
}

/** Runs tap in a process with `words`; what these files have made is removed behind it. */
function runProgram(
  files,
  words,
  { root, secondsMax, quietSecondsMax = QUIET_SECONDS_MAX, titles = [], env = {} },
) {
  const startedAt = performance.now()
  const parser = new Parser()
  const run = new TapRun(parser)
  let output = ''
  const keep = (text) => {
    output = (output + text).slice(-OUTPUT_CHARS_MAX)
  }
  parser.on('extra', keep)
  // What is killed leaves what it made there, and so do the programs that it started. Short, for sockets lie there too.
  const temporary = mkdtempSync(join(tmpdir(), 'tap-'))
  return new Promise((done) => {
    const child = spawn(process.execPath, [...flagsOf(root), ...words], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        TMPDIR: temporary,
        TEMP: temporary,
        TMP: temporary,
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
      removeFixtures(root, files)
      removeAll(temporary)
      run.end = { code, signal }
      done({ run, output, seconds: (performance.now() - startedAt) / 1_000 })
    })
  })
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
