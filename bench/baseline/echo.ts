import { Worker } from 'node:worker_threads'

/** Size of a small message with its envelope. */
const MESSAGE_BYTES = 160

/** A bare worker that echoes bytes. Answers come back in the order of the asks. */
export class Echo {
  readonly #worker = new Worker(new URL('./echo.thread.ts', import.meta.url))
  readonly #waiting: ((answer: Uint8Array) => void)[] = []
  readonly #message = new Uint8Array(MESSAGE_BYTES)

  constructor() {
    this.#worker.on('message', (answer: Uint8Array) => this.#waiting.shift()?.(answer))
  }

  ask(): Promise<Uint8Array> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#worker.postMessage(this.#message)
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
