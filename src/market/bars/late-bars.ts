import { ServiceError } from '../../domain/errors.ts'
import { type BarStore, NO_BARS } from '../../ports/bars.port.ts'
import type { MarketLog } from '../saved.ts'

const NOT_OPEN =
  'K线数据库暂时无法打开，未保存 (the database of bars cannot be opened for now: not saved)'

/**
 * A history that cannot be opened, as without descriptors at the start of a computer, is tried again with every write
 * until it can be; meanwhile there is none. Quotes and orders do not depend on it.
 */
export class LateBars implements BarStore {
  readonly #open: () => BarStore
  readonly #log: MarketLog
  #store: BarStore | undefined
  #isClosed = false

  constructor(open: () => BarStore, log: MarketLog) {
    this.#open = open
    this.#log = log
    try {
      this.#store = open()
    } catch (error) {
      log.error({ err: error }, 'there is no history yet: its database cannot be opened')
    }
  }

  rows: BarStore['rows'] = (query) => this.#known.rows(query)
  firstSeen: BarStore['firstSeen'] = (code) => this.#known.firstSeen(code)
  nextCode: BarStore['nextCode'] = (after) => this.#known.nextCode(after)
  forget: BarStore['forget'] = (code, beforeDay) => this.#known.forget(code, beforeDay)

  /** Errors  `OVERLOADED` while there is none. */
  async save(...what: Parameters<BarStore['save']>): Promise<void> {
    await this.#opened().save(...what)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#known.close()
  }

  get #known(): BarStore {
    return this.#store ?? NO_BARS
  }

  #opened(): BarStore {
    if (this.#store !== undefined || this.#isClosed) return this.#known
    try {
      this.#store = this.#open()
    } catch (error) {
      throw new ServiceError('OVERLOADED', NOT_OPEN, undefined, error) // told when it was tried first
    }
    this.#log.info({}, 'the database of bars could be opened after all: history is kept again')
    return this.#store
  }
}
