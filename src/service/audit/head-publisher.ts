import { appendFile, open, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { Logger } from '../../observability/logger.ts'
import type { JournalHead } from '../../storage/journal-chain.ts'
import { type HeadKey, type PublishedHead, signHead } from '../../storage/published-head.ts'

interface HeadPublisherDeps {
  /** Accounts that this process runs. */
  readonly owned: () => readonly string[]
  /** Where a journal ends on disk. Rejects when the account cannot be read. */
  readonly headOf: (accountId: string) => Promise<JournalHead>
  readonly nowMs: () => number
  readonly log: Logger
  /** File elsewhere that takes a line each; undefined: only the log and the metrics do. */
  readonly file: string | undefined
  readonly key: HeadKey | undefined
  readonly limits: {
    /** Between two looks. */
    readonly publishMs: number
    /** For the last one. */
    readonly stopMs: number
    readonly headFileBytesMax: number
  }
}

const OWNER_ONLY = 0o600

/**
 * Tells where the journals end to those who keep it: the log, `/metrics`, a file elsewhere. A head is
 * published when it has moved, and once an exchange day when it has not; so each account that runs has
 * one line a day at least. Whoever rewrites a journal later cannot take back what was told.
 */
export class HeadPublisher {
  readonly #deps: HeadPublisherDeps
  readonly #published = new Map<string, PublishedHead>()
  /** The newest of each account that the file has not taken. */
  readonly #unfiled = new Map<string, PublishedHead>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(deps: HeadPublisherDeps) {
    this.#deps = deps
  }

  /** What was published last, and is kept by whoever listens. */
  publishedOf(accountId: string): PublishedHead | undefined {
    return this.#published.get(accountId)
  }

  /** Looks now and then again and again. */
  start(): void {
    void this.look()
    this.#timer = setInterval(() => void this.look(), this.#deps.limits.publishMs)
  }

  /** A last look at the accounts that were owned until now; a file that hangs does not hold up the stop. */
  async stop(owned: readonly string[]): Promise<void> {
    clearInterval(this.#timer)
    const last = (this.#looking ?? Promise.resolve()).then(() => this.#look(owned))
    const timer = new AbortController()
    const late = delay(this.#deps.limits.stopMs, undefined, { signal: timer.signal })
    await Promise.race([last, late.catch(() => undefined)])
    timer.abort()
  }

  /** One at a time: a file that hangs makes nothing pile up. */
  look(): Promise<void> {
    this.#looking ??= this.#look(this.#deps.owned()).finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(owned: readonly string[]): Promise<void> {
    this.#forgetAllBut(new Set(owned))
    const found = await Promise.allSettled(owned.map((accountId) => this.#newsOf(accountId)))
    const news = found.flatMap((answer) =>
      answer.status === 'fulfilled' && answer.value !== undefined ? [answer.value] : [],
    )
    for (const head of news) {
      this.#deps.log.info({ ...head }, 'journal head')
      this.#published.set(head.account, head)
      this.#unfiled.set(head.account, head)
    }
    if (this.#unfiled.size > 0) await this.#file()
  }

  /** Whoever comes back is published anew. */
  #forgetAllBut(owned: ReadonlySet<string>): void {
    for (const account of this.#published.keys()) {
      if (!owned.has(account)) this.#published.delete(account)
    }
  }

  async #newsOf(account: string): Promise<PublishedHead | undefined> {
    const { seq, hash } = await this.#deps.headOf(account)
    const nowMs = this.#deps.nowMs()
    const before = this.#published.get(account)
    const head = Buffer.from(hash).toString('hex')
    if (seq === 0 || (before?.head === head && isSameDay(before.at, nowMs))) return undefined
    const news: PublishedHead = { account, seq, head, at: new Date(nowMs).toISOString() }
    return this.#deps.key === undefined ? news : signHead(news, this.#deps.key)
  }

  /** What it does not take now it gets with the next look. */
  async #file(): Promise<void> {
    const { file, limits, log } = this.#deps
    const heads = [...this.#unfiled.values()]
    try {
      if (file !== undefined) await append(file, heads, limits.headFileBytesMax)
      for (const head of heads) this.#unfiled.delete(head.account)
    } catch (error) {
      log.warn({ err: error }, 'the head file cannot be written; tried again')
    }
  }
}

const isSameDay = (at: string, nowMs: number): boolean =>
  exchangeDay(Date.parse(at)) === exchangeDay(nowMs)

/** On disk when it resolves. */
async function append(
  file: string,
  heads: readonly PublishedHead[],
  bytesMax: number,
): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }))
  if (size >= bytesMax) throw new Error(`it has ${size} bytes; move it aside and keep it`)
  const lines = heads.map((head) => `${JSON.stringify(head)}\n`).join('')
  const begin = size > 0 && (await isTorn(file, size)) ? '\n' : ''
  await appendFile(file, begin + lines, { mode: OWNER_ONLY, flush: true })
}

/** Whether it may end in a part of a line, as a full disk or the end of a process leaves one: the next would be lost in it. */
async function isTorn(file: string, size: number): Promise<boolean> {
  try {
    const handle = await open(file, 'r')
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
      return bytesRead !== 1 || buffer.toString() !== '\n'
    } finally {
      await handle.close()
    }
  } catch {
    return true // it may be one that takes lines and lets nobody read them
  }
}
