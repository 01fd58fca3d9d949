import { parentPort, workerData } from 'node:worker_threads'
import type { MarketMemory } from '../../src/market/memory.ts'
import { QuoteReader } from '../../src/market/quote-board.ts'
import type { Histogram } from '../../src/runtime/histogram.ts'
import { LatencyBoard } from '../../src/runtime/latency-board.ts'

/** One stop that will be sold. */
export interface Sale {
  /** Row of the code on the quote board. */
  readonly code: number
  /** Row of the account on the board of latencies. */
  readonly account: number
  /** It has fallen when its last price is below. */
  readonly below: number
}

export interface WatchData {
  readonly quotes: Pick<MarketMemory, 'quotes' | 'codesMax'>
  readonly latency: SharedArrayBuffer
}

/** Between two looks: a tenth of what is measured, and some percent of a core. */
const LOOK_MS = 0.2
const WATCH_MS_MAX = 120_000

const { quotes, latency } = workerData as WatchData
const reader = new QuoteReader(quotes)
const board = new LatencyBoard(latency)
const pause = new Int32Array(new SharedArrayBuffer(4))

/** One sale that is looked at until its order has left. */
class Watched {
  readonly #sale: Sale
  readonly #submits: Histogram
  /** Orders of the account when this one has left. */
  readonly #wanted: number
  #fellMs = 0
  /** From its price on the board to the word that its order is durable and leaves; 0 before. */
  us = 0

  /** `turn` counts the sales of one account from 1: they leave in the order in which they fall. */
  constructor(sale: Sale, turn: number) {
    this.#sale = sale
    this.#submits = board.histogram(sale.account, 'commitToSubmit')
    this.#wanted = this.#submits.count + turn
  }

  look(): void {
    if (this.us > 0) return
    if (this.#fellMs === 0) this.#lookAtPrice()
    else if (this.#submits.count >= this.#wanted) {
      this.us = (performance.now() - this.#fellMs) * 1_000
    }
  }

  #lookAtPrice(): void {
    const { code, below } = this.#sale
    const price = reader.lastPrice(code)
    if (price > 0 && price < below) this.#fellMs = performance.now()
  }
}

function watch(sales: readonly Sale[]): readonly number[] {
  const all = sales.map((sale, at) => {
    const { account } = sale
    const before = sales.slice(0, at).filter((other) => other.account === account)
    return new Watched(sale, before.length + 1)
  })
  const endMs = performance.now() + WATCH_MS_MAX
  while (all.some(({ us }) => us === 0)) {
    if (performance.now() > endMs) throw new Error('not every stop was sold')
    for (const watched of all) watched.look()
    Atomics.wait(pause, 0, 0, LOOK_MS)
  }
  return all.map(({ us }) => us)
}

parentPort?.on('message', (sales: readonly Sale[]) => parentPort?.postMessage(watch(sales)))
