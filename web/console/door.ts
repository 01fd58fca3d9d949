import type { Fault } from '../shared/fault.ts'

/**
 * Whether the page may ask: `checking` until the first answer, `token` when the service wants a token, `moved` when
 * its address serves another account by now.
 */
export type Door = 'checking' | 'open' | 'token' | 'moved'

/** The door after a refusal. A page that has moved stays so: only loading it again makes it another account's. */
export function doorAfter(door: Door, { kind, code }: Pick<Fault, 'kind' | 'code'>): Door {
  if (door === 'moved' || code === 'OTHER_ACCOUNT') return 'moved'
  return kind === 'token' ? 'token' : door
}
