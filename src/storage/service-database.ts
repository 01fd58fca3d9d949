import { join } from 'node:path'
import type { Environment } from './environment.ts'
import { openEnvironment, openReadOnly } from './open-environment.ts'

const TABLE_NAME = 'records'
/** No key has it, and every other character sorts before it. */
const LAST_CHARACTER = '\uffff'

export const serviceDatabaseFolder = (dataDir: string): string => join(dataDir, 'service', 'db')

/** Records of the whole service, shared by the processes of one data directory; last write wins. */
export class ServiceDatabase {
  readonly #env: Environment

  /** Opens `<dataDir>/service/db`. Errors  `STORE_FAILED`. */
  constructor(dataDir: string) {
    this.#env = openEnvironment(serviceDatabaseFolder(dataDir), [TABLE_NAME])
  }

  get(key: string): Uint8Array | null {
    this.#env.refresh()
    return this.#env.get(TABLE_NAME, key) ?? null
  }

  /** The first `limit` records whose key begins with `prefix`, in the order of their keys. */
  list(prefix: string, limit: number): { key: string; value: Uint8Array }[] {
    this.#env.refresh()
    return listed(this.#env, prefix, limit)
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

type ServiceRecord = ReturnType<ServiceDatabase['list']>[number]

function listed(env: Environment, prefix: string, limit: number): ServiceRecord[] {
  const rows = env.range(TABLE_NAME, { from: prefix, to: `${prefix}${LAST_CHARACTER}`, limit })
  return rows.map(({ key, value }) => ({ key: String(key), value }))
}

/** The same for whoever only looks, also beside a running service. It must be there, and sound. Errors  `STORE_FAILED`. */
export async function lookAtRecords(
  dataDir: string,
  prefix: string,
  limit: number,
): Promise<readonly ServiceRecord[]> {
  const env = openReadOnly(serviceDatabaseFolder(dataDir), [TABLE_NAME])
  try {
    return listed(env, prefix, limit).map(({ key, value }) => ({ key, value: value.slice() }))
  } finally {
    await env.close()
  }
}
