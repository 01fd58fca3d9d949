import { LOG_LEVELS, type LogLevel } from '../domain/log-level.ts'

/** What all loggers of a process share. */
export interface LogMemory {
  readonly words: SharedArrayBuffer
  /** Lines of one thread on their way to the main thread; what comes while so many are is dropped. */
  readonly threadLinesMax: number
}

const WORD = { level: 0, dropped: 1 } as const
const WORDS = 2

export function createLogMemory(level: LogLevel, threadLinesMax: number): LogMemory {
  const words = new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)
  const memory = { words, threadLinesMax }
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

/** Lines that threads have dropped since the process began. */
export const droppedByThreads = ({ words }: LogMemory): number =>
  Atomics.load(new Int32Array(words), WORD.dropped)

/** How a thread hands a text to the main thread: at once, without waiting, in order. */
export interface Printer {
  print(text: string): void
  /** Texts that the main thread has not taken yet. */
  readonly unprinted: number
}

/**
 * The lines of one thread: handed over one by one, so that none is lost with the thread, and never more
 * than `threadLinesMax` at a time. How many were dropped is said before the next one.
 */
export function linesOf(printer: Printer, memory: LogMemory): (line: string) => void {
  const words = new Int32Array(memory.words)
  let untold = 0
  return (line) => {
    if (printer.unprinted >= memory.threadLinesMax) {
      untold += 1
      Atomics.add(words, WORD.dropped, 1)
      return
    }
    if (untold > 0) printer.print(droppedLine(untold))
    untold = 0
    printer.print(line)
  }
}

function droppedLine(count: number): string {
  const time = new Date().toISOString()
  return `${JSON.stringify({ level: 'warn', time, name: 'log', dropped: count, msg: `${count} lines dropped` })}\n`
}
