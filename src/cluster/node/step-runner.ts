import type { EngineAnswer, Now, Step } from '../protocol/effects.ts'
import type { Engine, EngineEffect } from './engine.ts'

interface Running<S, I, E> {
  readonly state: S
  readonly step: (state: S, input: I, now: Now) => Step<S, E>
  readonly engine: Engine
  readonly now: () => Now
  /** Everything that is asked of anybody but the servers. It may bring further inputs. */
  readonly perform: (effect: Exclude<E, EngineEffect>) => void
}

const ENGINE_CALLS: ReadonlySet<string> = new Set<EngineEffect['do']>([
  'append',
  'readTail',
  'kvUpdate',
  'kvReadLeader',
])

const isEngineCall = (effect: { readonly do: string }): effect is EngineEffect =>
  ENGINE_CALLS.has(effect.do)

/** Runs a reducer of the protocol: one input after the other, its effects in their order, answers as inputs. */
export class StepRunner<S, I, E extends { readonly do: string }> {
  readonly #running: Running<S, I | EngineAnswer, E>
  readonly #inputs: (I | EngineAnswer)[] = []
  #state: S
  #isStepping = false
  #isStopped = false

  constructor(running: Running<S, I | EngineAnswer, E>) {
    this.#running = running
    this.#state = running.state
  }

  get state(): S {
    return this.#state
  }

  take(input: I | EngineAnswer): void {
    // One that an effect brings waits until the effects before it are done: there are never more than those bring.
    this.#inputs.push(input)
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
        if (!this.#isStopped) this.#step(next)
      }
    } finally {
      this.#isStepping = false
    }
  }

  /** Nothing is decided or done any more; answers that come later are dropped. */
  stop(): void {
    this.#isStopped = true
  }

  #step(input: I | EngineAnswer): void {
    const { step, now, engine, perform } = this.#running
    const { state, effects } = step(this.#state, input, now())
    this.#state = state
    for (const effect of effects) {
      if (isEngineCall(effect)) void engine.perform(effect).then((answer) => this.take(answer))
      else perform(effect as Exclude<E, EngineEffect>)
    }
  }
}
