import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  type Dropped,
  LogWriter,
  type LogWriterLimits,
} from '../../src/observability/log-writer.ts'
import { heard, inTime, PATIENCE_MS } from '../in-time.ts'

const PROGRAM = new URL('../../src/observability/log-writer.ts', import.meta.url).href
const LIMITS: LogWriterLimits = {
  pendingBytesMax: 65_536,
  flushMs: 500,
  restartMs: 1,
  checkMs: 5_000,
  fileBytesMax: 1_000_000,
  filesMax: 3,
}
const NEEDS_PIPE = process.platform === 'win32' ? { skip: 'pipes have no such names there' } : {}
/** For what must not be hurried on a slow computer. */
const PATIENT = { ...LIMITS, flushMs: 60_000 }

/** A writer whose standard output and error are files. */
function writerInto(t: Test, limits = PATIENT, file: string | null = null, folder = t.testdir()) {
  const [out, err] = [join(folder, 'out'), join(folder, 'err')]
  const places = [openSync(out, 'a'), openSync(err, 'a')] as const
  const writer = new LogWriter({ file, limits, places })
  t.teardown(async () => {
    await writer.close()
    for (const place of places) closeSync(place)
  })
  return { writer, out: () => readFileSync(out, 'utf8'), err: () => readFileSync(err, 'utf8') }
}

async function until(isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error('waited in vain for the writer')
    await delay(5)
  }
}

t.test(
  'what was said last is written before the writer is closed, each line to its place',
  async (t) => {
    const folder = t.testdir()
    const file = join(folder, 'logs', 'up.log')
    const { writer, out, err } = writerInto(t, PATIENT, file, folder)
    t.notOk(existsSync(file), 'no line, no file')
    const lines = Array.from({ length: 300 }, (_, i) => `${i} ${'x'.repeat(100)}\n`)
    for (const line of lines) writer.write(line)
    writer.printError('Error: broken\n    at once\n')
    await writer.close()
    t.equal(out(), lines.join(''))
    t.equal(readFileSync(file, 'utf8'), lines.join(''))
    t.equal(err(), 'Error: broken\n    at once\n')
    t.strictSame(writer.dropped, { writer: 0, stdout: 0, stderr: 0, file: 0 })
    if (process.platform !== 'win32') t.equal(statSync(file).mode & 0o777, 0o600)
  },
)

t.test('F365 a file that cannot be written is told, once for each reason', async (t) => {
  const folder = t.testdir({ logs: 'no folder' })
  const file = join(folder, 'logs', 'up.log')
  const { writer, out } = writerInto(t, PATIENT, file, folder)
  const told: unknown[] = []
  const first = new Promise<void>((resolve) => {
    writer.onFileLost((...what) => {
      told.push(what)
      resolve()
    })
  })
  writer.write('one\n')
  await inTime(first, 'word of the file')
  writer.write('two\n')
  await writer.close()
  t.match(told, [[file, /^E[A-Z]+$/]])
  t.equal(told.length, 1)
  t.equal(out(), 'one\ntwo\n', 'the other place goes on')
  t.equal(writer.dropped.file, 2)
})

t.test('F875 a line that was cut off swallows none that comes after it', async (t) => {
  for (const [before, after] of [
    ['{"msg":"cut', '{"msg":"cut\n'],
    ['{"msg":"whole"}\n', '{"msg":"whole"}\n'],
    ['', ''],
  ] as const) {
    const folder = t.testdir({ logs: { 'up.log': before } })
    const file = join(folder, 'logs', 'up.log')
    const { writer } = writerInto(t, PATIENT, file, folder)
    writer.write('one\n')
    await writer.close()
    t.equal(readFileSync(file, 'utf8'), `${after}one\n`)
  }
})

t.test('F875 and a pipe in place of the file is written as it was', NEEDS_PIPE, async (t) => {
  const folder = t.testdir({ logs: {} })
  const file = join(folder, 'logs', 'up.log')
  execFileSync('mkfifo', [file])
  const read = createReadStream(file)
  const { writer } = writerInto(t, PATIENT, file, folder)
  writer.write('one\n')
  const [bytes] = await inTime(once(read, 'data'), 'a line in the pipe')
  t.equal(String(bytes), 'one\n')
  await writer.close()
})

t.test('F585 a file that somebody removes or moves away is made anew', async (t) => {
  const folder = t.testdir()
  const logs = join(folder, 'logs')
  const file = join(logs, 'up.log')
  const { writer } = writerInto(t, { ...PATIENT, checkMs: 1 }, file, folder)
  const says = (line: string) => () => {
    writer.write(line)
    return existsSync(file) && readFileSync(file, 'utf8').includes(line)
  }
  await until(says('one\n'))
  rmSync(logs, { recursive: true })
  await until(says('two\n'))
  renameSync(file, `${file}-20261129`)
  writeFileSync(file, '')
  await until(says('three\n'))
  await writer.close()
  t.match(readFileSync(`${file}-20261129`, 'utf8'), /two/, 'what was moved away is kept')
  t.match(
    readFileSync(file, 'utf8'),
    /three\n$/,
    'and a file that is made in its place is written on',
  )
})

t.test('a long file is put aside, and so many are kept', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'logs', 'up.log')
  const limits = { ...PATIENT, checkMs: 1, fileBytesMax: 200 }
  const { writer } = writerInto(t, limits, file, folder)
  const places = ['up.log.2', 'up.log.1', 'up.log'].map((name) => join(folder, 'logs', name))
  /** Undefined while it is put aside. */
  const read = (name: string): string | undefined => {
    try {
      return readFileSync(name, 'utf8')
    } catch {
      return undefined
    }
  }
  let last = 0
  for (let round = 1; round <= 5; round++) {
    const before = last
    // It looks at the length now and then: what comes before that goes to the end of the old file.
    do {
      last += 1
      writer.write(`${last} ${'x'.repeat(300)}\n`)
      await until(() => read(file)?.includes(`${last} x`) === true)
    } while (before > 0 && read(file)?.startsWith(`${last} `) !== true)
  }
  t.strictSame(readdirSync(join(folder, 'logs')).sort(), ['up.log', 'up.log.1', 'up.log.2'])
  const kept = places.flatMap((name) => read(name)?.trimEnd().split('\n') ?? [])
  const first = last - kept.length + 1
  t.strictSame(
    kept,
    Array.from(kept, (_, at) => `${first + at} ${'x'.repeat(300)}`),
    'the newest, in their order',
  )
  t.ok(first > 1, 'and the oldest are gone')
})

/** For the process of the writer: the newest file is open in another program, as Windows tells it. Each try leaves a letter. */
const HELD_OPEN = (tries: string) => `
  const fs = require('node:fs')
  const { rename } = fs
  fs.rename = (from, to, done) => {
    if (!from.endsWith('up.log')) return rename(from, to, done)
    fs.appendFileSync(${JSON.stringify(tries)}, '.')
    done(Object.assign(new Error('EBUSY'), { code: 'EBUSY' }))
  }
  require('node:module').syncBuiltinESMExports()
`

t.test(
  'F435 while another program holds the newest file, those put aside before are kept',
  async (t) => {
    const logs = { 'up.log': '', 'up.log.1': 'first', 'up.log.2': 'second', 'up.log.3': 'third' }
    const folder = t.testdir({ logs })
    const [preload, tries] = [join(folder, 'held.cjs'), join(folder, 'tries')]
    writeFileSync(preload, HELD_OPEN(tries))
    writeFileSync(tries, '')
    const before = process.env['NODE_OPTIONS']
    process.env['NODE_OPTIONS'] = `--require ${JSON.stringify(preload)}`
    const limits = { ...PATIENT, checkMs: 1, fileBytesMax: 1, filesMax: 4 }
    const { writer } = writerInto(t, limits, join(folder, 'logs', 'up.log'), folder)
    if (before === undefined) delete process.env['NODE_OPTIONS']
    else process.env['NODE_OPTIONS'] = before
    await until(() => {
      writer.write('more\n')
      return readFileSync(tries, 'utf8').length >= 5
    })
    await writer.close()
    const kept = ['up.log.2', 'up.log.3'].map((name) =>
      readFileSync(join(folder, 'logs', name), 'utf8'),
    )
    t.strictSame(kept, ['first', 'second'], 'moved on once, and no more')
    t.match(readFileSync(join(folder, 'logs', 'up.log'), 'utf8'), /^more\n/, 'and it is written on')
  },
)

t.test(
  'a file that cannot be written costs its lines, which are counted, and nothing else',
  async (t) => {
    const folder = t.testdir({ 'up.log': {} })
    const { writer, out } = writerInto(t, PATIENT, join(folder, 'up.log'), folder)
    writer.write('still here\n')
    await writer.close()
    t.equal(out(), 'still here\n')
    t.equal(writer.dropped.file, 1)
  },
)

t.test(
  'a writer that was killed has a successor, and what came meanwhile is written',
  async (t) => {
    const folder = t.testdir()
    const { writer, out } = writerInto(t, PATIENT, null, folder)
    writer.write('before\n')
    await until(() => out() === 'before\n')
    const { pid = 0 } = writer
    process.kill(pid, 'SIGKILL')
    await until(() => writer.pid !== pid)
    writer.write('meanwhile\n')
    await until(() => out() === 'before\nmeanwhile\n')
  },
)

/** A process whose standard output is a pipe; says at its end how many lines were dropped. */
const SCRIPT = (limits: LogWriterLimits) => `
  import { LogWriter } from ${JSON.stringify(PROGRAM)}
  const writer = new LogWriter({ file: null, limits: ${JSON.stringify(limits)} })
  process.once('message', async ({ write, isKilled }) => {
    for (let i = 0; i < write; i++) {
      writer.write(JSON.stringify({ i, pad: 'x'.repeat(400) }) + '\\n')
      if (i % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    process.send(writer.dropped)
    writer.flush()
    if (isKilled) process.kill(process.pid, 'SIGKILL')
    process.once('message', async () => {
      await writer.close()
      process.send(writer.dropped, () => process.exit(0))
    })
  })
  process.send('ready')
`

interface Piped {
  readonly child: ChildProcess
  /** All lines that come, once somebody reads them. */
  readonly read: () => Promise<string[]>
  readonly dropped: () => Promise<Dropped>
}

async function startPiped(t: Test, limits: LogWriterLimits): Promise<Piped> {
  const folder = t.testdir({ 'piped.mjs': SCRIPT(limits) })
  const child = spawn(process.execPath, [join(folder, 'piped.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  await heard(child, 'message')
  const { stdout } = child
  if (stdout === null) throw new Error('no pipe')
  return {
    child,
    read: async () => (await text(stdout)).trimEnd().split('\n'),
    dropped: async () => (await heard(child, 'message'))[0] as Dropped,
  }
}

t.test(
  'a pipe that nobody reads costs lines, and what was lost is told once it flows',
  async (t) => {
    const { child, read, dropped } = await startPiped(t, PATIENT)
    child.send({ write: 2_000 })
    await dropped()
    const exit = heard(child, 'exit')
    const lines = read()
    const lost = dropped()
    child.send({})
    const { writer, stdout } = await lost
    t.ok(writer + stdout > 0)
    const told = (await lines).map((line) => JSON.parse(line) as { dropped?: number })
    const written = told.filter((line) => line.dropped === undefined).length
    const notices = told.reduce((sum, line) => sum + (line.dropped ?? 0), 0)
    t.equal(notices, writer + stdout)
    t.equal(written + notices, 2_000, 'every line was written or counted')
    t.strictSame(await exit, [0, null])
  },
)

t.test('a pipe that nobody ever reads does not hold up the end', async (t) => {
  const { child, dropped } = await startPiped(t, { ...LIMITS, flushMs: 50 })
  child.send({ write: 2_000 })
  await dropped()
  const exit = heard(child, 'exit')
  child.send({})
  t.strictSame(await exit, [0, null])
})

/** Runs a program at a terminal that nobody reads, and prints how it ended. */
const AT_A_TERMINAL = `
import os, pty, subprocess, sys
terminal, side = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=side, stderr=side)
print(child.wait())
`
const hasTerminals = (): boolean => {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

t.test(
  'a terminal that shows nothing does not hold up the end',
  { skip: !hasTerminals() && 'needs python3 with the module pty' },
  async (t) => {
    const script = `
      import { LogWriter } from ${JSON.stringify(PROGRAM)}
      const writer = new LogWriter({ file: null, limits: ${JSON.stringify({ ...LIMITS, flushMs: 50 })} })
      for (let i = 0; i < 100; i++) writer.write('x'.repeat(400) + '\\n')
      await writer.close()
      process.exit(0)
    `
    const folder = t.testdir({ 'script.mjs': script, 'terminal.py': AT_A_TERMINAL })
    const args = [join(folder, 'terminal.py'), process.execPath, join(folder, 'script.mjs')]
    const child = spawn('python3', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => child.kill('SIGKILL'))
    t.equal((await inTime(text(child.stdout), 'the end')).trim(), '0')
  },
)

t.test('what was handed over before a hard end is written', async (t) => {
  const { child, read } = await startPiped(t, PATIENT)
  child.send({ write: 100, isKilled: true })
  t.equal((await read()).length, 100)
})

t.test('a closed standard output costs lines, not the process', async (t) => {
  const { child, dropped } = await startPiped(t, PATIENT)
  child.stdout?.destroy()
  child.send({ write: 100 })
  await dropped()
  const lost = dropped()
  child.send({})
  t.equal((await lost).stdout, 100)
})
