interface AgainOptions {
  readonly work: () => Promise<unknown>
  /** Told of each try that failed. */
  readonly failed: (error: unknown) => void
  /** Between two tries. ms */
  readonly pauseMs: number
}

/** Work that all depend on, done once. A try that fails is told and followed by the next, until one succeeds. */
export class Again {
  readonly #options: AgainOptions
  #first: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: AgainOptions) {
    this.#options = options
  }

  /** Resolves when the first try is over, whatever has come of it: nobody has to end because it failed. */
  begin(): Promise<void> {
    this.#first ??= this.#try()
    return this.#first
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #try(): Promise<void> {
    const { work, failed, pauseMs } = this.#options
    try {
      await work()
    } catch (error) {
      if (this.#isClosed) return
      failed(error)
      this.#timer = setTimeout(() => void this.#try(), pauseMs)
    }
  }
}
