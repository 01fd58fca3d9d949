import { createLogger } from '../../../observability/logger.ts'
import { ActorBoard } from '../../../runtime/actor-board.ts'
import { startHeartbeat } from '../../../runtime/heartbeat.ts'
import { thisThread } from '../../../runtime/thread.ts'
import type { HostThreadData } from '../../host.ts'
import { XtActor, type XtHostLimits, type XtIntroduction } from './xt.actor.ts'

const thread = thisThread<HostThreadData<XtHostLimits>>()
const { dataDir, slot, actorBoard, limits, logs } = thread.data
const actor = new XtActor({ log: createLogger({ memory: logs, name: 'xt' }), dataDir, limits })
const board = new ActorBoard(actorBoard)
const stopHeartbeat = startHeartbeat(board, slot, limits.runtime.heartbeat_interval_ms)

thread.onIntroduced((name, port, info) => {
  if (port === null) actor.leave(name.slice(name.indexOf('/') + 1))
  else actor.introduce(info as XtIntroduction, port)
})
thread.onStop(() => {
  stopHeartbeat()
  actor.close()
})
thread.ready()
