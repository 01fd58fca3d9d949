import type { MessagePort } from 'node:worker_threads'

/**
 * A copy with a memory of its own. The codec's bytes lie in a pool, and a port clones the whole
 * memory behind a view: after one message of a megabyte, each small one would cost a megabyte.
 */
export const ownCopy = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

/** Posts the codec's bytes; the copy is handed over, not cloned again. */
export function postBytes(port: MessagePort, bytes: Uint8Array): void {
  const copy = ownCopy(bytes)
  port.postMessage(copy, [copy.buffer])
}

/**
 * Runs `work` when the present callback of the event loop and all promises that it settled have had
 * their turn, and before the next callback: what one cause brings about can leave as one message.
 */
export const atMicrotaskEnd = (work: () => void): void => {
  // A tick that is asked for among microtasks runs once their queue is empty.
  queueMicrotask(() => process.nextTick(work))
}
