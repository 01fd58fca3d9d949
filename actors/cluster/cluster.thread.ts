import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { fullTold } from '../../src/cluster/nats/full-told.ts'
import { NatsEngine, type NatsEngineOptions } from '../../src/cluster/nats/nats-engine.ts'
import { readClocks } from '../../src/cluster/node/clocks.ts'
import type { AppendLimits } from '../../src/cluster/protocol/append.ts'
import type { Now } from '../../src/cluster/protocol/effects.ts'
import type { Self } from '../../src/cluster/protocol/lease.ts'
import type { Timing } from '../../src/cluster/protocol/timing.ts'
import type { ClusterRequest, ClusterTold, JournalRequest } from '../../src/protocol/cluster.ts'
import { Histogram } from '../../src/runtime/histogram.ts'
import { Link, type LinkLimits, portWire } from '../../src/runtime/link.ts'
import { steadyMs } from '../../src/runtime/steady.ts'
import { thisThread } from '../../src/runtime/thread.ts'
import { ClusterActor, type ClusterActorLimits } from './cluster.actor.ts'

/** What the thread of a cluster is started with. Its ports: `control` (main thread), `journal` (store). */
export interface ClusterThreadData {
  readonly self: Self
  readonly timing: Timing
  readonly append: AppendLimits
  readonly isGateway: boolean
  readonly limits: ClusterActorLimits & LinkLimits
  readonly engine: Omit<NatsEngineOptions, 'onState' | 'onFailure'>
  /** Between two attempts to reach the servers for the first time. ms */
  readonly retryMs: number
  readonly words: SharedArrayBuffer
  readonly origin: Now
  /** Of a histogram: how long appends to the journals take. */
  readonly appends: SharedArrayBuffer
}

const thread = thisThread<ClusterThreadData>()
const { data } = thread
const opened = Promise.withResolvers<ClusterActor>()
let isOpen = false
let isStopping = false

const control = new Link(portWire(thread.port('control')), {
  peer: 'main',
  limits: data.limits,
  answer: async (body, call) => {
    const request = body as ClusterRequest
    // Who only looks does not wait for servers that are away, perhaps for days.
    if (request.kind === 'census' && !isOpen) return null
    if (request.kind === 'metrics' && !isOpen) return {}
    return (await opened.promise).control(request, call)
  },
})
new Link(portWire(thread.port('journal')), {
  peer: 'store',
  limits: data.limits,
  answer: async (body) => (await opened.promise).journal(body as JournalRequest),
})
const tell = (told: ClusterTold) => control.tell(told)
const onFailure = fullTold((text) => tell({ kind: 'full', text }), {
  everyMs: data.timing.renewMs,
  nowMs: steadyMs,
})

thread.onStop(async () => {
  isStopping = true
  const actor = await Promise.race([opened.promise, Promise.resolve(undefined)])
  await actor?.stop()
})
thread.ready()
await open()

/** Nothing is run before the servers were reached once; until then they are tried again and again. */
async function open(): Promise<void> {
  while (!isStopping) {
    try {
      const engine = await NatsEngine.open({
        ...data.engine,
        onFailure, // conflicts and late answers are everyday, and of a lost connection its state tells
        onState: (state) => {
          if (state.state === 'closed' && state.reason !== undefined) {
            tell({ kind: 'dead', why: state.reason.message })
          } else if (state.state !== 'complaint') tell({ kind: 'servers', text: state.state })
          else tell({ kind: 'servers', text: state.text })
        },
      })
      const { self, timing, append, isGateway, limits, origin } = data
      const actor = new ClusterActor({
        self,
        timing,
        append,
        isGateway,
        limits,
        engine,
        now: readClocks,
        newId: randomUUID,
        words: new Int32Array(data.words),
        appends: new Histogram(data.appends),
        origin,
        main: control,
      })
      isOpen = true
      return opened.resolve(actor)
    } catch (error) {
      tell({ kind: 'servers', text: error instanceof Error ? error.message : String(error) })
      await delay(data.retryMs)
    }
  }
}
