import { setTimeout as delay } from 'node:timers/promises'
import { steadyMs } from '../../runtime/steady.ts'

/** What threads of this process may be waiting in: files, and the names of other computers. */
const IN_THREADS: ReadonlySet<string> = new Set([
  'FSReqPromise',
  'FSReqCallback',
  'GetAddrInfoReqWrap',
])
/** A drive that answers has answered by then. */
const PATIENCE_MS = 500
const LOOK_MS = 10

const isAwaited = (): boolean =>
  process.getActiveResourcesInfo().some((name) => IN_THREADS.has(name))

/**
 * Ends this process. Node waits for its threads when it exits: one that stands in a drive which does not answer keeps the
 * process, which serves nobody any more, for ever, and whoever would start it anew sees that it runs. It is killed then.
 * `isStuck`: a thread of the service stands so.
 */
export function leave(code: number, isStuck = false): never {
  if (isStuck || isAwaited()) process.kill(process.pid, 'SIGKILL')
  process.exit(code)
}

/** The same for who has time: with the exit code, unless something really hangs. Resolves never. */
export async function leaveInOrder(code: number): Promise<never> {
  const endMs = steadyMs() + PATIENCE_MS
  while (isAwaited() && steadyMs() < endMs) await delay(LOOK_MS)
  return leave(code)
}
