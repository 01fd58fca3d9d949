/** What comes from the other nodes. Nothing of it may throw. */
export interface QuoteExchangeEvents {
  /** A message about a code that is listened to. */
  readonly quote: (code: string, bytes: Uint8Array) => void
  /** What some node wants. Absent: nobody here has quotes to give. */
  readonly wants?: (bytes: Uint8Array) => void
  /** The servers are there, for the first time or again: what was told meanwhile is lost. */
  readonly opened: () => void
}

/**
 * Quotes between the nodes of a cluster. Whatever is sent may be lost, and is never sent later: the next quote is
 * worth more. Belongs on a connection of its own, so that a burst harms no order.
 */
export interface QuoteExchange {
  /** Whether what is sent now leaves now. */
  readonly isOpen: boolean
  /** Begins; the servers are tried for as long as it takes. */
  open(events: QuoteExchangeEvents): void
  /** Quotes of this code from now on. */
  listen(code: string): void
  ignore(code: string): void
  /** Quotes of a code that come close together are one: the newest. */
  sendQuote(code: string, bytes: Uint8Array): void
  sendWants(bytes: Uint8Array): void
  close(): Promise<void>
}
