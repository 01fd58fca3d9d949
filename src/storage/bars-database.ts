import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Bar, type BasePeriod, mergeBars, packBars, unpackBars } from '../domain/bar.ts'
import { ServiceError } from '../domain/errors.ts'
import { exchangeDay } from '../domain/exchange-time.ts'
import type { BarChange, BarQuery, BarRows, BarStore, FirstSeen } from '../ports/bars.port.ts'
import { decode, encode } from '../protocol/codec.ts'
import type { Environment } from './environment.ts'
import { openEnvironment } from './open-environment.ts'

const BARS = 'bars'
const SEEN = 'seen'
const NAME_LENGTH = 12

/** Minutes lie by day, days by year: a row is read and written whole. */
const chunkOf = (period: BasePeriod, timeMs: number): string => {
  // The last minute of a market that never closes ends at midnight and belongs to the day before.
  const day = exchangeDay(period === '1m' ? timeMs - 1 : timeMs)
  return period === '1m' ? day : day.slice(0, 4)
}
const SEPARATOR = '|'
/** Sorts behind the separator, and so behind all keys of a code. */
const BEHIND = '}'
const keyOf = (code: string, period: BasePeriod, chunk: string): string =>
  [code, period, chunk].join(SEPARATOR)

/** Bars of one market source; those of different sources never mix. */
export class BarsDatabase implements BarStore {
  readonly #env: Environment

  readonly #hasRoom: () => boolean

  /** Opens `<dataDir>/service/bars/<source>`; written only while `hasRoom`. Errors  `STORE_FAILED`. */
  constructor(dataDir: string, source: string, hasRoom: () => boolean = () => true) {
    this.#hasRoom = hasRoom
    const name = createHash('sha256').update(source).digest('hex').slice(0, NAME_LENGTH)
    this.#env = openEnvironment(join(dataDir, 'service', 'bars', name), [BARS, SEEN])
  }

  rows({ code, period, from, to, limit }: BarQuery): BarRows[] {
    this.#env.refresh()
    const range = { from: keyOf(code, period, from), to: keyOf(code, period, to), limit }
    return this.#env.range(BARS, range).map(({ key, value }) => ({
      chunk: String(key).slice(keyOf(code, period, '').length),
      bars: value,
    }))
  }

  firstSeen(code: string): FirstSeen | undefined {
    const bytes = this.#env.get(SEEN, code)
    return bytes && decode<FirstSeen>(bytes)
  }

  /** Errors  `DISK_FULL`. */
  async save(changes: readonly BarChange[], seen: readonly FirstSeen[]): Promise<void> {
    this.#mustHaveRoom()
    await this.#env.writeLater(() => {
      for (const first of seen) {
        if (this.#env.get(SEEN, first.code) === undefined) {
          this.#env.put(SEEN, first.code, encode(first))
        }
      }
      for (const change of changes) this.#put(change)
    })
  }

  nextCode(after: string): string | undefined {
    this.#env.refresh()
    const [row] = this.#env.range(BARS, {
      from: after === '' ? ' ' : `${after}${BEHIND}`,
      limit: 1,
    })
    return row && String(row.key).split(SEPARATOR)[0]
  }

  /** Errors  `DISK_FULL`. */
  async forget(code: string, beforeDay: string): Promise<void> {
    const [from, to] = [keyOf(code, '1m', ''), keyOf(code, '1m', beforeDay)]
    this.#env.refresh()
    const [oldest] = this.#env.range(BARS, { from, to, limit: 1 })
    if (oldest === undefined || oldest.key === to) return
    this.#mustHaveRoom()
    await this.#env.writeLater(() => {
      for (const { key } of this.#env.range(BARS, { from, to })) {
        if (key !== to) this.#env.remove(BARS, key)
      }
    })
  }

  async close(): Promise<void> {
    await this.#env.close()
  }

  #mustHaveRoom(): void {
    if (this.#hasRoom()) return
    throw new ServiceError(
      'DISK_FULL',
      '磁盘空间不足，行情未保存 (disk space is low: bars are not saved)',
    )
  }

  #put({ code, period, bars }: BarChange): void {
    const chunks = new Map<string, Bar[]>()
    for (const bar of bars) {
      const chunk = chunkOf(period, bar.timeMs)
      const known = chunks.get(chunk)
      if (known === undefined) chunks.set(chunk, [bar])
      else known.push(bar)
    }
    for (const [chunk, newer] of chunks) {
      const key = keyOf(code, period, chunk)
      const stored = this.#env.get(BARS, key)
      const older = stored === undefined ? [] : unpackBars(stored)
      this.#env.put(BARS, key, packBars(mergeBars(older, newer)))
    }
  }
}
