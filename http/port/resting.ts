import type { AccountLink } from './service.ts'

/**
 * Whether nothing is sent for an account, no order and no stop, although its trading client may well be connected: it
 * has crashed too often, its disk or the journal of its cluster takes nothing, or a restore waits for a person.
 */
export const isResting = ({
  isReduced,
  isHeld,
  isOutOfRoom,
  isUnconfirmed,
}: Pick<AccountLink, 'isReduced' | 'isHeld' | 'isOutOfRoom' | 'isUnconfirmed'>): boolean =>
  isReduced || isHeld || isOutOfRoom || isUnconfirmed
