import { join } from 'node:path'
import { type Environment, openEnvironment } from './environment.ts'

const TABLE_NAME = 'records'
/** No key has it, and every other character sorts before it. */
const LAST_CHARACTER = '\uffff'

/** Records of the whole service, shared by the processes of one data directory; last write wins. */
export class ServiceDatabase {
  readonly #env: Environment

  /** Opens `<dataDir>/service/db`. Errors  `STORE_FAILED`. */
  constructor(dataDir: string) {
    this.#env = openEnvironment(join(dataDir, 'service', 'db'), [TABLE_NAME])
  }

  get(key: string): Uint8Array | null {
    this.#env.refresh()
    return this.#env.get(TABLE_NAME, key) ?? null
  }

  /** The first `limit` records whose key begins with `prefix`, in the order of their keys. */
  list(prefix: string, limit: number): { key: string; value: Uint8Array }[] {
    this.#env.refresh()
    const rows = this.#env.range(TABLE_NAME, {
      from: prefix,
      to: `${prefix}${LAST_CHARACTER}`,
      limit,
    })
    return rows.map(({ key, value }) => ({ key: String(key), value }))
  }

  /** On disk when it returns; null deletes. What LMDB throws means that the disk refused. */
  put(key: string, value: Uint8Array | null): void {
    this.#env.write(() => {
      if (value === null) this.#env.remove(TABLE_NAME, key)
      else this.#env.put(TABLE_NAME, key, value)
    })
  }

  async close(): Promise<void> {
    await this.#env.close()
  }
}
