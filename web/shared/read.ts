import { isToken } from '../../src/domain/token.ts'
import { asFault, Fault, type FaultKind } from './fault.ts'

/** Where a page asks, and as whom. */
export interface Target {
  /** Empty = the origin of the page. */
  readonly base: string
  readonly token: string
  /** Sent as `X-Account-Id` where it matters. */
  readonly accountId: string
  /** Whose page asks, once it knows: its address may serve another account by now. Sent as `X-Page-Account`. */
  readonly pageAccount?: string
}

const READ_TIMEOUT_MS = 8_000

/** Headers of every request. Errors  a fault of the token where it cannot be one: nobody needs to be asked. */
export function headersOf({ token, accountId, pageAccount = '' }: Target): Record<string, string> {
  if (!isToken(token)) throw new Fault('token', '', { code: 'UNAUTHORIZED' })
  return {
    ...(token !== '' && { 'X-API-Token': token }),
    ...(accountId !== '' && { 'X-Account-Id': accountId }),
    ...(pageAccount !== '' && { 'X-Page-Account': pageAccount }),
  }
}

/** The last good answer of something that is read again and again: one of these for each reader of it. */
export interface Kept {
  /** What was asked, and as whom. */
  asked: string
  tag: string
  value: unknown
}
export const nothingKept = (): Kept => ({ asked: '', tag: '', value: undefined })

interface ReadOptions {
  readonly timeoutMs?: number
  /** What has not changed since is not sent again: the value is the same object then. */
  readonly kept?: Kept | undefined
}

/** What has not changed is known by its tag: the browser keeps nothing of its own. */
const asking = (headers: Record<string, string>, timeoutMs: number) =>
  ({ headers, signal: AbortSignal.timeout(timeoutMs), cache: 'no-store' }) as const

/** Reads JSON. Errors  rejects with a {@link Fault}; an answer that is not JSON is a connection fault. */
export async function read<T>(
  target: Target,
  path: string,
  { timeoutMs = READ_TIMEOUT_MS, kept }: ReadOptions = {},
): Promise<T> {
  const asked = JSON.stringify([target, path])
  const known = kept?.asked === asked ? kept : undefined
  try {
    const headers = { ...headersOf(target), ...(known && { 'If-None-Match': known.tag }) }
    const response = await fetch(target.base + path, asking(headers, timeoutMs))
    if (response.status === 304 && known !== undefined) return known.value as T
    const value = await bodyOf<T>(response)
    const tag = response.headers.get('etag')
    if (kept !== undefined)
      Object.assign(kept, tag === null ? nothingKept() : { asked, tag, value })
    return value
  } catch (error) {
    throw asReadFault(error)
  }
}

/** Reads a text, whatever it is of. Errors  as {@link read}; an answer that is no success is the fault that it tells of. */
export async function readText(target: Target, path: string): Promise<string> {
  try {
    const request = asking(headersOf(target), READ_TIMEOUT_MS)
    const response = await fetch(target.base + path, request)
    if (!response.ok) await bodyOf(response)
    return await response.text()
  } catch (error) {
    throw asReadFault(error)
  }
}

/** What is only read has no outcome that nobody knows. */
export function asReadFault(error: unknown): Fault {
  const fault = asFault(error)
  return fault.kind === 'unheard' ? new Fault('late', fault.message, fault) : fault
}

/** The body of an answer, or the fault that it tells of. */
export async function bodyOf<T>(response: Response): Promise<T> {
  const requestId = response.headers.get('x-request-id') ?? ''
  const { status } = response
  if (!(response.headers.get('content-type') ?? '').includes('application/json')) {
    throw new Fault('connection', `HTTP ${status}`, { status, code: 'NOT_JSON', requestId })
  }
  const body = (await response.json()) as T & Refusal
  // A trading client that says no is no failed request: the answer has 200, and tells of it.
  const isRefused = body.success === false || body.status === 'error'
  if (response.ok && !isRefused) return body
  throw new Fault(kindOf(status), body.message ?? body.error ?? `HTTP ${status}`, {
    status,
    requestId,
    code: body.code ?? '',
    details: body.errors ?? [],
    named: body.details ?? {},
  })
}

interface Refusal {
  readonly success?: boolean
  /** Of what is said no to; other answers have other words, or numbers, here. */
  readonly status?: unknown
  readonly message?: string
  readonly error?: string
  readonly code?: string
  readonly errors?: readonly string[]
  readonly details?: Readonly<Record<string, readonly string[]>>
}

function kindOf(status: number): FaultKind {
  if (status === 401) return 'token'
  if (status === 504) return 'unheard'
  return status === 503 || status === 429 ? 'busy' : 'refused'
}
