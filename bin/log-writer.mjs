// Writes the log of a service to standard output, standard error and its file, in a process of its own:
// each of them may keep its writer waiting for as long as it likes (a console in which somebody marks
// text, a pipe that nobody reads, a slow disk), and what waits here holds up nobody and can be killed.
// Plain JavaScript: it starts without types to strip and without a bundle. Takes a line of JSON with its
// settings on standard input, then a line for each line to write, the first character saying where to.
import { close, fstat, mkdir, open, read, rename, stat, write } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const [closeFile, statOpen, makeFolder, openFile, readBytes, renameFile, statFile, writeBytes] = [
  promisify(close),
  promisify(fstat),
  promisify(mkdir),
  promisify(open),
  promisify(read),
  promisify(rename),
  promisify(stat),
  promisify(write),
]
const [STDOUT, STDERR] = [1, 2]
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Lines that are written with one call. */
const PIECE_BYTES = 65_536
/** Before a pipe that is full is tried again, where whoever made it wants no writer to wait. */
const AGAIN_MS = 20
const REPORT_MS = 500
const LINE_END = Buffer.from('\n')

const noticeOf = (count) => {
  const time = new Date().toISOString()
  return Buffer.from(
    `${JSON.stringify({ level: 'warn', time, name: 'log', dropped: count, msg: `${count} lines dropped` })}\n`,
  )
}

/** One place to write to. What comes while too much waits for it is dropped, counted, and told afterwards. */
class Outlet {
  dropped = 0
  /** Why the last line could not be written; undefined: there was no room for it here, or none was lost. */
  reason
  #write
  #bytesMax
  #waiting = []
  #bytes = 0
  #untold = 0
  #isBusy = false
  #onIdle = () => {}

  constructor(write, bytesMax) {
    this.#write = write
    this.#bytesMax = bytesMax
  }

  take(line) {
    if (this.#bytes + line.length > this.#bytesMax) {
      this.dropped += 1
      return this.lost(1)
    }
    if (this.#untold > 0) this.#tell()
    this.#push(line)
  }

  /** To be told as soon as there is room: dropped here, or on the way here, where it was counted. */
  lost(count) {
    this.#untold += count
    if (!this.#isBusy) this.#tell()
  }

  async idle() {
    if (this.#isBusy) await new Promise((resolve) => (this.#onIdle = resolve))
  }

  #tell() {
    const notice = noticeOf(this.#untold)
    this.#untold = 0
    this.#push(notice)
  }

  #push(line) {
    this.#waiting.push(line)
    this.#bytes += line.length
    if (!this.#isBusy) void this.#work()
  }

  async #work() {
    this.#isBusy = true
    for (;;) {
      if (this.#waiting.length === 0 && this.#untold > 0) this.#tell()
      if (this.#waiting.length === 0) break
      const lines = this.#piece()
      const bytes = Buffer.concat(lines)
      try {
        await this.#write(bytes)
      } catch (error) {
        this.dropped += lines.length // a closed pipe, a full disk: tried anew with the next lines
        this.reason = error.code
      }
      this.#bytes -= bytes.length
    }
    this.#isBusy = false
    this.#onIdle()
  }

  #piece() {
    let bytes = 0
    let count = 0
    for (const line of this.#waiting) {
      bytes += line.length
      if (count > 0 && bytes > PIECE_BYTES) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }
}

async function writeAll(file, bytes) {
  for (let rest = bytes; rest.length > 0; ) {
    try {
      rest = rest.subarray((await writeBytes(file, rest)).bytesWritten)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}

/** Whether a full disk, or the end of a process, has cut its last line off: the next one would be lost in it. */
async function endsTorn(path) {
  let file
  try {
    const there = await statFile(path)
    if (!there.isFile()) return false // a pipe would be waited for, until somebody else writes there
    file = await openFile(path, 'r')
    const { size } = await statOpen(file)
    const { bytesRead, buffer } = await readBytes(
      file,
      Buffer.alloc(1),
      0,
      1,
      Math.max(0, size - 1),
    )
    return bytesRead === 1 && !buffer.equals(LINE_END)
  } catch {
    return false // not there yet, or nobody may read it
  } finally {
    if (file !== undefined) await closeFile(file).catch(() => {})
  }
}

/** The file beside standard output. It is put aside when it has become too long, and so many are kept. */
class LogFile {
  #options
  #file
  #isToBeLookedAt = false

  constructor({ path, bytesMax, filesMax, checkMs }) {
    this.#options = { path, bytesMax, filesMax }
    setInterval(() => {
      this.#isToBeLookedAt = true
    }, checkMs)
  }

  async write(bytes) {
    if (this.#isToBeLookedAt) await this.#look()
    try {
      const isTorn = this.#file === undefined && (await endsTorn(this.#options.path))
      this.#file ??= await this.#open()
      await writeAll(this.#file, isTorn ? Buffer.concat([LINE_END, bytes]) : bytes)
    } catch (error) {
      await this.#close()
      throw error
    }
  }

  async #open() {
    const { path } = this.#options
    await makeFolder(dirname(path), { recursive: true, mode: FOLDER_MODE })
    return openFile(path, 'a', FILE_MODE)
  }

  async #close() {
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) await closeFile(file).catch(() => {})
  }

  async #look() {
    this.#isToBeLookedAt = false
    const { path, bytesMax, filesMax } = this.#options
    try {
      const there = await statFile(path).catch(unlessAbsent)
      // Removed, or moved away by a program that turns logs: what is written on there, nobody finds.
      if (!(await this.#isOpen(there))) await this.#close()
      if (there === undefined || there.size < bytesMax) return
      await this.#close() // Windows renames no open file
      for (let number = await this.#lastToTurn(path, filesMax); number >= 1; number--) {
        const from = number === 1 ? path : `${path}.${number - 1}`
        await renameFile(from, `${path}.${number}`).catch(unlessAbsent)
      }
    } catch {
      // not there yet, or held by another program: looked at again later
    }
  }

  async #isOpen(there) {
    if (this.#file === undefined) return false
    const { dev, ino } = await statOpen(this.#file)
    return there?.ino === ino && there.dev === dev
  }

  /**
   * The first number that is free; the last, where none is, which is written over. The others do not move on: while somebody
   * reads the newest file on Windows, it is looked at again and again, and each look would cost one of those that are kept.
   */
  async #lastToTurn(path, filesMax) {
    for (let number = 1; number < filesMax; number++) {
      if (!(await isThere(`${path}.${number}`))) return number
    }
    return filesMax - 1
  }
}

const isThere = (path) =>
  statFile(path).then(
    () => true,
    ({ code }) => code !== 'ENOENT',
  )

const unlessAbsent = (error) => {
  if (error.code !== 'ENOENT') throw error
}

class Writer {
  #outlets
  #flushMs

  constructor({ file, pendingBytesMax, flushMs }) {
    const toFile = file === null ? undefined : new LogFile(file)
    this.#flushMs = flushMs
    this.#outlets = {
      stdout: new Outlet((bytes) => writeAll(STDOUT, bytes), pendingBytesMax),
      stderr: new Outlet((bytes) => writeAll(STDERR, bytes), pendingBytesMax),
      ...(toFile && { file: new Outlet((bytes) => toFile.write(bytes), pendingBytesMax) }),
    }
    setInterval(() => this.#report(), REPORT_MS)
  }

  /** `l` a line of the log, `e` one for standard error, `d` how many lines were lost on the way here. */
  take(bytes) {
    const { stdout, stderr, file } = this.#outlets
    const [where, line] = [String.fromCharCode(bytes[0]), bytes.subarray(1)]
    if (where === 'e') return stderr.take(line)
    const outlets = file === undefined ? [stdout] : [stdout, file]
    for (const outlet of outlets) {
      if (where === 'd') outlet.lost(Number(line))
      else outlet.take(line)
    }
  }

  /** The service has said its last, or is gone: what does not get written in time is never written. */
  async end() {
    setTimeout(kill, this.#flushMs)
    await Promise.all(Object.values(this.#outlets).map((outlet) => outlet.idle()))
    this.#report(kill)
  }

  /** What was dropped since the last time. */
  #report(then = () => {}) {
    const outlets = Object.entries(this.#outlets).filter(([, { dropped }]) => dropped > 0)
    const dropped = Object.fromEntries(outlets.map(([name, outlet]) => [name, outlet.dropped]))
    const fileReason = this.#outlets.file?.reason
    for (const [, outlet] of outlets) {
      outlet.dropped = 0
      outlet.reason = undefined
    }
    if (outlets.length === 0 || !process.connected) then()
    else process.send({ dropped, fileReason }, then)
  }
}

/** An exit would wait for the thread that stands in a write. */
const kill = () => process.kill(process.pid, 'SIGKILL')

/** The service says when it is over, by closing standard input: a Ctrl-C reaches every process of a console. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']) {
  if (signal !== 'SIGBREAK' || process.platform === 'win32') process.on(signal, () => {})
}

const NEWLINE = 10
let writer
let rest = Buffer.alloc(0)
process.on('disconnect', () => {})
process.channel?.unref()
process.stdin.on('data', (piece) => {
  const text = rest.length === 0 ? piece : Buffer.concat([rest, piece])
  let from = 0
  for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, from)) {
    const line = text.subarray(from, end + 1)
    if (writer === undefined) writer = new Writer(JSON.parse(line.toString()))
    else writer.take(line)
    from = end + 1
  }
  rest = text.subarray(from)
})
process.stdin.on('error', () => {})
process.stdin.on('close', () => (writer === undefined ? kill() : void writer.end()))
