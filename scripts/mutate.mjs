// Plants one bug at a time in a copy of the sources and runs the test that has to find it. Started by
// mutants.mjs on the pinned Node.
//
//   npm run mutants                        all of test/mutants
//   npm run mutants -- --only epoch-fence  one of them; may be given several times
//   npm run mutants -- --jobs 1            copies that work side by side, default 2
//   npm run mutants -- --minutes 15        none begins later; it begins with any of them
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MUTANTS } from '../test/mutants/list.ts'
import { DayEdge } from './day-edge.mjs'
import { failWith, ROOT } from './runtime.mjs'
import { runFile } from './tap-file.mjs'
import { isPure } from './tap-rooms.mjs'
import { minutesOf, TimedQueue } from './timed-queue.mjs'

const JOBS = 2
/** A bug that makes its test hang is not caught: nobody would see more than a run that never ends. */
const TEST_SECONDS_MAX = 60
/** Beside a bug a test may take so many times as long as without it, which a slow computer makes long. */
const LONGER = 2
/** Without a bug. */
const GREEN_SECONDS_MAX = 300
/** For what a bug keeps from coming; that it is enough without one is seen first, and a busy computer has the longer one. */
const PATIENCES_MS = [15_000, 60_000]
/** What has failed by then need not end by itself. */
const QUIET_SECONDS_MAX = 5
/** Not copied: what is installed, what runs leave behind, and the history. */
const LEFT_OUT = new Set(['node_modules', '.git', '.tap', 'data'])
/** Of the installed: what was made of the sources as they are. */
const CACHE = '.cache'
const edge = new DayEdge()

/** The sources in a folder of their own. The packages are the installed ones. */
class Copy {
  /** @param {string} root */
  constructor(root) {
    this.root = root
    for (const name of readdirSync(ROOT)) {
      if (!LEFT_OUT.has(name)) cpSync(join(ROOT, name), join(root, name), { recursive: true })
    }
    const packages = join(ROOT, 'node_modules')
    mkdirSync(join(root, 'node_modules'))
    for (const { name } of readdirSync(packages, { withFileTypes: true })) {
      if (name === CACHE) continue
      // A junction needs no rights on Windows; elsewhere the kind is not looked at.
      symlinkSync(join(packages, name), join(root, 'node_modules', name), 'junction')
    }
  }

  /** Runs `work` while the bug is in place. */
  async with({ file, text, becomes }, work) {
    const path = join(this.root, file)
    const original = readFileSync(path, 'utf8')
    const unix = original.replaceAll('\r\n', '\n')
    if (unix.split(text).length !== 2) return undefined
    writeFileSync(
      path,
      unix.replace(text, () => becomes),
    )
    try {
      return await work()
    } finally {
      writeFileSync(path, original)
    }
  }

  async run([file, ...titles], secondsMax, patienceMs) {
    if (!isPure(file)) await edge.passed()
    return runFile(file, {
      root: this.root,
      secondsMax,
      quietSecondsMax: QUIET_SECONDS_MAX,
      titles,
      env: { STEWARD_TEST_PATIENCE_MS: String(patienceMs) },
    })
  }
}

/** What a run says about a bug; `path` is the name of the test that had to fail. */
function verdictOf(result, path) {
  if (result === undefined) return 'its text is not in the file exactly once'
  const { failures } = result
  if (failures.length === 0) return 'survived: the test is green'
  const named = failures.filter(({ name }) => name === path || name.startsWith(`${path} > `))
  if (named.some(({ isTimeout }) => !isTimeout)) return 'caught'
  const isHanging = failures.some(({ isTimeout }) => isTimeout)
  if (isHanging) return `hangs: no verdict within ${result.seconds.toFixed(0)} s`
  return `the test did not run: ${failures.map(({ text }) => text).join('\n')}`
}

async function tryOne(copy, mutant, greenRun) {
  const path = mutant.test.slice(1).join(' > ')
  const { result: green, patienceMs } = await greenRun(copy, mutant.test)
  const { seconds: before } = green
  if (!isGreen(green)) {
    const text = green.failures.map((failure) => failure.text).join('\n')
    return { mutant, verdict: `its test is not green without it\n${text}`, seconds: before }
  }
  const secondsMax = Math.max(TEST_SECONDS_MAX, LONGER * before, (LONGER * patienceMs) / 1_000)
  const plant = () => copy.with(mutant, () => copy.run(mutant.test, secondsMax, patienceMs))
  let result = await plant()
  // A process that is late beside other load can hide a bug by chance; one that is missed stays so.
  if (verdictOf(result, path) !== 'caught') result = await plant()
  return { mutant, verdict: verdictOf(result, path), seconds: result?.seconds ?? 0 }
}

function print({ mutant, verdict, seconds }) {
  const { id, test, cost } = mutant
  const time = `${seconds.toFixed(1)} s`
  const by = `${test[0]}: ${test.slice(1).join(' > ')}`
  process.stdout.write(
    verdict === 'caught'
      ? `caught  ${id}  by ${by}  in ${time}\n`
      : `MISSED  ${id}  (${cost})\n  ${by}\n  ${verdict.replaceAll('\n', '\n  ')}\n`,
  )
}

function chosen(only) {
  const unknown = only.filter((id) => !MUTANTS.some((mutant) => mutant.id === id))
  if (unknown.length > 0) throw new Error(`steward: no mutant is called ${unknown.join(', ')}`)
  return only.length === 0 ? MUTANTS : MUTANTS.filter(({ id }) => only.includes(id))
}

const isGreen = ({ failures, passed }) => failures.length === 0 && passed > 0

/** A test without a bug, again with more patience where it is not green, and the patience that it was given last. */
async function seenGreen(copy, test) {
  const [patienceMs, more] = PATIENCES_MS
  const result = await copy.run(test, GREEN_SECONDS_MAX, patienceMs)
  if (isGreen(result)) return { result, patienceMs }
  return { result: await copy.run(test, GREEN_SECONDS_MAX, more), patienceMs: more }
}

/** Each test is seen green without a bug once: only then does its failing say anything. */
function greenOnce() {
  const known = new Map()
  return (copy, test) => {
    const key = test.join('\n')
    const seen = known.get(key) ?? seenGreen(copy, test)
    known.set(key, seen)
    return seen
  }
}

async function mutate(mutants, jobs, minutes) {
  const startedAt = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'steward-mutants-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
  const queue = new TimedQueue(mutants, { minutes })
  const greenRun = greenOnce()
  const missed = []
  const work = async (_, index) => {
    const copy = new Copy(join(folder, String(index)))
    for (let mutant = queue.next(); mutant !== undefined; mutant = queue.next()) {
      const outcome = await tryOne(copy, mutant, greenRun)
      print(outcome)
      if (outcome.verdict !== 'caught') missed.push(outcome)
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, mutants.length) }, work))
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  const notTried = queue.left.map(({ id }) => id)
  if (notTried.length > 0) {
    process.stdout.write(
      `\n${notTried.length} not tried, the time was over: ${notTried.join(', ')}\n`,
    )
  }
  const tried = mutants.length - notTried.length
  if (missed.length > 0) process.stdout.write('\n')
  for (const outcome of missed) print(outcome) // once more, where it is looked for
  process.stdout.write(`\n${tried - missed.length} of ${tried} in ${seconds} s\n`)
  return tried > 0 && missed.length === 0
}

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      jobs: { type: 'string' },
      minutes: { type: 'string' },
    },
  })
  const jobs = Number(values.jobs ?? Math.min(JOBS, availableParallelism()))
  if (!Number.isInteger(jobs) || jobs < 1) throw new Error('steward: --jobs is a number from 1 on')
  const mutants = chosen(values.only ?? [])
  process.exitCode = (await mutate(mutants, jobs, minutesOf(values.minutes))) ? 0 : 1
} catch (error) {
  failWith(error, 2)
}
