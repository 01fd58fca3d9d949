/**
 * Runs `work` when the present callback of the event loop and all promises that it settled have had
 * their turn, and before the next callback: what one cause brings about can leave as one message.
 */
export const atTurnEnd = (work: () => void): void => {
  // A tick that is asked for among microtasks runs once their queue is empty.
  queueMicrotask(() => process.nextTick(work))
}
