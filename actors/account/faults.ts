import type { AccountControl } from '../../src/protocol/account.ts'

type Fault = Extract<AccountControl, { kind: 'fault' }>['fault']

/** Breaks the running thread in a chosen way, so that tests can see it restarted alone. */
export function commit(fault: Fault): void {
  if (fault === 'throw') {
    setImmediate(() => {
      throw new Error('fault injected by a test')
    })
  } else if (fault === 'loop') {
    for (;;);
  } else {
    const hoard: object[] = []
    for (;;) hoard.push({ text: String(hoard.length), list: [hoard.length] })
  }
}
