import { networkInterfaces } from 'node:os'
import { type KeptLives, livesBefore, withLife } from '../../cluster/protocol/lives.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Logger } from '../../observability/logger.ts'
import { decode, encode } from '../../protocol/codec.ts'
import type { StoreControl, StoreControlReplies } from '../../protocol/store.ts'

const KEY = 'cluster/lives'
/** Of adapters that have no address of their own. */
const NO_ADDRESS = '00:00:00:00:00:00'
/**
 * Virtual ones that have the same address on every computer with that program: VMware, VirtualBox, Docker, AnyConnect,
 * the loopback of Microsoft. They tell no copy from its original.
 */
const EVERYWHERE =
  /^(00:50:56:c0:00:0|0a:00:27:00:00:|02:42:|00:05:9a:3c:7[0-9a-f]:00|02:00:4c:4f:4f:50)/i

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
    const own = telling(adapters)
    const before = livesBefore(kept, own)
    await keep(withLife(kept, inc, own), { records, log })
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

/** All of them where there is no better one: a container has no other. */
function telling(adapters: readonly string[]): readonly string[] {
  const own = adapters.filter((address) => !EVERYWHERE.test(address))
  return own.length > 0 ? own : adapters
}

function ownAdapters(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  const real = all.filter(({ internal, mac }) => !internal && mac !== NO_ADDRESS)
  return [...new Set(real.map(({ mac }) => mac))]
}
