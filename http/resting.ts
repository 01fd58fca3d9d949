import type { AccountLink } from './service.ts'

/**
 * Whether nothing is sent for an account, no order and no stop, although its trading client may well be connected: it
 * has crashed too often, or its disk or the journal of its cluster takes nothing.
 */
export const isResting = ({
  isReduced,
  isHeld,
  isOutOfRoom,
}: Pick<AccountLink, 'isReduced' | 'isHeld' | 'isOutOfRoom'>): boolean =>
  isReduced || isHeld || isOutOfRoom
