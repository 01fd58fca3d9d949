/** What can go wrong with a request, as a person has to deal with it. */
export type FaultKind =
  /** No answer, or one that is not of this service. */
  | 'connection'
  /** No token, or a wrong one. */
  | 'token'
  /** The account is restarting or the service is busy: it will be there in a moment. */
  | 'busy'
  /** A read that was not answered in time: it is asked again. */
  | 'late'
  /** An action that was not answered in time: it may be done all the same. */
  | 'unheard'
  /** The service understood and said no. */
  | 'refused'

/** A failed request. `message` is the service's own sentence where there is one. */
export class Fault extends Error {
  readonly kind: FaultKind
  readonly status: number
  /** Stable code of the service, empty when there is none. */
  readonly code: string
  readonly requestId: string
  readonly details: readonly string[]
  /** The same by the names of fields, and what else the service says by name. */
  readonly named: Readonly<Record<string, readonly string[]>>

  constructor(
    kind: FaultKind,
    message: string,
    facts: Partial<Pick<Fault, 'status' | 'code' | 'requestId' | 'details' | 'named'>> = {},
  ) {
    super(message)
    this.name = 'Fault'
    this.kind = kind
    this.status = facts.status ?? 0
    this.code = facts.code ?? ''
    this.requestId = facts.requestId ?? ''
    this.details = facts.details ?? []
    this.named = facts.named ?? {}
  }
}

/** Whatever was thrown, as a fault: a request that failed before it had an answer is one of the connection. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  const { name = '', message = '' } = error instanceof Error ? error : {}
  return new Fault('connection', message, { code: name === 'TimeoutError' ? 'TIMEOUT' : '' })
}
