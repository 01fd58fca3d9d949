import { networkInterfaces } from 'node:os'
import { type KeptLives, livesBefore, withLife } from '../cluster/protocol/lives.ts'
import { ServiceError } from '../domain/errors.ts'
import type { Logger } from '../observability/logger.ts'
import { decode, encode } from '../protocol/codec.ts'
import type { StoreControl, StoreControlReplies } from '../protocol/store.ts'

const KEY = 'cluster/lives'
/** Of adapters that have no address of their own. */
const NO_ADDRESS = '00:00:00:00:00:00'

export interface NodeLivesDeps {
  /** The process-wide records. */
  readonly records: <K extends 'get' | 'put'>(
    request: Extract<StoreControl, { kind: K }>,
  ) => Promise<StoreControlReplies[K]>
  readonly log: Pick<Logger, 'warn'>
  /** Of this computer; other ones for tests. */
  readonly adapters?: readonly string[]
}

/**
 * A life of the node begins: it is on the disk before the servers hear of it. Answers which lives this computer had
 * before, as {@link livesBefore}. Where that cannot be read or kept the node starts all the same, and it or the next
 * one waits for the silence of the one before.
 */
export async function beginLife(
  inc: string,
  { records, log, adapters = ownAdapters() }: NodeLivesDeps,
): Promise<readonly string[] | undefined> {
  try {
    const bytes = await records({ kind: 'get', key: KEY })
    const kept = bytes === null ? undefined : decode<KeptLives>(bytes)
    const before = livesBefore(kept, adapters)
    await keep(withLife(kept, inc, adapters), { records, log })
    return before
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    log.warn({ err: error }, 'the lives of this node cannot be read')
    return []
  }
}

async function keep(lives: KeptLives, { records, log }: Pick<NodeLivesDeps, 'records' | 'log'>) {
  try {
    await records({ kind: 'put', key: KEY, value: encode(lives) })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    log.warn({ err: error }, 'this life of the node cannot be kept')
  }
}

function ownAdapters(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  const real = all.filter(({ internal, mac }) => !internal && mac !== NO_ADDRESS)
  return [...new Set(real.map(({ mac }) => mac))]
}
