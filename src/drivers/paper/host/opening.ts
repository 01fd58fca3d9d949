import type { PaperStore } from '../store.ts'

/** What is told to the account, and to the log. */
export const NOT_OPENED =
  '内置模拟客户端的账簿无法打开，每次连接时再试 (the books of the embedded client cannot be opened; tried again with each connection)'

export interface OpeningOptions {
  /** Throws while they cannot be opened, as where rights, space or descriptors are missing. */
  readonly openStore: () => PaperStore
  /** Hears why they are not open, once for each reason in a row. */
  readonly notOpened: (reason: string) => void
}

/** The books of one account until they are open, and then: what is missing for them is not missing for the other accounts. */
export class Opening {
  readonly #options: OpeningOptions
  #store: PaperStore | undefined
  #reason = ''

  /** Tries it at once. */
  constructor(options: OpeningOptions) {
    this.#options = options
    this.tried()
  }

  /** Undefined while they are not open: nothing is decided then. */
  get store(): PaperStore | undefined {
    return this.#store
  }

  /** Why they are not, in words. */
  get problem(): string {
    return `${NOT_OPENED}: ${this.#reason}`
  }

  /** As {@link store}, after another try. */
  tried(): PaperStore | undefined {
    try {
      this.#store ??= this.#options.openStore()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== this.#reason) this.#options.notOpened(reason)
      this.#reason = reason
    }
    return this.#store
  }
}
