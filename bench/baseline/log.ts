import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A bare worker that writes bytes durably, grouped, and says when they are on disk. */
export class DurableLog {
  readonly #worker: Worker
  readonly #waiting = new Map<number, () => void>()
  #nextId = 1

  constructor(folder: string) {
    this.#worker = new Worker(new URL('./log.thread.ts', import.meta.url), { workerData: folder })
    this.#worker.on('message', (ids: readonly number[]) => {
      for (const id of ids) {
        this.#waiting.get(id)?.()
        this.#waiting.delete(id)
      }
    })
  }

  append(bytes: Uint8Array): Promise<number> {
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#waiting.set(id, () => resolve(id))
      this.#worker.postMessage({ id, bytes })
    })
  }

  /**
   * What an order cannot do without, bare: three durable writes, each after the one before is on disk (the intent,
   * the books of the trading client, its answer). Answers the number of the first.
   */
  async inThree(bytes: Uint8Array): Promise<number> {
    const id = await this.append(bytes)
    await this.append(bytes)
    await this.append(bytes)
    return id
  }

  async close(): Promise<void> {
    const exited = once(this.#worker, 'exit')
    this.#worker.postMessage('close')
    await exited
  }
}
