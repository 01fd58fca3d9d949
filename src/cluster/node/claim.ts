import { type ClaimEffect, type ClaimInput, type ClaimView, stepClaim } from '../protocol/claim.ts'
import { type ClaimState, type Owned, startClaim } from '../protocol/claim-state.ts'
import type { Now } from '../protocol/effects.ts'
import type { Timing } from '../protocol/timing.ts'
import type { Engine } from './engine.ts'
import { StepRunner } from './step-runner.ts'

export interface ClaimOptions {
  readonly acct: string
  readonly engine: Engine
  readonly timing: Timing
  readonly now: () => Now
  /** What is known at this moment; looked at anew with every step. */
  readonly view: () => ClaimView
  /** Has the gate of this computer refuse older epochs, durably; answers when it does. Asked again until then. */
  readonly fenceGate: (acct: string, e: number, former: string | undefined) => Promise<void>
  /** The account is ours. */
  onOwner(owned: Owned): void
  /** The journal knows less than this computer: never trade. */
  onRegressed(text: string): void
}

/** How this node comes to own one account, and again after it was lost. */
export class Claim {
  readonly #options: ClaimOptions
  readonly #runner: StepRunner<ClaimState, ClaimInput, ClaimEffect>
  readonly #timer: NodeJS.Timeout

  constructor(options: ClaimOptions) {
    const { acct, timing, engine, now, view } = options
    this.#options = options
    this.#runner = new StepRunner<ClaimState, ClaimInput, ClaimEffect>({
      state: startClaim(acct, timing),
      step: (state, input, at) => stepClaim(state, input, view(), at),
      engine,
      now,
      perform: (effect) => this.#perform(effect),
    })
    this.#timer = setInterval(() => this.#runner.take({ is: 'tick' }), timing.tickMs)
  }

  /** Looks now, not with the next tick: something has changed. */
  look(): void {
    this.#runner.take({ is: 'tick' })
  }

  /** Our turn is over: fenced, released or closed. It is claimed again when it is free. */
  ended(): void {
    this.#runner.take({ is: 'ended' })
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#runner.stop()
  }

  #perform(effect: Exclude<ClaimEffect, { timeoutMs: number }>): void {
    switch (effect.do) {
      case 'fenceGate': {
        const { acct, e, former } = effect
        // A gate that cannot be reached is asked again with a later tick.
        this.#options.fenceGate(acct, e, former).then(
          () => this.#runner.take({ is: 'gateHolds', e }),
          () => undefined,
        )
        return
      }
      case 'becameOwner':
        return this.#options.onOwner(effect.owned)
      case 'regressed':
        return this.#options.onRegressed(effect.text)
    }
  }
}
