import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isSkipped, ROUNDS_DEFAULT, type Skipped } from './kit/bench.ts'
import type { Row } from './kit/figures.ts'
import { Others } from './kit/others.ts'
import { machine, PAGES, type Page, unrest, writePage, writeTargets } from './kit/page.ts'
import { table } from './kit/report.ts'
import { unmeasured } from './kit/targets.ts'

const FOLDER = fileURLToPath(new URL('./', import.meta.url))
const RESULTS = join(FOLDER, 'results.json')
const SUFFIX = '.bench.ts'
/** So that threads start as they do behind the launcher. */
const FLAGS = [
  '--disable-warning=ExperimentalWarning',
  `--import=${new URL('../scripts/keep-stripped.mjs', import.meta.url).href}`,
]
/** Whatever is left when this time is over is not run. On a computer half as fast as usual all of it takes half an hour. */
const SUITE_MS_MAX = 2_100_000
const USAGE =
  'usage: node bench/run.ts [--rounds <n>] [--seconds <n>] [--out <file>] [name…]; --seconds is for soak'

interface Outcome {
  readonly rows: readonly Row[]
  /** Why there are no rows. */
  readonly failure?: string
  /** Why nothing can be measured here; no failure. */
  readonly skipped?: string
}

/** The quick ones first: what is lost when the time is over is the long ones. */
const BENCHES = [
  'tick',
  'ticks',
  'ask',
  'read',
  'read-304',
  'order',
  'restart',
  'tick-to-order',
  'moving',
  'stops',
  'start',
  'sse',
  'memory',
  'storm',
  'replay',
  'backtest',
]
/** Only when they are named, and how long they may take; one lasts as long as it is told to. */
const ON_DEMAND: Readonly<Record<string, number>> = {
  scan: 120_000,
  xt: 180_000,
  cluster: 180_000,
  soak: 0,
  profile: 420_000,
  starts: 3_600_000,
  growth: 1_800_000,
  archive: 900_000,
}
/** What a bench that lasts needs beside that time. */
const BESIDE_MS = 60_000

/** One bench in a process of its own, ended when its time is over. */
function runBench(name: string, flags: readonly string[], timeMs: number): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  if (timeMs <= 0) return Promise.resolve({ rows: [], failure: 'no time left' })
  const scratch = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  const child = fork(join(FOLDER, `${name}${SUFFIX}`), flags, {
    execArgv: FLAGS,
    // So that nothing stays behind when it has to be ended.
    env: { ...process.env, TMPDIR: scratch, TEMP: scratch, TMP: scratch },
  })
  let outcome: readonly Row[] | Skipped = []
  const timer = setTimeout(() => child.kill('SIGKILL'), timeMs)
  child.once('message', (message) => {
    outcome = message as readonly Row[] | Skipped
  })
  child.once('exit', (code, signal) => {
    clearTimeout(timer)
    removeScratch(scratch)
    if (isSkipped(outcome)) return resolve({ rows: [], skipped: outcome.skipped })
    const isDone = outcome.length > 0 && code === 0
    const rows = outcome
    resolve(isDone ? { rows } : { rows, failure: signal ?? `exit code ${code}` })
  })
  return promise
}

/** What a killed bench had started may still hold files for a moment. */
function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

function parse() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      out: { type: 'string' },
    },
  })
  const all: readonly string[] = [...BENCHES, ...Object.keys(ON_DEMAND)]
  const unknown = positionals.filter((name) => !all.includes(name))
  const rounds = Number(values.rounds ?? ROUNDS_DEFAULT)
  if (unknown.length > 0)
    throw new Error(`no bench ${unknown.join(', ')}; there are ${all.join(', ')}`)
  const seconds = Number(values.seconds ?? 0)
  if (!Number.isInteger(seconds) || seconds < 0) {
    throw new Error('--seconds must be a whole number')
  }
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error('--rounds must be a whole number above 0')
  return {
    names: positionals.length > 0 ? positionals : BENCHES,
    rounds,
    seconds,
    out: values.out ?? (positionals.length === 0 ? RESULTS : undefined),
  }
}

interface Measured {
  readonly rows: readonly Row[]
  readonly failures: string[]
  /** Names of the benches that could not run here. */
  readonly skipped: readonly string[]
  readonly others: Others
}

const isPage = (name: string): name is Page => (PAGES as readonly string[]).includes(name)

/** One after the other, until the time is over. */
async function runAll(
  names: readonly string[],
  flags: readonly string[],
  endMs: number,
): Promise<Measured> {
  const rows: Row[] = []
  const failures: string[] = []
  const skipped: string[] = []
  const others = new Others()
  for (const name of names) {
    await others.look()
    const startMs = performance.now()
    const outcome = await runBench(name, flags, endMs - startMs)
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0)
    process.stderr.write(
      `bench: ${name} ${outcome.failure ?? outcome.skipped ?? 'done'} (${seconds} s)\n`,
    )
    rows.push(...outcome.rows)
    if (outcome.skipped !== undefined) skipped.push(name)
    if (outcome.failure !== undefined) failures.push(`${name}: ${outcome.failure}`)
    else if (isPage(name) && outcome.skipped === undefined) writePage(name, outcome.rows, others)
  }
  await others.look()
  return { rows, failures, skipped, others }
}

async function run({ names, rounds, seconds, out }: ReturnType<typeof parse>): Promise<boolean> {
  const date = new Date().toISOString()
  const flags = ['--rounds', String(rounds), ...(seconds > 0 ? ['--seconds', String(seconds)] : [])]
  const soakMs = seconds > 0 ? seconds * 1_000 + BESIDE_MS : 0
  const lastingMs = names.reduce((sum, name) => sum + (ON_DEMAND[name] ?? 0), soakMs)
  const endMs = performance.now() + Math.max(SUITE_MS_MAX, lastingMs)
  const { rows, failures, skipped, others } = await runAll(names, flags, endMs)
  const measured = names.filter((name) => !skipped.includes(name))
  failures.push(...unmeasured(measured, rows))
  const facts = { ...machine(), othersBefore: others.before, othersMost: others.most }
  // The kept file is whole: figures of one run, all of them.
  if (out !== undefined && failures.length === 0) {
    writeFileSync(out, `${JSON.stringify({ date, machine: facts, rounds, rows }, null, 2)}\n`)
    if (out === RESULTS) writeTargets(rows, others)
  }
  process.stdout.write(
    `\n${facts.cpu}, ${facts.cores} cores, Node ${facts.node}, ${date}\n\n${table(rows)}\n`,
  )
  const warning = unrest(others)
  if (warning !== undefined) process.stderr.write(`bench: ${warning}\n`)
  for (const failure of failures) process.stderr.write(`bench: FAILED ${failure}\n`)
  return failures.length === 0
}

function wanted(): ReturnType<typeof parse> | undefined {
  try {
    return parse()
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n${USAGE}\n`)
    return undefined
  }
}

const choice = wanted()
if (choice === undefined) process.exitCode = 2
else if (!(await run(choice))) process.exitCode = 1
