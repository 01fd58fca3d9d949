import { ServiceError } from '../../domain/errors.ts'

const STARTING = '服务正在启动，请稍后再试 (the service is starting; try again)'

/** What was there when the process started is being begun from here on: only then others may be, or let go. */
export class StartGate {
  readonly #opened = Promise.withResolvers<void>()
  #isOpen = false

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves when it opens. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  open(): void {
    this.#isOpen = true
    this.#opened.resolve()
  }

  /** Errors  `ACTOR_RESTARTING` until it opens. */
  mustBeOpen(): void {
    if (!this.#isOpen) throw new ServiceError('ACTOR_RESTARTING', STARTING)
  }
}
