import { MessageChannel } from 'node:worker_threads'
import type { ChildSpec, SupervisorLimits } from '../../actors/supervisor/child.ts'
import type { VitalSpec } from '../../actors/supervisor/supervisor.actor.ts'
import { Supervisor } from '../../actors/supervisor/supervisor.actor.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import { Link, portWire } from '../../src/runtime/link.ts'
import type { ProcessorTimes } from '../../src/runtime/processor-times.ts'
import type { RestartPolicy } from '../../src/runtime/restart-policy.ts'
import { inTime } from '../in-time.ts'
import type { FixtureData } from '../runtime/fixtures/actor.thread.ts'

const ENTRY = 'test/runtime/fixtures/actor.thread.ts'
export const HEARTBEAT: SupervisorLimits['heartbeat'] = {
  // One that hangs is noticed soon, one that a busy computer starves is not taken for it.
  timeoutMs: 3_000,
  startTimeoutMs: 60_000,
  patienceMs: 6_000, // a computer that is busy with other tests keeps none from ending
  startPatienceMs: 60_000,
  checkIntervalMs: 50,
  beatIntervalMs: 20,
}
const LIMITS: SupervisorLimits = {
  heartbeat: HEARTBEAT,
  stopTimeoutMs: 300,
  terminateTimeoutMs: 20_000,
}
const EAGER: RestartPolicy = { intensity: 3, periodMs: 60_000, backoffMsMin: 1, backoffMsMax: 4 }

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** For a fixture actor that is to `nap`. */
export function newAlarm(): {
  readonly alarm: SharedArrayBuffer
  readonly isAsleep: () => boolean
  readonly wake: () => void
} {
  const alarm = new SharedArrayBuffer(8)
  const cells = new Int32Array(alarm)
  return {
    alarm,
    isAsleep: () => Atomics.load(cells, 1) === 1,
    /** Also one that falls asleep only now. */
    wake: () => {
      Atomics.store(cells, 0, 1)
      Atomics.notify(cells, 0)
    },
  }
}

/** What a busy computer makes the supervisor say, whatever the test is about. */
export const isLateness = ({ message }: LogLine): boolean => message.includes('is late because')

/** A supervised fixture actor, seen from the composition root. */
export interface Actor {
  readonly spec: ChildSpec
  /** What the supervisor told: `up`, `down: …`, `suspended: …`, in order. */
  readonly story: string[]
  /** Answers with the incarnation; `hold` is answered never. */
  ask(question?: 'ping' | 'hold'): Promise<number>
  /** Resolves with the next word of that kind from the supervisor. */
  next(word: 'up' | 'down' | 'suspended'): Promise<void>
}

export interface ActorSystem {
  readonly supervisor: Supervisor
  readonly board: ActorBoard
  readonly log: LogLine[]
  readonly fatal: Promise<string>
  actor(name: string, slot: number, how?: ActorOptions): Actor
  vital(name: string, slot: number, data?: Partial<FixtureData>): VitalSpec
}

export interface ActorOptions {
  /** What goes wrong at a start, by incarnation. */
  readonly faults?: (incarnation: number) => Partial<FixtureData>
  readonly policy?: Partial<RestartPolicy>
}

/** A supervisor with real threads below it and short limits. */
export function system(
  limits: Partial<SupervisorLimits> = {},
  times?: ProcessorTimes,
  isStoreLate?: () => boolean,
): ActorSystem {
  const board = new ActorBoard(createActorBoard(4))
  const log: LogLine[] = []
  const write = (level: LogLine['level']) => (fields: object, message: string) => {
    log.push({ level, fields: { ...fields }, message })
  }
  const fatal = Promise.withResolvers<string>()
  const supervisor = new Supervisor({
    board,
    nowMs: () => performance.now(),
    random: () => 0.5,
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    onFatal: fatal.resolve,
    limits: { ...LIMITS, ...limits },
    ...(times && { times }),
    ...(isStoreLate && { isStoreLate }),
  })
  const actor = (name: string, slot: number, how: ActorOptions = {}): Actor =>
    newActor(board, name, slot, how)
  const vital = (name: string, slot: number, data: Partial<FixtureData> = {}): VitalSpec => ({
    name,
    slot,
    entry: ENTRY,
    data: { board: board.memory, slot, incarnation: 1, ...data },
    ports: { front: new MessageChannel().port1 },
  })
  return { supervisor, board, log, fatal: fatal.promise, actor, vital }
}

function newActor(board: ActorBoard, name: string, slot: number, how: ActorOptions): Actor {
  const story: string[] = []
  const waiting = new Map<string, (() => void)[]>()
  let link: Link | undefined
  const told = (word: string, reason?: string): void => {
    story.push(reason === undefined ? word : `${word}: ${reason}`)
    const resolvers = waiting.get(word) ?? []
    waiting.delete(word)
    for (const resolve of resolvers) resolve()
  }
  const spec: ChildSpec = {
    name,
    slot,
    entry: ENTRY,
    policy: { ...EAGER, ...how.policy },
    resourceLimits: { maxOldGenerationSizeMb: 32 },
    prepare: (incarnation) => {
      const { port1, port2 } = new MessageChannel()
      link = new Link(portWire(port1), { peer: name, limits: { openAsksMax: 64 } })
      const data = { board: board.memory, slot, incarnation, ...how.faults?.(incarnation) }
      return { data, ports: { front: port2 } }
    },
    up: () => told('up'),
    down: (reason) => {
      link?.close(new ServiceError('ACTOR_RESTARTING', reason))
      told('down', reason)
    },
    suspended: (reason) => told('suspended', reason),
  }
  return {
    spec,
    story,
    ask: async (question = 'ping') => {
      if (link === undefined) throw new Error(`${name} was never started`)
      return await link.ask<number>(question, { timeoutMs: 60_000 })
    },
    next: (word) =>
      inTime(
        new Promise((resolve) => waiting.set(word, [...(waiting.get(word) ?? []), resolve])),
        `${name} to be ${word}`,
      ),
  }
}
