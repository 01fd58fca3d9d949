import type { MessagePort, ResourceLimits } from 'node:worker_threads'
import type { HeartbeatLimits } from '../../src/runtime/heartbeat.ts'
import type { RestartPolicy } from '../../src/runtime/restart-policy.ts'

/** How to start one actor that may be restarted at any time. */
export interface ChildSpec {
  readonly name: string
  /** Row of the actor board; one live child each. */
  readonly slot: number
  readonly entry: string
  readonly policy: RestartPolicy
  /** Default {@link RESOURCE_LIMITS}. */
  readonly resourceLimits?: ResourceLimits
  /** Called before every start: fresh ports, and introductions to those who hold their other ends. */
  prepare(incarnation: number): {
    readonly data: unknown
    readonly ports: Readonly<Record<string, MessagePort>>
  }
  /** Once per incarnation, as soon as it is known to be dead or about to be: fail what waits for it. */
  down?(reason: string): void
  /** The actor serves. */
  up?(): void
  /** It crashed too often and stays away until an operator restarts it. */
  suspended?(reason: string): void
}

/** How to start an actor that the process cannot live without: store, market, paper client. */
export interface VitalSpec {
  readonly name: string
  readonly entry: string
  /** Row of the actor board; without one its heartbeat is not watched. */
  readonly slot?: number
  readonly data: unknown
  readonly ports: Readonly<Record<string, MessagePort>>
  readonly resourceLimits?: ResourceLimits
}

export interface SupervisorLimits {
  readonly heartbeat: HeartbeatLimits
  /** For a cooperative stop; after it a child is terminated, a vital actor is fatal. */
  readonly stopTimeoutMs: number
  /** For a termination; after it the process must end, because native code holds the thread. */
  readonly terminateTimeoutMs: number
}

export interface SupervisorLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** An account needs a few megabytes; a runaway one ends alone. */
export const RESOURCE_LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 128 }
