import { FrameReader } from '../../cluster/frames.ts'
import { decode } from '../../protocol/codec.ts'
import type { HistoryBar } from '../terminal/bars.ts'
import type { SidecarLog } from '../terminal/launched.ts'
import { cannotStart, spawnPython } from './launch.ts'

export interface HistoryRequest {
  /** `download` fetches from the broker and counts what is there afterwards; `bars` reads. */
  readonly method: 'bars' | 'download'
  readonly code: string
  /** `1m`, `5m`, `15m`, `30m`, `60m`, `1d`. */
  readonly period: string
  /** `YYYYMMDD` or `YYYYMMDDhhmmss`; empty = from the beginning, until now. */
  readonly start: string
  readonly end: string
}

export interface HistoryOptions {
  readonly python: string
  readonly xtquantPath: string
  /** Of the terminal's quotes; 0 = the first one found. */
  readonly quotePort: number
  readonly timeoutMs: number
  readonly rowsMax: number
  readonly frameBytesMax: number
  readonly log: SidecarLog
  readonly onProgress?: (done: number, total: number) => void
  /** Ends it, and the process with it. */
  readonly signal?: AbortSignal
}

export interface History {
  readonly bars: readonly HistoryBar[]
  /** Bars that are there, read back; after a `download` the bars themselves are not sent. */
  readonly count: number
}

type FromHistory =
  | { readonly t: 'progress'; readonly done: number; readonly total: number }
  | { readonly t: 'rows'; readonly rows: readonly HistoryBar[] }
  | { readonly t: 'done'; readonly rows: number }
  | { readonly t: 'error'; readonly text: string }

/**
 * Asks the broker for history, in a process made for this one question: on some builds the
 * library ends its process with a native assertion, and nothing else must go with it.
 *
 * Errors  rejects with one line: no Python, no xtquant, the library ended its process, too late.
 */
export async function readHistory(
  request: HistoryRequest,
  options: HistoryOptions,
): Promise<History> {
  const { python, xtquantPath, quotePort, timeoutMs, signal, log } = options
  const outcome = Promise.withResolvers<History>()
  const child = spawnPython(python, ['--spawned'])
  const bars: HistoryBar[] = []
  const fail = (why: string) => {
    child.kill('SIGKILL')
    outcome.reject(new Error(`history of ${request.code} ${request.period}: ${why}`))
  }
  const take = (message: FromHistory) => {
    if (message.t === 'progress') options.onProgress?.(message.done, message.total)
    else if (message.t === 'error') fail(message.text)
    else if (message.t === 'done') outcome.resolve({ bars, count: message.rows })
    else if (bars.length + message.rows.length > options.rowsMax) fail('too many bars')
    else bars.push(...message.rows)
  }
  const timer = setTimeout(() => fail(`not finished within ${timeoutMs} ms`), timeoutMs)
  const abort = () => fail('canceled')
  signal?.addEventListener('abort', abort, { once: true })
  const reader = new FrameReader(options.frameBytesMax)
  const read = (piece: Uint8Array) => {
    reader.push(piece)
    for (let bytes = reader.next(); bytes !== undefined; bytes = reader.next()) {
      take(decode<FromHistory>(bytes))
    }
  }
  child.stdout?.on('data', (piece: Uint8Array) => {
    try {
      read(piece)
    } catch (error) {
      // Another program has the word: a wrapper around Python, or what it runs at its start.
      child.stdout?.removeAllListeners('data').resume()
      fail(`not a frame of a sidecar: ${error instanceof Error ? error.message : error}`)
    }
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => log.info({}, text.trimEnd()))
  child.on('error', (error) => fail(cannotStart(python, error).message))
  child.on('close', (code, killedBy) => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    // Nothing happens when it has answered already.
    fail(`the library of the trading client ended its process (${killedBy ?? code})`)
  })
  child.stdin?.on('error', () => undefined)
  const wanted = { role: 'history', xtquant_path: xtquantPath, port: quotePort, ...request }
  child.stdin?.end(`${JSON.stringify(wanted)}\n`)
  return outcome.promise
}
