import type { TokenScope } from '../../src/domain/scope.ts'

/** Who a request comes from, once its token is known. */
export interface Caller {
  /** Of a named token; empty for the single token and for the operator on this computer. */
  readonly name: string
  readonly scope: TokenScope
  /** The only accounts that it may see; undefined = all. */
  readonly accounts: ReadonlySet<string> | undefined
}

/** The single token of a backend, and the operator on this computer where there is no token. */
export const OPERATOR: Caller = { name: '', scope: 'admin', accounts: undefined }
