import { asFault, Fault } from '../shared/fault.ts'
import { fitting } from '../shared/merged.ts'
import { read, type Target } from '../shared/read.ts'
import type { StatusAnswer, V1 } from '../shared/wire.ts'

/** Where the monitor reads; kept in this browser. */
export interface Connection {
  readonly mode: 'gateway' | 'direct'
  /** Empty = the origin of the page. */
  readonly base: string
  readonly token: string
}

const SAME_ORIGIN: Connection = { mode: 'gateway', base: '', token: '' }

/** What the browser has kept of it; where that is none, the origin of the page. */
export function connectionOf(kept: unknown): Connection {
  const { mode, ...rest } = fitting(SAME_ORIGIN, kept)
  return { ...rest, mode: mode === 'direct' ? mode : 'gateway' }
}

/** The address as it is used: no slash at its end. undefined for what is no address. */
export function cleanBase(text: string): string | undefined {
  const base = text.trim().replace(/\/+$/, '')
  if (base === '') return ''
  return /^https?:\/\/[^\s/]+(\/\S*)?$/i.test(base) ? base : undefined
}

/** A page that came over https may not read an http address, except on this computer. */
export function isMixedContent(pageProtocol: string, base: string): boolean {
  const isLocal = /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i.test(base)
  return pageProtocol === 'https:' && /^http:/i.test(base) && !isLocal
}

export type TestResult =
  | {
      readonly kind: 'gateway'
      readonly total: number
      readonly healthy: number
      readonly hasToken: boolean
    }
  | { readonly kind: 'direct'; readonly accountId: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'fault'; readonly fault: Fault }

const TEST_TIMEOUT_MS = 8_000

/** Asks the backend whether it is there. The gateway answers without a token, so the token is tried as well. */
export async function testConnection({ mode, base, token }: Connection): Promise<TestResult> {
  const target: Target = { base, token, accountId: '' }
  try {
    if (mode === 'direct') {
      const { account } = await read<StatusAnswer>(target, '/api/status', {
        timeoutMs: TEST_TIMEOUT_MS,
      })
      return { kind: 'direct', accountId: account.id }
    }
    const { data } = await read<V1<{ total: number; healthy: number }>>(target, '/api/v1/health', {
      timeoutMs: TEST_TIMEOUT_MS,
    })
    return { kind: 'gateway', ...data, hasToken: await acceptsToken(target) }
  } catch (error) {
    const fault = asFault(error)
    return fault.code === 'TIMEOUT' ? { kind: 'timeout' } : { kind: 'fault', fault }
  }
}

async function acceptsToken(target: Target): Promise<boolean> {
  try {
    await read(target, '/api/accounts', {
      timeoutMs: TEST_TIMEOUT_MS,
    })
    return true
  } catch (error) {
    if (error instanceof Fault && error.kind === 'token') return false
    throw error
  }
}
