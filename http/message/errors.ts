import { saidOf } from '../../src/domain/error-words.ts'
import { POLICY, ServiceError } from '../../src/domain/errors.ts'
import { exchangeTime } from '../../src/domain/exchange-time.ts'
import { withBoth } from './in-both.ts'
import { json, type Reply } from './reply.ts'

export type Backend = 'direct' | 'gateway'

/** A refusal that knows more for the client than its code: a header such as `Allow` or `Retry-After`. */
export class Refusal extends ServiceError {
  readonly headers: Readonly<Record<string, string>>

  constructor(error: ServiceError, headers: Readonly<Record<string, string>>) {
    super(error.code, error.message, error.details)
    this.headers = headers
  }
}

/** Field → texts into the error that a validation answers with. */
export const invalid = (
  details: Readonly<Record<string, readonly string[]>>,
  code: 'VALIDATION' | 'CODE_INVALID' | 'UNKNOWN_EXCHANGE' = 'VALIDATION',
): ServiceError => new ServiceError(code, Object.values(details).flat().join('; '), details)

/** What went wrong, for a stream that goes on. */
export const failureOf = (error: unknown): ServiceError =>
  error instanceof ServiceError
    ? error
    : new ServiceError('INTERNAL', error instanceof Error ? error.message : 'unknown error')

export interface ErrorContext {
  readonly backend: Backend
  /** Epoch milliseconds of the market clock. */
  readonly nowMs: number
  /** For 429 and 503 when the refusal does not say it better. */
  readonly retryAfterSeconds: number
}

/** The one error body of the service (docs/domain.md 10.2), with the status of its code. */
export function errorReply(
  error: ServiceError,
  { backend, nowMs, retryAfterSeconds }: ErrorContext,
): Reply {
  const { code, details } = error
  const message = saidOf(error)
  const { status } = POLICY[code]
  const isValidation = code === 'VALIDATION' || (details !== undefined && status === 400)
  const body = {
    success: false,
    status: 'error',
    error: message,
    ...withBoth({ message }),
    detail: message,
    code,
    ...(backend === 'gateway' && { data: null }),
    ...(isValidation && {
      errors: details === undefined ? [message] : Object.values(details).flat(),
      details: details ?? {},
    }),
    // Which order it is about, say.
    ...(!isValidation && details !== undefined && { details }),
    timestamp: exchangeTime(nowMs),
  }
  const retry =
    status === 429 || status === 503 ? { 'Retry-After': String(retryAfterSeconds) } : undefined
  return json(status, body, { ...retry, ...(error instanceof Refusal && error.headers) })
}
