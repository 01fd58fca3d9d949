import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { ReaderThreadData } from '../../../actors/reader/reader.thread.ts'
import type { Config } from '../../config/schema.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Logger } from '../../observability/logger.ts'
import type { ReaderControl, ReaderControlReplies } from '../../protocol/store.ts'
import { Link, portWire } from '../../runtime/link.ts'
import { startThread, type Thread } from '../../runtime/thread.ts'
import { readerLimits, vitalHeap } from '../settings/limits.ts'

/**
 * The thread that reads account databases for those who scan. Nobody's life hangs on it: without it
 * accounts read through the store thread again, and a person is told.
 */
export class Reading {
  readonly #thread: Thread
  readonly #line: Link
  readonly #timeoutMs: number
  readonly #workMs: number
  readonly #stopMs: number
  #isOver = false

  constructor({ data_dir: dataDir, limits }: Config, log: Logger) {
    const control = new MessageChannel()
    const openAsksMax = limits.runtime.open_asks_max
    const data: ReaderThreadData = { dataDir, limits: readerLimits(limits) }
    this.#timeoutMs = limits.store.read_timeout_ms
    this.#workMs = limits.store.open_timeout_ms
    this.#stopMs = limits.runtime.stop_timeout_ms
    this.#thread = startThread({
      name: 'reader',
      entry: 'actors/reader/reader.thread.ts',
      data,
      ports: { control: control.port2 },
      resourceLimits: vitalHeap(limits),
    })
    this.#line = new Link(portWire(control.port1), { peer: 'reader', limits: { openAsksMax } })
    void this.#thread.exited.then(({ error }) => {
      if (this.#isOver) return
      this.#isOver = true
      log.error(
        { alert: 'reader_gone', reason: error?.message },
        'scans go through the store again',
      )
    })
  }

  /** The account's end of a line; null withdraws it. Of a reader that has ended the line is closed. */
  introduce(name: string, port: MessagePort | null, accountId: string): void {
    this.#thread.introduce(name, port, { accountId })
  }

  /** Resolves when the reader has closed the database of an account, and opens it no more. */
  async leave(accountId: string): Promise<void> {
    if (this.#isOver) return
    const timeoutMs = this.#timeoutMs
    await this.#line.ask({ kind: 'leave', accountId }, { timeoutMs }).catch((error: unknown) => {
      if (!this.#isOver) throw error
    })
  }

  /** Work on the segments of an account that is served here. Errors  `STOPPING`: it is not, or the reader has ended. */
  async archive<K extends 'archive' | 'expired' | 'drop'>(
    request: Extract<ReaderControl, { kind: K }>,
  ): Promise<ReaderControlReplies[K]> {
    if (this.#isOver) throw new ServiceError('STOPPING', 'the reader has ended')
    return this.#line.ask<ReaderControlReplies[K]>(request, { timeoutMs: this.#workMs })
  }

  /** Does not wait for one that stands in a read: nothing that it has would be lost. */
  async close(): Promise<void> {
    this.#isOver = true
    this.#thread.stop()
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, this.#stopMs)
    await Promise.race([this.#thread.exited, late.promise])
    clearTimeout(timer)
  }
}
