import type { Fault } from '../shared/fault.ts'

/** What the page has to say: that something was done, or why it was not. */
export interface Notice {
  readonly id: number
  readonly text: string
  readonly fault?: Fault | undefined
  /** Of a fault: what was not done by it, or may not be. */
  readonly what?: readonly string[]
  /** It stays until somebody closes it, as a fault does: something was done, and may not do what was meant. */
  readonly isLasting?: boolean
}

/**
 * How many of each kind at once. What says that something was done goes by itself. The others stay until somebody closes
 * them; so many different ones are a page of their own.
 */
const MOST = { done: 4, lasting: 20, fault: 20 } as const

const kindOf = ({ fault, isLasting = false }: Notice): keyof typeof MOST =>
  fault !== undefined ? 'fault' : isLasting ? 'lasting' : 'done'

/**
 * With one more at the end. Each makes room for its own kind alone. A fault that comes again is one: what else it befell
 * is written below it, where it stands, so that nobody has the rest read aloud again; what it befell once more is new.
 */
export function withNotice(notices: readonly Notice[], one: Notice): readonly Notice[] {
  const at = notices.findIndex((other) => isSameFault(other, one))
  const known = notices[at]
  const what = [...new Set([...(known?.what ?? []), ...(one.what ?? [])])]
  if (known !== undefined && what.length > (known.what?.length ?? 0)) {
    return notices.with(at, { ...known, what })
  }
  const others = notices.filter((other) => other !== known)
  const all = [...others, what.length === 0 ? one : { ...one, what }]
  const kind = kindOf(one)
  const isOfKind = (other: Notice) => kindOf(other) === kind
  if (all.filter(isOfKind).length <= MOST[kind]) return all
  return all.toSpliced(all.findIndex(isOfKind), 1)
}

const isSameFault = (other: Notice, one: Notice): boolean =>
  other.fault !== undefined &&
  other.text === one.text &&
  other.fault.code === one.fault?.code &&
  isNamed(other) === isNamed(one)
const isNamed = ({ what = [] }: Notice): boolean => what.length > 0
