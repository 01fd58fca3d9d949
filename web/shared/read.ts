import { asFault, Fault, type FaultKind } from './fault.ts'

/** Where a page asks, and as whom. */
export interface Target {
  /** Empty = the origin of the page. */
  readonly base: string
  readonly token: string
  /** Sent as `X-Account-Id` where it matters. */
  readonly accountId: string
}

const READ_TIMEOUT_MS = 8_000

/** Headers of every request. */
export function headersOf({ token, accountId }: Target): Record<string, string> {
  return {
    ...(token !== '' && { 'X-API-Token': token }),
    ...(accountId !== '' && { 'X-Account-Id': accountId }),
  }
}

/** Reads JSON. Errors  rejects with a {@link Fault}; an answer that is not JSON is a connection fault. */
export async function read<T>(
  target: Target,
  path: string,
  timeoutMs = READ_TIMEOUT_MS,
): Promise<T> {
  try {
    const response = await fetch(target.base + path, {
      headers: headersOf(target),
      signal: AbortSignal.timeout(timeoutMs),
      cache: 'no-store',
    })
    return await bodyOf<T>(response)
  } catch (error) {
    throw asFault(error)
  }
}

/** Reads a text, whatever it is of. Errors  as {@link read}; an answer that is no success is the fault that it tells of. */
export async function readText(target: Target, path: string): Promise<string> {
  try {
    const response = await fetch(target.base + path, {
      headers: headersOf(target),
      signal: AbortSignal.timeout(READ_TIMEOUT_MS),
      cache: 'no-store',
    })
    if (!response.ok) await bodyOf(response)
    return await response.text()
  } catch (error) {
    throw asFault(error)
  }
}

/** The body of an answer, or the fault that it tells of. */
export async function bodyOf<T>(response: Response): Promise<T> {
  const requestId = response.headers.get('x-request-id') ?? ''
  const { status } = response
  if (!(response.headers.get('content-type') ?? '').includes('application/json')) {
    throw new Fault('connection', `HTTP ${status}`, { status, code: 'NOT_JSON', requestId })
  }
  const body = (await response.json()) as T & Refusal
  if (response.ok && body.success !== false) return body
  throw new Fault(kindOf(status), body.message ?? body.error ?? `HTTP ${status}`, {
    status,
    requestId,
    code: body.code ?? '',
    details: body.errors ?? [],
  })
}

interface Refusal {
  readonly success?: boolean
  readonly message?: string
  readonly error?: string
  readonly code?: string
  readonly errors?: readonly string[]
}

function kindOf(status: number): FaultKind {
  if (status === 401) return 'token'
  return status === 503 || status === 429 ? 'busy' : 'refused'
}
