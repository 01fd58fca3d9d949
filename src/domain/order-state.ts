/** Decided here, the broker has not seen it. */
type NotSent = 'initialized' | 'denied'
/** Sent, and not known to be terminal. */
type Open = 'submitted' | 'inDoubt' | 'accepted' | 'partiallyFilled' | 'pendingCancel'
type Closed = 'filled' | 'canceled' | 'rejected' | 'expired'
export type OrderStatus = NotSent | Open | Closed

type Ours = 'deny' | 'submit' | 'doubt' | 'vanish' | 'requestCancel'
type Venues =
  | 'accept'
  | 'reject'
  | 'fillPart'
  | 'fillRest'
  | 'refuseCancel'
  | 'cancel'
  | 'expire'
  | 'absent'
export type OrderEventKind = Ours | Venues

type Row = Partial<Record<OrderEventKind, OrderStatus>>
const FILLS = { fillPart: 'partiallyFilled', fillRest: 'filled' } as const
const ENDS = { cancel: 'canceled', expire: 'expired' } as const
/** The broker took it, and shows it no more. */
const LOST = { vanish: 'inDoubt' } as const

/** The one table of what may follow what. A pair that is absent is refused, never guessed. */
const NEXT: Readonly<Record<OrderStatus, Row>> = {
  initialized: { deny: 'denied', submit: 'submitted' },
  submitted: {
    accept: 'accepted',
    reject: 'rejected',
    doubt: 'inDoubt',
    ...FILLS,
    ...ENDS,
  },
  // Left only by what the broker shows, or by proof that it never got the order or has it no more.
  inDoubt: {
    accept: 'accepted',
    reject: 'rejected',
    absent: 'rejected',
    ...FILLS,
    ...ENDS,
  },
  accepted: { requestCancel: 'pendingCancel', reject: 'rejected', ...LOST, ...FILLS, ...ENDS },
  partiallyFilled: { requestCancel: 'pendingCancel', ...LOST, ...FILLS, ...ENDS },
  pendingCancel: {
    refuseCancel: 'accepted',
    reject: 'rejected',
    ...LOST,
    ...FILLS,
    fillPart: 'pendingCancel',
    ...ENDS,
  },
  canceled: { fillPart: 'canceled', fillRest: 'filled' }, // a fill may overtake the cancel
  // Closed without being seen to end, and then it turns up: the broker has it after all.
  expired: { accept: 'accepted', fillPart: 'expired', fillRest: 'filled' },
  denied: {},
  filled: {},
  // A wrong refusal, or a wrong absence, is corrected by what the broker shows.
  rejected: { accept: 'accepted', fillPart: 'partiallyFilled', fillRest: 'filled' },
}

export const ORDER_STATUSES = Object.keys(NEXT) as readonly OrderStatus[]

/** The status after `event`, or undefined when the table has no such row. */
export function nextStatus(from: OrderStatus, event: OrderEventKind): OrderStatus | undefined {
  return NEXT[from][event]
}

const OPEN: ReadonlySet<OrderStatus> = new Set<Open>([
  'submitted',
  'inDoubt',
  'accepted',
  'partiallyFilled',
  'pendingCancel',
])
export const isOpen = (status: OrderStatus): boolean => OPEN.has(status)
