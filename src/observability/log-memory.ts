import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { LOG_LEVELS, type LogLevel } from '../domain/log-level.ts'

export interface LogFileLimits {
  /** Of one file; a little more when several threads write at once. */
  readonly bytesMax: number
  /** Files that are kept, the one written to included. */
  readonly filesMax: number
}

/** What all loggers of a process share: the level, and the file beside standard output. */
export interface LogMemory {
  readonly words: SharedArrayBuffer
  readonly file: { readonly path: string; readonly limits: LogFileLimits } | null
}

const WORD = { level: 0, generation: 1 } as const
const WORDS = 2
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

export function createLogMemory(level: LogLevel, file: LogMemory['file']): LogMemory {
  const words = new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)
  const memory = { words, file }
  setLogLevel(memory, level)
  return memory
}

/** Every thread has it with its next line. */
export function setLogLevel({ words }: LogMemory, level: LogLevel): void {
  Atomics.store(new Int32Array(words), WORD.level, LOG_LEVELS.indexOf(level))
}

/** Reads the level; make it once and keep it. */
export function levelReader({ words }: LogMemory): () => LogLevel {
  const view = new Int32Array(words)
  return () => LOG_LEVELS[Atomics.load(view, WORD.level)] ?? 'info'
}

/**
 * The file as one thread writes to it: each line with one call, at the end, so that lines of several
 * threads do not mix. A file that cannot be written costs log lines and nothing else.
 */
export class LogFile {
  readonly #path: string
  readonly #words: Int32Array
  #file: number | undefined
  #generation = -1

  constructor(path: string, { words }: LogMemory) {
    this.#path = path
    this.#words = new Int32Array(words)
  }

  write(line: string): void {
    try {
      const generation = Atomics.load(this.#words, WORD.generation)
      if (this.#file === undefined || generation !== this.#generation) this.#open(generation)
      if (this.#file !== undefined) writeSync(this.#file, line)
    } catch {
      this.#file = undefined // a full disk, a lost drive: tried anew with the next line
    }
  }

  #open(generation: number): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    mkdirSync(dirname(this.#path), { recursive: true, mode: FOLDER_MODE })
    this.#file = openSync(this.#path, 'a', FILE_MODE)
    this.#generation = generation
  }
}

/**
 * Puts a file aside that has become too long, and tells every thread to open the next one. One thread
 * only does this, and none that may be killed in the middle.
 */
export function rotateIfLong({ words, file }: LogMemory): boolean {
  if (file === null) return false
  const { path, limits } = file
  try {
    if (statSync(path).size < limits.bytesMax) return false
    for (let number = limits.filesMax - 1; number >= 1; number--) {
      const from = number === 1 ? path : `${path}.${number - 1}`
      renameIfThere(from, `${path}.${number}`)
    }
    Atomics.add(new Int32Array(words), WORD.generation, 1)
    return true
  } catch {
    return false // not there yet, or held by another program: looked at again later
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
