import { statSync } from 'node:fs'
import {
  goodTokens,
  readTokenFile,
  type TokenChange,
  type TokenFile,
  tokenFileOf,
  withoutTokens,
} from '../../config/token-file.ts'
import type { NamedToken } from '../../config/tokens.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { Logger } from '../../observability/logger.ts'

interface LiveTokensOptions {
  readonly dataDir: string
  /** Those of the configuration. */
  readonly configured: readonly NamedToken[]
  /** Between two looks at the file. */
  readonly checkMs: number
  readonly log: Logger
}

type Listener = () => void

/**
 * The named tokens as they are good now: of the configuration, and of the file that `steward token`
 * writes, which is looked at again and again. One that cannot be read changes nothing, is told, and read again.
 */
export class LiveTokens {
  readonly #options: LiveTokensOptions
  readonly #timer: NodeJS.Timeout
  readonly #listeners = new Set<Listener>()
  #file: TokenFile | undefined
  #stamp: string
  /** That could not be read, which has been said. */
  #unread = ''
  #hadFile: boolean

  /** The error is one line: without the file nobody knows who has been withdrawn. */
  static open(options: LiveTokensOptions): Result<LiveTokens, string> {
    const stamp = stampOf(options.dataDir) // before the file: a change in between is seen at the next look
    const file = readTokenFile(options.dataDir)
    return file.ok ? ok(new LiveTokens(options, file.value, stamp)) : err(file.error)
  }

  private constructor(options: LiveTokensOptions, file: TokenFile | undefined, stamp: string) {
    this.#options = options
    this.#file = file
    this.#stamp = stamp
    this.#hadFile = file !== undefined
    this.#timer = setInterval(() => this.#look(), options.checkMs)
    this.#timer.unref()
  }

  get tokens(): readonly NamedToken[] {
    return goodTokens(this.#options.configured, this.#file)
  }

  /** Tokens are asked for, also when the last one was withdrawn: that must not open the door. */
  get isKept(): boolean {
    return this.#hadFile
  }

  /** The newest changes, oldest first. */
  get changes(): readonly TokenChange[] {
    return this.#file?.changes ?? []
  }

  /** Calls `listener` after every change. */
  onChange(listener: Listener): void {
    this.#listeners.add(listener)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#listeners.clear()
  }

  #look(): void {
    const { dataDir, log } = this.#options
    const stamp = stampOf(dataDir)
    if (stamp === this.#stamp) return
    const file = readTokenFile(dataDir)
    if (!file.ok) {
      if (stamp === this.#unread) return
      this.#unread = stamp
      log.error({ alert: 'tokens_unreadable' }, `${file.error}; the tokens stay as they were`)
      return
    }
    this.#stamp = stamp
    this.#unread = ''
    this.#file = file.value ?? (this.#file && withoutTokens(this.#file))
    this.#hadFile ||= file.value !== undefined
    log.info({ tokens: this.tokens.length }, 'the tokens have changed')
    for (const listener of this.#listeners) listener()
  }
}

/** Another one after every change: the file is replaced, never written into. */
function stampOf(dataDir: string): string {
  try {
    const stats = statSync(tokenFileOf(dataDir), { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? '' : `${stats.ino}-${stats.mtimeNs}-${stats.size}`
  } catch {
    return 'unknown' // then reading it says why
  }
}
