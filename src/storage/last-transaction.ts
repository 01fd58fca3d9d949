import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { RootDatabase } from 'lmdb'
import { ServiceError } from '../domain/errors.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/open-database.mjs', import.meta.url))
/** For the start of a small process on a busy computer. */
const OPEN_MS_MAX = 60_000
/** How often an environment may be set back again before it is brought forward. */
export const SET_BACK_MAX = 5

/** What LMDB can be asked of the transactions of an environment. */
type Root = Pick<RootDatabase<Uint8Array>, 'getStats' | 'getWriteTxnId'>

/**
 * Whether a transaction follows the one that was committed last.
 *
 * LMDB notes the number of that one beside its locks. Whoever opens the environment, also only to read it, sets the
 * note to what the file said a moment before (`mdb_env_open2` of lmdb 3.5.6), and an opener that is kept from the
 * processor in that moment sets it back: readers then see what was before, and the next transaction is written in place
 * of the last ones, which are gone, or mixes its pages with theirs. The file itself has the number right all the time.
 */
export class LastTransaction {
  readonly #root: Root
  readonly #folder: string

  constructor(root: Root, folder: string) {
    this.#root = root
    this.#folder = folder
  }

  /** Of what is on disk, whatever is noted. */
  get number(): number {
    return (this.#root.getStats() as { readonly lastTxnId: number }).lastTxnId
  }

  /**
   * The number of the transaction that is open for writing, or undefined: it does not follow the last one, nothing may be
   * written in it, and the next one follows.
   *
   * Errors  `STORE_FAILED`: and the next one would not follow either.
   */
  follower(): number | undefined {
    const number = this.#root.getWriteTxnId()
    if (number === this.number + 1) return number
    bringForward(this.#folder)
    return undefined
  }
}

/**
 * Has another process open the environment in `folder`, which sets right what is noted of it, for sure while nobody else
 * can write it. This process cannot: LMDB opens an environment once in each.
 *
 * Errors  `STORE_FAILED`: the process did not do it.
 */
export function bringForward(folder: string): void {
  const { status, signal, error, stderr } = spawnSync(process.execPath, [PROGRAM, folder], {
    encoding: 'utf8',
    timeout: OPEN_MS_MAX,
    windowsHide: true,
  })
  if (status === 0) return
  const why = error?.message ?? stderr.trim().split('\n').at(-1)
  throw setBack(folder, `it could not be brought forward (${signal ?? status}): ${why}`)
}

/** Another program has set it back, and why that was not mended. */
export const setBack = (folder: string, why: string): ServiceError =>
  new ServiceError('STORE_FAILED', `${folder} was set back by a program that opened it; ${why}`)
