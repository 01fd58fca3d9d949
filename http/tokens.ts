import { createHash, timingSafeEqual } from 'node:crypto'
import type { NamedToken } from '../src/config/tokens.ts'
import { exchangeDay } from '../src/domain/exchange-time.ts'
import { type Caller, OPERATOR } from './caller.ts'
import type { HttpRequest } from './request.ts'

const TOKEN_HEADER = 'x-api-token'

/** What the token of a request is worth. */
export type TokenVerdict =
  | { readonly kind: 'none' }
  /** Not one header, but several: whoever reads the first may read another than who reads the last. */
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'wrong' | 'expired'; readonly digest: string }
  | { readonly kind: 'good'; readonly digest: string; readonly caller: Caller }

interface Kept {
  readonly hash: Buffer
  readonly caller: Caller
  readonly expires: string
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The tokens of a backend, kept as hashes. Looking one up takes the same time for every guess. */
export class TokenBook {
  readonly #kept: readonly Kept[]
  readonly #wallMs: () => number
  /** The last request and what its token is worth: it is asked for more than once. */
  #last: { readonly request: HttpRequest; readonly verdict: TokenVerdict } | undefined

  /** `wallMs`: expiry follows the real clock, also while an old day is replayed. */
  constructor(single: string, named: readonly NamedToken[], wallMs: () => number = Date.now) {
    this.#wallMs = wallMs
    this.#kept = [
      ...(single === '' ? [] : [{ hash: digestOf(single), caller: OPERATOR, expires: '' }]),
      ...named.map(({ name, hash, scope, accounts, expires }) => ({
        hash: Buffer.from(hash.replace(/^sha256:/, ''), 'hex'),
        caller: { name, scope, accounts: accounts.length === 0 ? undefined : new Set(accounts) },
        expires,
      })),
    ]
  }

  /** Without any, only this computer is answered. */
  get isSet(): boolean {
    return this.#kept.length > 0
  }

  verdict(request: HttpRequest): TokenVerdict {
    if (this.#last?.request !== request) this.#last = { request, verdict: this.#judge(request) }
    return this.#last.verdict
  }

  #judge({ headers, repeated }: HttpRequest): TokenVerdict {
    const text = headers.get(TOKEN_HEADER) ?? ''
    if (repeated.has(TOKEN_HEADER)) return { kind: 'ambiguous' }
    if (text === '') return { kind: 'none' }
    const given = digestOf(text)
    const digest = given.toString('base64')
    let found: Kept | undefined
    for (const kept of this.#kept) if (timingSafeEqual(kept.hash, given)) found ??= kept
    if (found === undefined) return { kind: 'wrong', digest }
    const isOver = found.expires !== '' && exchangeDay(this.#wallMs()) > found.expires
    return isOver ? { kind: 'expired', digest } : { kind: 'good', digest, caller: found.caller }
  }
}
