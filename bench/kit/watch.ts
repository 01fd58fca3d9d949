import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Times } from './figures.ts'
import type { Served } from './service.ts'
import type { Sale, WatchData } from './watch.thread.ts'

/** A thread that looks on while stops are sold, so that nothing of the service has to. */
export class Watch {
  readonly #worker: Worker

  constructor({ service }: Served) {
    const { quotes, latency } = service.system
    const workerData: WatchData = { quotes: quotes.memory, latency: latency.memory }
    this.#worker = new Worker(new URL('./watch.thread.ts', import.meta.url), { workerData })
  }

  /** Begins to look; resolves when all are sold. Errors  rejects when one stays. */
  async times(sales: readonly Sale[]): Promise<Times> {
    this.#worker.postMessage(sales)
    const [times] = (await once(this.#worker, 'message')) as [Times]
    return times
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
