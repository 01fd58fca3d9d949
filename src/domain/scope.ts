/** What a token may do; each may do what the one before it may: read, trade, and change everything. */
export const SCOPES = ['view', 'trade', 'admin'] as const
export type TokenScope = (typeof SCOPES)[number]

/** Whether a token of scope `held` may do what needs `needed`. */
export const covers = (held: TokenScope, needed: TokenScope): boolean =>
  SCOPES.indexOf(held) >= SCOPES.indexOf(needed)
