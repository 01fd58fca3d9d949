import { Link, portWire } from '../../src/runtime/link.ts'
import { thisThread } from '../../src/runtime/thread.ts'
import { JournalClient } from './journal-client.ts'
import { StoreActor, type StoreLimits } from './store.actor.ts'

/** What the store thread is started with; its port `control` takes `StoreControl` requests. */
export interface StoreThreadData {
  readonly dataDir: string
  readonly limits: StoreLimits
  /** This process is in a cluster: the port `journal` leads to its thread, which may leave so many asks open. */
  readonly journalAsksMax?: number
  readonly snapshotCommits?: number
}

const thread = thisThread<StoreThreadData>()
const { journalAsksMax: openAsksMax } = thread.data
const journal =
  openAsksMax === undefined
    ? undefined
    : new JournalClient(
        new Link(portWire(thread.port('journal')), { peer: 'cluster', limits: { openAsksMax } }),
      )
const store = new StoreActor({
  ...thread.data,
  journal,
  fatal: (error) => {
    throw error // the death of this thread ends the process, and a start is a recovery
  },
})
store.serveControl(portWire(thread.port('control')))
thread.onIntroduced((_name, port, info) => {
  const { accountId } = info as { readonly accountId: string }
  store.introduce(accountId, port === null ? null : portWire(port))
})
thread.onStop(async () => {
  await store.close()
})
thread.ready()
