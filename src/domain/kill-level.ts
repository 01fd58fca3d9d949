/**
 * Levels of the kill switch, the weakest first; each stops what the one before it stops, and more:
 * purchases, all orders, and at last what is open is canceled too. Cancels pass at every level.
 */
export const KILL_LEVELS = ['off', 'entries', 'all', 'cancel_all'] as const
export type KillLevel = (typeof KILL_LEVELS)[number]

/** Whether `a` stops more than `b`. */
export const isHigher = (a: KillLevel, b: KillLevel): boolean =>
  KILL_LEVELS.indexOf(a) > KILL_LEVELS.indexOf(b)

/** The levels as people read them, on pages, in refusals and in the audit. */
export const KILL_WORDS: Readonly<Record<KillLevel, string>> = {
  off: '关闭',
  entries: '停止买入',
  all: '停止全部新委托',
  cancel_all: '停止并撤单',
}
