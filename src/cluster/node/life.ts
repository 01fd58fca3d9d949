import type { AppendLimits } from '../protocol/append.ts'
import type { Now } from '../protocol/effects.ts'
import type { Self } from '../protocol/lease.ts'
import type { Timing } from '../protocol/timing.ts'
import type { ClusterEngine } from './engine.ts'

/** What one life of a node is made of, and each of its accounts. */
export interface LifeParts {
  readonly self: Self
  readonly timing: Timing
  /** Of one journal. */
  readonly append: AppendLimits
  readonly engine: ClusterEngine
  readonly now: () => Now
  readonly newId: () => string
  /** It runs no account: it watches and asks, has no lease, and writes nothing on the servers. */
  readonly isGateway?: boolean
}

/** What every thread of the node looks at before it tells a trading client anything. */
export interface SharedWords {
  readonly words: Int32Array<SharedArrayBuffer>
  /** The clocks when the words were made. */
  readonly origin: Now
}
