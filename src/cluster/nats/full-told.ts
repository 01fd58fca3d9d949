import { isFull } from './engine-error.ts'

/**
 * Hears every call to the servers that has failed, and tells of those that found no room: at most once within `everyMs`, because
 * what found none is tried again, by every account. `nowMs`: of a steady clock.
 */
export function fullTold(
  tell: (text: string) => void,
  { everyMs, nowMs }: { readonly everyMs: number; readonly nowMs: () => number },
): (error: unknown) => void {
  let nextMs = Number.NEGATIVE_INFINITY
  return (error) => {
    if (!isFull(error) || nowMs() < nextMs) return
    nextMs = nowMs() + everyMs
    tell(error.message)
  }
}
