import type { LogMemory } from '../../src/observability/log-memory.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { ActorBoard, type ActorBoardMemory } from '../../src/runtime/actor-board.ts'
import { startHeartbeat } from '../../src/runtime/heartbeat.ts'
import { thisThread } from '../../src/runtime/thread.ts'
import { XtActor, type XtIntroduction } from './xt.actor.ts'

/** What the thread of the sidecars is started with. Accounts are introduced as `account/<id>`. */
export interface XtThreadData {
  readonly actorBoard: ActorBoardMemory
  /** Its own row of the actor board. */
  readonly slot: number
  readonly lingerMs: number
  readonly heartbeatIntervalMs: number
  readonly logs: LogMemory
}

const thread = thisThread<XtThreadData>()
const { actorBoard, slot, lingerMs, heartbeatIntervalMs, logs } = thread.data
const actor = new XtActor({ log: createLogger({ memory: logs, name: 'xt' }), lingerMs })
const stopHeartbeat = startHeartbeat(new ActorBoard(actorBoard), slot, heartbeatIntervalMs)

thread.onIntroduced((name, port, info) => {
  if (port === null) actor.leave(name.slice(name.indexOf('/') + 1))
  else actor.introduce(info as XtIntroduction, port)
})
thread.onStop(() => {
  stopHeartbeat()
  actor.close()
})
thread.ready()
