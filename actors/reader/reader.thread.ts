import { takeClosedDays } from '../../src/market/closed-days.ts'
import { portWire } from '../../src/runtime/link.ts'
import { thisThread } from '../../src/runtime/thread.ts'
import { ReaderActor, type ReaderActorDeps } from './reader.actor.ts'

/** What the reader thread is started with; its port `control` takes `ReaderControl` requests. */
export type ReaderThreadData = ReaderActorDeps

takeClosedDays()
const thread = thisThread<ReaderThreadData>()
const reader = new ReaderActor(thread.data)
reader.serveControl(portWire(thread.port('control')))
thread.onIntroduced((_name, port, info) => {
  const { accountId } = info as { readonly accountId: string }
  reader.introduce(accountId, port === null ? null : portWire(port))
})
thread.onStop(() => reader.close())
thread.ready()
