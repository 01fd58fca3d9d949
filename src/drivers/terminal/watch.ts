import { execFile } from 'node:child_process'
import { win32 } from 'node:path'
import type { SidecarLog } from './launched.ts'

/** Names of what is running that is a terminal; two processes have different names. */
export type Signs = () => Promise<ReadonlySet<string>>

export interface TerminalWatchOptions {
  readonly signs: Signs
  /** Between two looks, milliseconds. */
  readonly everyMs: number
  /** Whether anybody waits for a terminal now. */
  readonly isWanted: () => boolean
  /** A terminal that was not there at the last look. */
  readonly seen: () => void
  readonly log: SidecarLog
}

/**
 * Looks for processes of the terminal while somebody waits for one. What was there at an earlier look is no news,
 * however long ago that was; what is there at the first look is: it may have come a moment before.
 */
export class TerminalWatch {
  readonly #options: TerminalWatchOptions
  readonly #timer: NodeJS.Timeout
  #known: ReadonlySet<string> = new Set()
  #isLooking = false
  #hasFailed = false

  constructor(options: TerminalWatchOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.look(), options.everyMs)
  }

  /** One look, unless one is under way or nobody waits. */
  async look(): Promise<void> {
    const { isWanted, signs, seen } = this.#options
    if (this.#isLooking || !isWanted()) return
    this.#isLooking = true
    try {
      const found = await signs()
      const isNew = [...found].some((sign) => !this.#known.has(sign))
      this.#known = found
      if (isNew) seen()
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#isLooking = false
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Attempts go on without it, so it is said once. */
  #failed(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    const reason = error instanceof Error ? error.message : String(error)
    this.#options.log.warn({ reason }, 'processes of the terminal cannot be looked for')
  }
}

/** The full terminal with its login, the minimal one, and the quotes of that. */
const TERMINALS: ReadonlySet<string> = new Set(['xtitclient.exe', 'xtminiqmt.exe', 'miniquote.exe'])
const OUTPUT_BYTES_MAX = 4_194_304

/** Terminals among the lines of `tasklist /FO CSV /NH`, each with its process number. */
export function terminalsIn(lines: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [, name = '', pid = ''] of lines.matchAll(/^"([^"]+)","(\d+)"/gm)) {
    if (TERMINALS.has(name.toLowerCase())) found.add(`${name.toLowerCase()} ${pid}`)
  }
  return found
}

/** How terminals are found on this computer; undefined where none can run. */
export function terminalSigns(
  timeoutMs: number,
  { platform, env }: Pick<NodeJS.Process, 'platform' | 'env'> = process,
): Signs | undefined {
  if (platform !== 'win32') return undefined
  const root = env['SystemRoot'] ?? 'C:\\Windows'
  return () => processesBy(win32.join(root, 'System32', 'tasklist.exe'), timeoutMs)
}

/** Ended when it takes longer. Names of terminals are plain ASCII in every code page. */
const processesBy = (program: string, timeoutMs: number): Promise<ReadonlySet<string>> =>
  new Promise((resolve, reject) => {
    const options = {
      timeout: timeoutMs,
      maxBuffer: OUTPUT_BYTES_MAX,
      windowsHide: true,
      encoding: 'latin1',
    } as const
    execFile(program, ['/FO', 'CSV', '/NH'], options, (error, stdout) => {
      if (error === null) resolve(terminalsIn(stdout))
      else reject(error)
    })
  })
