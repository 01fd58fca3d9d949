import t from 'tap'
import {
  isOpen,
  nextStatus,
  ORDER_STATUSES,
  type OrderEventKind,
  type OrderStatus,
} from '../../src/domain/order-state.ts'

const EVENTS = [
  'deny',
  'submit',
  'doubt',
  'vanish',
  'requestCancel',
  'accept',
  'reject',
  'fillPart',
  'fillRest',
  'refuseCancel',
  'cancel',
  'expire',
  'absent',
] as const satisfies readonly OrderEventKind[]

/** Every pair that is allowed. Whatever is not here is refused. */
const ALLOWED: Readonly<Record<OrderStatus, string>> = {
  initialized: 'deny→denied submit→submitted',
  submitted:
    'doubt→inDoubt accept→accepted reject→rejected fillPart→partiallyFilled fillRest→filled cancel→canceled expire→expired',
  inDoubt:
    'accept→accepted reject→rejected fillPart→partiallyFilled fillRest→filled cancel→canceled expire→expired absent→rejected',
  accepted:
    'vanish→inDoubt requestCancel→pendingCancel reject→rejected fillPart→partiallyFilled fillRest→filled cancel→canceled expire→expired',
  partiallyFilled:
    'vanish→inDoubt requestCancel→pendingCancel fillPart→partiallyFilled fillRest→filled cancel→canceled expire→expired',
  pendingCancel:
    'vanish→inDoubt reject→rejected fillPart→pendingCancel fillRest→filled refuseCancel→accepted cancel→canceled expire→expired',
  denied: '',
  filled: '',
  canceled: 'fillPart→canceled fillRest→filled',
  expired: 'accept→accepted fillPart→expired fillRest→filled',
  rejected: 'accept→accepted fillPart→partiallyFilled fillRest→filled',
}

t.test('the table allows these pairs and no other', async (t) => {
  t.strictSame([...ORDER_STATUSES].sort(), Object.keys(ALLOWED).sort())
  for (const from of ORDER_STATUSES) {
    const allowed = EVENTS.flatMap((event) => {
      const to = nextStatus(from, event)
      return to === undefined ? [] : [`${event}→${to}`]
    })
    t.equal(allowed.join(' '), ALLOWED[from], from)
  }
})

t.test(
  'no way leads back to sending, and doubt is left only by what the client shows',
  async (t) => {
    const steps = ORDER_STATUSES.flatMap((from) =>
      EVENTS.map((event) => ({ from, event, to: nextStatus(from, event) })),
    )
    for (const { from, to } of steps) if (to === 'submitted') t.equal(from, 'initialized')
    const doubts = steps.filter(({ to }) => to === 'inDoubt')
    t.strictSame(
      doubts.filter(({ event }) => event !== 'vanish').map(({ from }) => from),
      ['submitted'],
    )
    // The client had it under a number, and shows it no more.
    t.strictSame(
      doubts.filter(({ event }) => event === 'vanish').map(({ from }) => from),
      ['accepted', 'partiallyFilled', 'pendingCancel'],
    )
  },
)

t.test('only the broker, or the end of the day, ends what is open', async (t) => {
  for (const from of ORDER_STATUSES.filter(isOpen)) {
    for (const event of ['doubt', 'requestCancel', 'refuseCancel'] as const) {
      const to = nextStatus(from, event)
      if (to !== undefined) t.ok(isOpen(to), `${from} ${event}`)
    }
  }
})
