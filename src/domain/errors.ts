/** Who must act. The front, the supervisor and the alert rules all read this one table. */
interface Policy {
  readonly status: number
  readonly retry: 'never' | 'later' | 'reconcile-first'
}

/** Every stable code with its HTTP status (docs/domain.md 10.2). Codes are API and never renamed. */
export const POLICY = {
  BAD_REQUEST: { status: 400, retry: 'never' },
  BAD_JSON: { status: 400, retry: 'never' },
  VALIDATION: { status: 400, retry: 'never' },
  CONFIRMATION_NEEDED: { status: 400, retry: 'never' },
  CODE_INVALID: { status: 400, retry: 'never' },
  UNKNOWN_EXCHANGE: { status: 400, retry: 'never' },
  PRICE_TYPE: { status: 400, retry: 'never' },
  PROTECTION_PRICE: { status: 400, retry: 'never' },
  GRID_NO_POSITION: { status: 400, retry: 'never' },
  GRID_NOT_READY: { status: 400, retry: 'never' },
  GRID_SESSION_EXISTS: { status: 400, retry: 'never' },
  GRID_NO_CENTER: { status: 400, retry: 'never' },
  UNAUTHORIZED: { status: 401, retry: 'never' },
  PUBLIC_MODE: { status: 401, retry: 'never' },
  ADDRESS_REFUSED: { status: 403, retry: 'never' },
  FORWARDED_REFUSED: { status: 403, retry: 'never' },
  HOST_REFUSED: { status: 403, retry: 'never' },
  ORIGIN_REFUSED: { status: 403, retry: 'never' },
  SCOPE_REFUSED: { status: 403, retry: 'never' },
  NOT_FOUND: { status: 404, retry: 'never' },
  UNKNOWN_ACCOUNT: { status: 404, retry: 'never' },
  UNKNOWN_ORDER: { status: 404, retry: 'never' },
  UNKNOWN_POSITION: { status: 404, retry: 'never' },
  UNKNOWN_FILL: { status: 404, retry: 'never' },
  UNKNOWN_JOB: { status: 404, retry: 'never' },
  UNKNOWN_GRID_SESSION: { status: 404, retry: 'never' },
  UNKNOWN_TEMPLATE: { status: 404, retry: 'never' },
  METHOD_NOT_ALLOWED: { status: 405, retry: 'never' },
  CONFLICT: { status: 409, retry: 'never' },
  OTHER_ACCOUNT: { status: 409, retry: 'never' },
  NOT_A_REPLAY: { status: 409, retry: 'never' },
  IDEMPOTENCY_MISMATCH: { status: 409, retry: 'never' },
  BUY_NOT_ALLOWED: { status: 409, retry: 'never' },
  SELL_NOT_ALLOWED: { status: 409, retry: 'never' },
  OUTSIDE_SESSION: { status: 409, retry: 'later' },
  KILL_SWITCH: { status: 409, retry: 'later' },
  RECONCILE_REQUIRED: { status: 409, retry: 'later' },
  INSUFFICIENT_CASH: { status: 409, retry: 'never' },
  INSUFFICIENT_SELLABLE: { status: 409, retry: 'never' },
  NO_PRICE: { status: 409, retry: 'later' },
  ORDER_WITHDRAWN: { status: 409, retry: 'never' },
  ORDER_NOT_REPLACED: { status: 409, retry: 'never' },
  ORDER_NOT_CANCELABLE: { status: 409, retry: 'never' },
  ORDER_IN_DOUBT_HELD: { status: 409, retry: 'reconcile-first' },
  ORDER_UNTOLD: { status: 409, retry: 'reconcile-first' },
  LOT_SIZE: { status: 409, retry: 'never' },
  TICK_SIZE: { status: 409, retry: 'never' },
  PRICE_LIMIT: { status: 409, retry: 'never' },
  HALTED: { status: 409, retry: 'later' },
  MAX_ORDER_VALUE: { status: 409, retry: 'never' },
  OTHER_CURRENCY: { status: 409, retry: 'never' },
  MAX_TOTAL_POSITION: { status: 409, retry: 'later' },
  ORDER_RATE: { status: 409, retry: 'later' },
  ORDER_COUNT: { status: 409, retry: 'never' },
  PROTECTIVE_COUNT: { status: 409, retry: 'never' },
  DUPLICATE_ORDER: { status: 409, retry: 'never' },
  PRICE_DEVIATION: { status: 409, retry: 'never' },
  STALE_QUOTE: { status: 409, retry: 'later' },
  BODY_TOO_LARGE: { status: 413, retry: 'never' },
  NOT_JSON: { status: 415, retry: 'never' },
  RATE_LIMITED: { status: 429, retry: 'later' },
  INTERNAL: { status: 500, retry: 'never' },
  NOT_CONNECTED: { status: 503, retry: 'later' },
  ACTOR_RESTARTING: { status: 503, retry: 'later' },
  ACCOUNT_SUSPENDED: { status: 503, retry: 'later' },
  ACCOUNT_PARKED: { status: 503, retry: 'never' },
  MAILBOX_FULL: { status: 503, retry: 'later' },
  OVERLOADED: { status: 503, retry: 'later' },
  STOPPING: { status: 503, retry: 'later' },
  NOT_OWNER: { status: 503, retry: 'later' },
  STORE_FAILED: { status: 503, retry: 'later' },
  DISK_FULL: { status: 503, retry: 'later' },
  DEADLINE_PASSED: { status: 504, retry: 'later' },
  DEADLINE_EXCEEDED: { status: 504, retry: 'reconcile-first' },
  CALL_TIMEOUT: { status: 504, retry: 'reconcile-first' },
} as const satisfies Record<string, Policy>

export type ErrorCode = keyof typeof POLICY

/** The shape in which a failure crosses threads and processes. */
export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  /** Field → texts, for validation; anything else that helps the caller. */
  readonly details?: Readonly<Record<string, readonly string[]>>
}

/**
 * A failure that another part of the system can act on.
 *
 * Shape   `code` is API and never renamed; `message` is for people and may change.
 * Crosses threads as `toWire()`; the stack stays in the log of the thread that threw.
 * A broken invariant is not a ServiceError: throw an assertion and let the supervisor restart.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, readonly string[]>> | undefined

  constructor(
    code: ErrorCode,
    message: string,
    details?: Readonly<Record<string, readonly string[]>>,
    cause?: unknown,
  ) {
    super(message, { cause })
    this.code = code
    this.details = details
  }

  toWire(): WireError {
    const { code, message, details } = this
    return details === undefined ? { code, message } : { code, message, details }
  }

  /** A code of a later release, which has no status here, is told as `INTERNAL`. */
  static fromWire({ code, message, details }: WireError): ServiceError {
    if (Object.hasOwn(POLICY, code)) return new ServiceError(code, message, details)
    return new ServiceError('INTERNAL', `${code}: ${message}`, details)
  }
}
