import type { Driver } from '../../src/ports/driver.port.ts'
import type { AccountStore } from '../../src/ports/store.port.ts'
import type { AccountControl } from '../../src/protocol/account.ts'
import type { DriverCommand, DriverEvent } from '../../src/protocol/driver.ts'

type Fault = AccountControl['fault']

/** A step of the order protocol at which a test has the whole process killed, as by `kill -9`. */
export type CrashPoint =
  /** Before or after the commit that holds the first journal entry of this kind. */
  | { readonly at: 'beforeCommit' | 'afterCommit'; readonly kind: string }
  /** Before or after the first command of this kind is sent to the broker. */
  | { readonly at: 'beforeCall' | 'afterCall'; readonly kind: DriverCommand['kind'] }
  /** When the first event of this kind arrives, before the account has seen it. */
  | { readonly at: 'onEvent'; readonly kind: DriverEvent['kind'] }

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

/** Nothing of this process runs after it. */
function die(): never {
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}

/** The store of an account that dies at a commit. */
export function crashingStore(store: AccountStore, { at, kind }: CrashPoint): AccountStore {
  return {
    open: (tables) => store.open(tables),
    range: (query) => store.range(query),
    clientAhead: async (clientEpoch) => store.clientAhead?.(clientEpoch),
    commit: async (commit) => {
      const isMeant = commit.entries.some((entry) => entry.kind === kind)
      if (isMeant && at === 'beforeCommit') die()
      await store.commit(commit)
      if (isMeant && at === 'afterCommit') die()
    },
  }
}

/** The driver of an account that dies at a command or an event. */
export function crashingDriver(driver: Driver, { at, kind }: CrashPoint): Driver {
  return {
    open: (sink) =>
      driver.open((event) => {
        if (at === 'onEvent' && event.kind === kind) die()
        sink(event)
      }),
    send: (command, untilMs) => {
      if (at === 'beforeCall' && command.kind === kind) die()
      driver.send(command, untilMs)
      if (at === 'afterCall' && command.kind === kind) die()
    },
    close: () => driver.close(),
  }
}
