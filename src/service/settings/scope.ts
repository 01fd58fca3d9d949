/** What this process serves: everything, one account in direct mode, or the gateway. */
export type Scope =
  | { readonly kind: 'up' }
  | { readonly kind: 'direct'; readonly accountId: string }
  | { readonly kind: 'gateway' }
