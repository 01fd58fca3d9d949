import { createHash, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { NamedToken } from '../../src/config/tokens.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { type Caller, OPERATOR } from '../message/caller.ts'
import type { HttpRequest } from '../message/request.ts'

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

const keptOf = ({ name, hash, scope, accounts, expires }: NamedToken): Kept => ({
  hash: Buffer.from(hash.replace(/^sha256:/, ''), 'hex'),
  caller: { name, scope, accounts: accounts.length === 0 ? undefined : new Set(accounts) },
  expires,
})
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Named tokens, as they are good at the moment. */
export interface TokenSource {
  readonly tokens: readonly NamedToken[]
  /** Tokens are asked for even when there is none left. */
  readonly isKept: boolean
  onChange(listener: () => void): void
}

/** A list is one that never changes. */
export type NamedTokens = readonly NamedToken[] | TokenSource

const isSource = (tokens: NamedTokens): tokens is TokenSource => 'isKept' in tokens

interface SingleTokens {
  /** Empty: none. */
  readonly single: string
  /** Let in where there are named ones and no single one; empty: none. */
  readonly besideNamed: string
}

/** The tokens of a backend, kept as hashes. Looking one up takes the same time for every guess. */
export class TokenBook {
  readonly #wallMs: () => number
  /** The last request and what its token is worth: it is asked for more than once. */
  #last: { readonly request: HttpRequest; readonly verdict: TokenVerdict } | undefined
  readonly #singles: SingleTokens
  #kept: readonly Kept[] = []
  #isSet = false
  readonly #listeners: (() => void)[] = []

  /** `wallMs`: expiry follows the real clock, also while an old day is replayed. */
  constructor(
    single: string,
    named: NamedTokens,
    wallMs: () => number = Date.now,
    besideNamed = '',
  ) {
    this.#wallMs = wallMs
    this.#singles = { single, besideNamed }
    if (isSource(named)) {
      this.#fill(named.tokens, named.isKept)
      named.onChange(() => this.#fill(named.tokens, named.isKept))
    } else this.#fill(named, false)
  }

  /** Without any, only this computer is answered. Once there was one, somebody must have one. */
  get isSet(): boolean {
    return this.#isSet
  }

  /** Calls `listener` after every change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Whether somebody who was let in would be let in now. */
  isStillGood(caller: Caller): boolean {
    if (!this.#isSet) return caller === OPERATOR
    return this.#kept.some((kept) => kept.caller === caller && !this.#isOver(kept))
  }

  #fill(tokens: readonly NamedToken[], isKept: boolean): void {
    const { single, besideNamed } = this.#singles
    const isAsked = this.#isSet || isKept || tokens.length > 0
    const text = single === '' && isAsked ? besideNamed : single
    const before = this.#kept
    this.#last = undefined
    this.#kept = [
      ...(text === '' ? [] : [{ hash: digestOf(text), caller: OPERATOR, expires: '' }]),
      ...tokens.map((token) => {
        const kept = keptOf(token)
        return before.find((known) => isDeepStrictEqual(known, kept)) ?? kept
      }),
    ]
    this.#isSet ||= isKept || this.#kept.length > 0
    for (const listener of this.#listeners) listener()
  }

  #isOver({ expires }: Kept): boolean {
    return expires !== '' && exchangeDay(this.#wallMs()) > expires
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
    return this.#isOver(found)
      ? { kind: 'expired', digest }
      : { kind: 'good', digest, caller: found.caller }
  }
}
