import type { Mutant } from './mutant.ts'

const PROPERTY = [
  'test/account/orders/order-queue-property.test.ts',
  'whatever people, stops and clocks do: so many a second, in order, each answered once, none late',
] as const

/** Orders that wait for their turn. */
export const QUEUE_MUTANTS: readonly Mutant[] = [
  {
    id: 'queued-order-leaves-late',
    cost: 'whoever gave up and placed another order has two',
    file: 'src/account/orders/order-queue.ts',
    text: '  const passed = state.queue.filter((order) => isPassed(turn, order))\n',
    becomes: '  const passed = state.queue.filter((order) => !isPassed && order)\n',
    test: PROPERTY,
  },
  {
    id: 'decision-of-before-the-sleep-leaves',
    cost: 'a stop that was decided before the computer slept is sent hours later, at the price of then',
    file: 'actors/account/client-calls.ts',
    text: '    return leftMs < 0 ? TOO_OLD : undefined\n',
    becomes: '    return leftMs < -1e9 ? TOO_OLD : undefined\n',
    test: [
      'test/actors/decision-age.test.ts',
      'F528 a stop that the computer slept over is never sent',
    ],
  },
  {
    id: 'sleep-is-decided-anew-at-once',
    cost: 'what was ended for its age is decided again in the same moment, on the quote of before the sleep, and leaves',
    file: 'src/account/orders/pace.ts',
    text: '  if (leftMs > 0 && inputs.quote(code)?.timeMs === last.quoteMs) return leftMs\n',
    becomes: '',
    test: [
      'test/actors/decision-age.test.ts',
      'F528 a stop that the computer slept over is never sent',
    ],
  },
  {
    id: 'sleep-of-the-steady-clock',
    cost: 'the same, where the steady clock stands still while the computer sleeps',
    file: 'actors/account/decision-age.ts',
    text: 'Math.max(now.monotonicMs - monotonicMs, now.wallMs - wallMs)',
    becomes: 'Math.min(now.monotonicMs - monotonicMs, now.wallMs - wallMs)',
    test: [
      'test/actors/decision-age.test.ts',
      'F528 a stop that the computer slept over is never sent',
    ],
  },
  {
    id: 'never-sent-rest-is-lost',
    cost: 'half of a first take-profit stays, because its rest could not leave in time',
    file: 'src/account/fold/order-fold.ts',
    text: '    : { ...order, isTooLate: true, isReorderWanted: true }\n',
    becomes: '    : { ...order, isTooLate: true }\n',
    test: [
      'test/account/strategies/stop-profit/too-late.test.ts',
      'F529 what was never sent of an order is sent again, once',
    ],
  },
  {
    id: 'queue-is-a-stack',
    cost: 'what was asked for first is sent last, at another price',
    file: 'src/account/orders/order-queue.ts',
    text: '  return queue.shift()\n',
    becomes: '  return queue.pop()\n',
    test: PROPERTY,
  },
  {
    id: 'sleep-is-no-wait',
    cost: 'a computer that wakes in the afternoon sends the orders of the morning',
    file: 'src/account/orders/order-queue.ts',
    text: "(state.policy.tempo === 'real' && inputs.nowMs > until.nowMs)",
    becomes: "(state.policy.tempo === 'exact' && inputs.nowMs > until.nowMs)",
    test: [
      'test/account/orders/order-queue.test.ts',
      'a computer that slept sends nothing of the morning in the evening',
    ],
  },
  {
    id: 'restart-forgets-the-queue',
    cost: 'a batch that was promised is lost at a restart, and nobody is told',
    file: 'src/account/orders/order-queue.ts',
    text: '    leaveBatch(turn, key, queued, { reason })\n',
    becomes: '',
    test: [
      'test/account/orders/order-queue.test.ts',
      'a restart drops what was queued, says so, and sends nothing by itself',
    ],
  },
  {
    id: 'stop-waits-for-people',
    cost: 'a stop-loss comes a second late because somebody bought',
    file: 'src/account/orders/order-rate.ts',
    text: '  if (isProtectiveWish(order)) return 0\n',
    becomes: '',
    test: [
      'test/account/strategies/rate.test.ts',
      'while the strategies may act one place of each second is kept for a stop',
    ],
  },
  {
    id: 'stop-has-no-next-place',
    cost: 'while people trade a stop that found no place finds none in the next second either',
    file: 'src/account/orders/order-rate.ts',
    text: '    if ((held.isProtective || !isOwn) && isFresh(turn, held)) return rateOf(state)\n',
    becomes: '',
    test: [
      'test/account/strategies/rate.test.ts',
      'many stops at once: so many a second, before all orders of people, none lost',
    ],
  },
  {
    id: 'full-second-is-a-failed-try',
    cost: 'the rest of a stop is given up because the second was full three times',
    file: 'src/account/orders/follow-up.ts',
    text: "if (code === 'ORDER_RATE' && untilMs !== undefined) {",
    becomes: "if (code === 'ORDER_COUNT' && untilMs !== undefined) {",
    test: [
      'test/account/strategies/rate.test.ts',
      'the rest of a canceled order that finds no place is tried again until it has one',
    ],
  },
  {
    id: 'gone-caller-has-an-order',
    cost: 'a script whose connection broke asks again with another key and has two orders',
    file: 'actors/account/requesters.ts',
    text: '      if (waiting.placing !== undefined) placing.push(waiting.placing)\n',
    becomes: '',
    test: [
      'test/actors/deadline.test.ts',
      'an order that waits for its turn is not sent once its caller has gone',
    ],
  },
  {
    id: 'late-turn-is-a-late-start',
    cost: 'of a batch only what leaves in the first four seconds is sent, and the rest is written down as refused',
    file: 'actors/account/requesters.ts',
    text: '      Object.assign(waiting, this.#lateAfter(waiting.startMs))\n',
    becomes: '',
    test: [
      'test/actors/deadline.test.ts',
      'an order that was begun in time is sent when its turn comes, however late that is',
    ],
  },
  {
    id: 'key-of-several-is-unknown',
    cost: 'who lost the answer to a purchase is told that it never came, and buys again under another key',
    file: 'src/account/commands/find-order.ts',
    text: '  if (batch !== undefined) return ofBatch(state, key, batch)\n',
    becomes: '  void batch\n',
    test: [
      'test/account/commands/find-order.test.ts',
      'F461 the key of a request for several tells of its orders, also of those that wait',
    ],
  },
  {
    id: 'withdrawn-key-buys-several',
    cost: 'a purchase that was given up arrives late, and is made beside the next one',
    file: 'src/account/orders/manual.ts',
    text: '  mustStand(turn, request)\n',
    becomes: '',
    test: [
      'test/account/orders/withdraw-key.test.ts',
      'F545 a purchase of several stocks under a withdrawn key buys nothing',
    ],
  },
  {
    id: 'withdrawn-key-of-several',
    cost: 'of several orders those that have left count as never come, and are bought again under another key',
    file: 'src/account/orders/withdraw-key.ts',
    text: '  mustBeOfOne(state, key, parts) // before anything is taken out of the queue\n',
    becomes: '',
    test: [
      'test/account/orders/withdraw-key.test.ts',
      'F549 the key of several orders of which some wait is a conflict, and they wait on',
    ],
  },
]
