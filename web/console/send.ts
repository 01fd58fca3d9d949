import { asFault, Fault } from '../shared/fault.ts'
import { asReadFault, bodyOf, headersOf, type Target } from '../shared/read.ts'

type Verb = 'POST' | 'PUT' | 'DELETE'

interface SendOptions {
  readonly verb?: Verb
  readonly body?: object
  /** Makes a repeated order the same order. */
  readonly idempotencyKey?: string
  /** It changes nothing, and is asked again: without an answer nothing is in doubt. */
  readonly isQuestion?: boolean
  readonly timeoutMs?: number
}

/** Longer than the service takes for its slowest command, so that its own verdict comes first. */
const SEND_TIMEOUT_MS = 45_000

/**
 * Sends a command. Never repeated by itself: whoever repeats an order does so with the same key.
 *
 * Errors  rejects with a `Fault`.
 */
export async function send<T>(target: Target, path: string, options: SendOptions = {}): Promise<T> {
  const { verb = 'POST', body = {}, idempotencyKey, isQuestion = false } = options
  try {
    const response = await fetch(target.base + path, {
      method: verb,
      headers: {
        ...headersOf(target),
        'Content-Type': 'application/json',
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(options.timeoutMs ?? SEND_TIMEOUT_MS),
    })
    return await bodyOf<T>(response)
  } catch (error) {
    throw isQuestion ? asReadFault(error) : asSentFault(error)
  }
}

/** The service may have had a command whose line broke, and nobody sends it again: it is not told like a read that failed. */
function asSentFault(error: unknown): Fault {
  const fault = asFault(error)
  return fault.kind === 'connection' ? new Fault('unheard', fault.message, fault) : fault
}

const REFUSED = 409
/** Refusals that say nothing of what became of the key before: another page, another order, books that were put back. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'CONFLICT',
  'OTHER_ACCOUNT',
  'IDEMPOTENCY_MISMATCH',
  'RECONCILE_REQUIRED',
])
/**
 * A rule has refused the order, and the service goes on saying so to its key whatever the rules say by then: who tries
 * again needs another one. Every other failure may have sent it, or was no judgement of it: its key stays.
 */
export const isKeySpent = ({ status, code }: Fault): boolean =>
  status === REFUSED && !SAYS_NOTHING.has(code)

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A key for one intent of the operator; repeating the intent uses the same key again. */
export const newKey = (): string =>
  `web-${[...crypto.getRandomValues(new Uint8Array(20))].map((byte) => ALPHABET[byte % 32]).join('')}`
