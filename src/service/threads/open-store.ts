import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { StoreThreadData } from '../../../actors/store/store.thread.ts'
import type { Supervisor } from '../../../actors/supervisor/supervisor.actor.ts'
import type { Config } from '../../config/schema.ts'
import type { Logger } from '../../observability/logger.ts'
import type { StoreControl } from '../../protocol/store.ts'
import type { ActorBoard } from '../../runtime/actor-board.ts'
import { Link, portWire } from '../../runtime/link.ts'
import { FOREVER_MS } from '../../runtime/steady.ts'
import type { Thread } from '../../runtime/thread.ts'
import { StoreLine } from '../lines/store-line.ts'
import { journalAsksMax, storeLimits, vitalHeap } from '../settings/limits.ts'
import { StoreWatch } from './store-watch.ts'

/** What the main thread has of the store. */
export interface OpenStore {
  readonly thread: Thread
  /** Ownership and process-wide records. */
  readonly line: StoreLine
  /** Whether its disk answers. */
  readonly watch: StoreWatch
  /** Its line to the thread of the cluster; undefined outside of one. */
  readonly journal: MessagePort | undefined
}

/** Starts the store's thread. Errors  rejects when the data directory cannot be written. */
export async function openStore(
  supervisor: Supervisor,
  options: { readonly config: Config; readonly log: Logger; readonly board: ActorBoard },
): Promise<OpenStore> {
  const { config, log, board } = options
  const { limits } = config
  const control = new MessageChannel()
  const journal = config.cluster && new MessageChannel()
  const data: StoreThreadData = {
    dataDir: config.data_dir,
    limits: storeLimits(limits),
    ...(journal && { journalAsksMax: journalAsksMax(limits) }),
    snapshotCommits: limits.cluster.snapshot_records,
  }
  const thread = await supervisor.startVital({
    name: 'store',
    entry: 'actors/store/store.thread.ts',
    data,
    ports: { control: control.port2, ...(journal && { journal: journal.port2 }) },
    resourceLimits: vitalHeap(limits),
  })
  const link = new Link(portWire(control.port1), {
    peer: 'store',
    limits: { openAsksMax: limits.runtime.open_asks_max },
  })
  const watch = new StoreWatch({
    ask: () => link.ask({ kind: 'answers' } satisfies StoreControl, { timeoutMs: FOREVER_MS }),
    nowMs: () => performance.now(),
    log,
    onTurn: (isLate) => board.setDiskLate(isLate),
    limits: { lateMs: limits.store.late_ms, lateCheckMs: limits.store.late_check_ms },
  })
  return { thread, line: new StoreLine(link, options), watch, journal: journal?.port1 }
}
