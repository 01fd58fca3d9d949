import { type EventEmitter, once } from 'node:events'
import type { MessagePort } from 'node:worker_threads'

/**
 * How long a test waits for what must come: for something that never comes, not for a slow computer.
 * Nothing is measured with it. `npm run mutants` sets a shorter one, after it has seen that it is enough.
 */
export const PATIENCE_MS = Number(process.env['STEWARD_TEST_PATIENCE_MS'] ?? 120_000)

/** What is awaited, or a failure that says what did not come. A test that only waits would hang. */
export async function inTime<T>(awaited: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const error = new Error(`waited in vain for ${what}`) // here, so that its stack names the test
  const timer = setTimeout(() => late.reject(error), PATIENCE_MS)
  try {
    return await Promise.race([awaited, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The arguments of the next event of this name. */
export const heard = (
  emitter: EventEmitter | EventTarget | MessagePort,
  name: string,
): Promise<unknown[]> => inTime(once(emitter as EventEmitter, name), `the event "${name}"`)

/** Turns of the event loop until something is so. */
export async function turnsUntil(isSo: () => boolean, what: string): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
