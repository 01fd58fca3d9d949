import type { Fault } from '../shared/fault.ts'

/** What the page has to say: that something was done, or why it was not. */
export interface Notice {
  readonly id: number
  readonly text: string
  readonly fault?: Fault | undefined
  /** It stays until somebody closes it, as a fault does: something was done, and may not do what was meant. */
  readonly isLasting?: boolean
}

/** So many at once say that something was done; each goes by itself. */
const DONE_MAX = 4
/** A fault stays until somebody closes it; so many different ones are a page of their own. */
const FAULTS_MAX = 20

/** With one more at the end. What was done makes room for what was done, never a fault; a fault that comes again is one. */
export function withNotice(notices: readonly Notice[], one: Notice): readonly Notice[] {
  const isFault = one.fault !== undefined
  const rest = isFault ? notices.filter((other) => !isSameFault(other, one)) : notices
  const all = [...rest, one]
  const surplus = all.filter(({ fault }) => (fault !== undefined) === isFault).length
  if (surplus <= (isFault ? FAULTS_MAX : DONE_MAX)) return all
  const oldest = all.findIndex(({ fault }) => (fault !== undefined) === isFault)
  return all.toSpliced(oldest, 1)
}

const isSameFault = (other: Notice, one: Notice): boolean =>
  other.fault !== undefined && other.text === one.text && other.fault.code === one.fault?.code
