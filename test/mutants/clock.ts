import type { Mutant } from './mutant.ts'

/** What time it is, what day, and whether there is room to write. */
export const CLOCK_MUTANTS: readonly Mutant[] = [
  {
    id: 'sleep-is-no-time',
    cost: 'a stop is decided on a quote of before the computer slept, hours ago',
    file: 'src/market/clock.ts',
    text: 'isSleep(upMs, passedMs) ? upMs - passedMs : 0',
    becomes: 'isSleep(upMs, passedMs) ? 0 : 0',
    test: [
      'test/market/clock.test.ts',
      'F536 what the computer has slept counts before anybody has looked',
    ],
  },
  {
    id: 'future-quotes-are-fresh',
    cost: 'a clock that is set back makes an old price one of now, and a stop sells at it',
    file: 'src/domain/risk.ts',
    text: '  if (quote.timeMs - nowMs > quoteAheadMs) return',
    becomes: '  if (quote.timeMs - nowMs > quoteAheadMs + 86_400_000) return',
    test: [
      'test/account/strategies/stop-profit/old-quote.test.ts',
      'F826 nor of one of the future: the clock was set back over it',
    ],
  },
  {
    id: 'jump-is-followed',
    cost: 'a clock that is wrong for seconds opens a day; keys are forgotten and sell again',
    file: 'src/market/checked-clock.ts',
    text: '  if (followedMs >= clockStopMs || Math.abs(offMs) >= clockStopMs) return doubted(here)\n',
    becomes: '',
    test: [
      'test/market/checked-clock.test.ts',
      'F17 a clock that jumps and comes back is not followed, there or back',
    ],
  },
  {
    id: 'morning-waits-as-the-night',
    cost: 'a login at nine is noticed half an hour later: the stops sleep through the opening',
    file: 'src/account/model/connection.ts',
    text: 'Math.min(backOff, sessionWaitMs(policy, sight), TIMER_MS_MAX)',
    becomes: 'Math.min(backOff, TIMER_MS_MAX)',
    test: [
      'test/account/client/morning.test.ts',
      'F94 whatever the back-off has become, a wait in the hours of the exchange is short',
    ],
  },
  {
    id: 'overtaken-quotes-count',
    cost: 'a price of an hour ago, told late, sells shares that cost more now',
    file: 'src/market/quote-board.ts',
    text: '    return timeMs < standingMs && Math.abs(nowMs - standingMs) <= withinMs\n',
    becomes: '    return timeMs < standingMs && Math.abs(nowMs - standingMs) > withinMs\n',
    test: [
      'test/market/wrong-clock.test.ts',
      'live: a quote that was overtaken on its way moves nothing',
    ],
  },
  {
    id: 'noon-proves-a-wrong-clock',
    cost: 'a clock that is set wrong in the morning is believed at noon: no stop is judged in the afternoon',
    file: 'src/market/checked-clock.ts',
    text: 'if (silentMs === undefined || (isTraded && !isQuoted(marketMs))) return silentMs',
    becomes: 'if (silentMs === undefined) return silentMs',
    test: [
      'test/market/checked-clock.test.ts',
      'F757 nor does noon or night let it in, in which there are no quotes',
    ],
  },
  {
    id: 'restart-proves-a-wrong-clock',
    cost: 'a crash while the clock is wrong makes it the time of the market: quotes of now are of the future',
    file: 'src/market/checked-clock.ts',
    text: '  if (upMs >= 0) return Math.abs(wallMs - known.timeMs - upMs) < clockStopMs\n',
    becomes:
      '  if (upMs >= 0 && Math.abs(wallMs - known.timeMs - upMs) < clockStopMs) return true\n',
    test: [
      'test/market/checked-clock.test.ts',
      'F790 a start by a clock that was set while the computer was up needs a proof',
    ],
  },
  {
    id: 'silence-proves-a-wrong-clock',
    cost: 'a clock that is set wrong while a terminal is away is believed for good: no stop is judged',
    file: 'src/market/checked-clock.ts',
    text: '    return { clock: { ...clock, unproven: { offMs, stream: undefined } }, news }\n',
    becomes: '    return { clock, news }\n',
    test: [
      'test/market/unproven-clock.test.ts',
      'F827 a wall that was believed for want of quotes is given up for those of now',
    ],
  },
  {
    id: 'small-jumps-add-up',
    cost: 'many small jumps move the day as one large one would',
    file: 'src/market/checked-clock.ts',
    text: '  const followedMs = leftMs + Math.abs(shiftMs)\n',
    becomes: '  const followedMs = Math.abs(shiftMs) + 0 * leftMs\n',
    test: [
      'test/market/checked-clock.test.ts',
      'F17 small jumps that add up are a large one; drift is none',
    ],
  },
  {
    id: 'start-believes-the-wall',
    cost: 'a start with a wrong clock begins on another day',
    file: 'src/market/checked-clock.ts',
    text: 'if (known === undefined || isExpected(known, reading, rules)) return',
    becomes:
      'if (known === undefined || isExpected(known, reading, rules) || known.timeMs > 0) return',
    test: [
      'test/market/checked-clock.test.ts',
      'a start knows what time it was: a later day must be proved',
    ],
  },
  {
    id: 'keys-pruned-by-a-day-to-come',
    cost: 'a day that came too early makes the account forget its keys',
    file: 'src/account/model/days.ts',
    text: '  return Number.isNaN(livedMs) ? calendarMs : Math.min(calendarMs, livedMs)\n',
    becomes: '  return Number.isNaN(livedMs) ? calendarMs : Math.max(calendarMs, 0 * livedMs)\n',
    test: [
      'test/account/turn/wrong-day.test.ts',
      'what is kept as a day opens: days of the calendar, and days lived through',
    ],
  },
  {
    id: 'counted-by-the-day-that-is-open',
    cost: 'a day that came too early counts the orders of the day anew',
    file: 'src/account/model/days.ts',
    text: '  return today < day ? today : day\n',
    becomes: '  return today === "" ? today : day\n',
    test: [
      'test/account/turn/wrong-day.test.ts',
      'F17 a day that came too early changes no key, count or list, while the wrong day is open',
    ],
  },
  {
    id: 'any-clock-takes-a-day-back',
    cost: 'a replay that repeats a day opens it again, and forgets what it has done',
    file: 'src/account/step.ts',
    text: '    if (!isSure) return\n',
    becomes: '    if (!isSure && state.day === "") return\n',
    test: [
      'test/account/turn/wrong-day.test.ts',
      'a day is taken back by a clock that was checked, and by no other',
    ],
  },
  {
    id: 'orders-on-a-full-disk',
    cost: 'the last room is filled with new orders, and then nobody can cancel',
    file: 'src/account/commands/served.ts',
    text: '  if (isDiskLow === true && !WITH_LOW_DISK.has(kind)) {\n',
    becomes: '  if (isDiskLow === true && kind === undefined) {\n',
    test: [
      'test/account/disk-low.test.ts',
      'below the floor nothing new is taken, and nothing is written about it',
    ],
  },
  {
    id: 'late-command-is-executed',
    cost: 'an order leaves whose caller was told long ago that it did not',
    file: 'actors/account/requesters.ts',
    text: 'if (waiting === undefined || !this.#isLate(waiting)) return false',
    becomes: 'if (waiting === undefined || !this.#isLate(waiting) || ref > 0) return false',
    test: [
      'test/actors/deadline.test.ts',
      'a command that is taken up after its deadline is not executed, and its key is free',
    ],
  },
  {
    id: 'end-stays-at-home',
    cost: 'an order of a process that was stopped before its write is placed when others have the account',
    file: 'src/drivers/terminal/sidecar-client.ts',
    text: 'untilMs === undefined ? call : { ...call, until: Math.round(untilMs) }',
    becomes: 'untilMs === null ? { ...call, until: Math.round(untilMs) } : call',
    test: [
      'test/drivers/xt/late.test.ts',
      'an order whose end lay before it was even sent is not placed by the sidecar',
    ],
  },
  {
    id: 'call-outlives-the-lease',
    cost: 'a trading client takes an order of a computer whose lease ran out on the way',
    file: 'actors/account/order-check.ts',
    text: 'Math.min(now.monoMs + intentTtlMs - waitedMs, leaseUntilMs(memory, origin))',
    becomes: 'now.monoMs + intentTtlMs - waitedMs + 0 * leaseUntilMs(memory, origin)',
    test: [
      'test/actors/order-check.test.ts',
      'a call may begin until the lease or its age ends it, whichever is first',
    ],
  },
  {
    id: 'late-order-is-sent',
    cost: 'an order that waited for the disk leaves after its caller has given up',
    file: 'actors/account/client-calls.ts',
    text: '    if (this.#options.requesters.isOrderLate(clientOrderId)) return LATE_FOR_CALLER\n',
    becomes: '',
    test: [
      'test/actors/deadline.test.ts',
      'an order whose time is up while it was written down is not sent, and that is said',
    ],
  },
  {
    id: 'gone-caller-is-served',
    cost: 'after a standstill orders are sent whose callers hung up long ago',
    file: 'http/orders.ts',
    text: '  await mustBeThere(request)\n',
    becomes: '',
    test: [
      'test/http/order-callers.test.ts',
      'an order that comes together with the end of its connection is not asked for',
    ],
  },
  {
    id: 'text-dates-by-another-zone',
    cost: 'ticks that are dated as text are hours old, and no stop believes them',
    file: 'src/drivers/xt/sidecar/ticks.py',
    text: 'SHANGHAI = datetime.timezone(datetime.timedelta(hours=8))\n',
    becomes: 'SHANGHAI = datetime.timezone.utc\n',
    test: [
      'test/drivers/xt/resubscribe.test.ts',
      'ticks may tell their time as text of the exchange',
    ],
  },
  {
    id: 'dead-pushes-are-kept',
    cost: 'pushes that died are never subscribed again: a stop sees a price three seconds late, for days',
    file: 'src/drivers/xt/sidecar/subscriptions.py',
    text: '                self._silent.add(code)\n',
    becomes: '                pass\n',
    test: [
      'test/drivers/xt/resubscribe.test.ts',
      'pushes that die while looks go on are subscribed anew',
    ],
  },
  {
    id: 'sidecar-forgets-its-standstill',
    cost: 'a sidecar that stood still places an order that its account has long taken for one in doubt',
    file: 'src/drivers/xt/sidecar/bridge.py',
    text: 'message.get("timeout_ms", 3000) - age_ms\n',
    becomes: 'message.get("timeout_ms", 3000) - 0 * age_ms\n',
    test: [
      'test/drivers/xt/late.test.ts',
      'an order that a sidecar finds when it has stood still for too long is not placed',
    ],
  },
  {
    id: 'suspended-account-trades',
    cost: 'an account that was suspended after crashes goes on placing orders',
    file: 'src/account/commands/served.ts',
    text: '  if (isSuspended === true && !WHEN_SUSPENDED.has(kind)) {\n',
    becomes: '  if (isSuspended === true && kind === undefined) {\n',
    test: [
      'test/account/commands/suspended.test.ts',
      'it takes no order and nothing else, and writes nothing about it',
    ],
  },
  {
    id: 'damaged-database-is-sound',
    cost: 'a damaged row is found only when it is used, in the middle of the day',
    file: 'bin/examine.mjs',
    text: '    if (!isSound(value)) throw new Error(',
    becomes: '    if (!isSound(value) && value.length === 0) throw new Error(',
    test: ['test/storage/examine.test.ts', 'one bit of a row'],
  },
  {
    id: 'news-of-tomorrow',
    cost: 'a clock that is set back leaves stops without shares to sell until it has caught up',
    file: 'src/account/step.ts',
    text: '  endOfEarlierLives(turn)\n',
    becomes: '  void endOfEarlierLives\n',
    test: [
      'test/account/orders/available.test.ts',
      'F326 so long, and no longer, also under a clock that was set back',
    ],
  },
  {
    id: 'row-of-the-day-before',
    cost: 'under a clock that is behind an order is taken for canceled by a row of the day before',
    file: 'src/account/client/reports.ts',
    text: '  const isBefore = day !== order.day && (day < exchangeDay(order.createdMs) || day < order.day)\n',
    becomes: '  const isBefore = day !== order.day && day < exchangeDay(order.createdMs)\n',
    test: [
      'test/account/turn/wrong-day.test.ts',
      'F17 nor is the row of the day before its news, by a clock that is a day behind',
    ],
  },
  {
    id: 'moment-without-terms',
    cost: 'while nobody knows the day an order of somebody else with the number of ours is taken for ours',
    file: 'src/account/client/reports.ts',
    text: '  return row.quantity === order.quantity && isSamePrice && afterMs <= matchAfterMs\n',
    becomes: '  return row.quantity > 0 && isSamePrice\n',
    test: [
      'test/account/turn/wrong-day.test.ts',
      'F453 other terms, another moment or another day are not ours',
    ],
  },
  {
    id: 'fill-of-any-day',
    cost: 'while nobody knows the day the fill of somebody else who had the number days before is booked to our order',
    file: 'src/account/client/reports.ts',
    text: '  if (afterMs < -matchBeforeMs || exchangeDay(row.timeMs) > exchangeDay(momentMs)) return false\n',
    becomes: '  if (afterMs < -matchBeforeMs) return false\n',
    test: [
      'test/account/turn/wrong-day.test.ts',
      'F453 nor is a fill of another day than that of the order by the clock of now',
    ],
  },
  {
    id: 'clock-ahead-is-not-told',
    cost: 'a clock that is two minutes ahead has every stop refused as one on an old quote, and nobody knows why',
    file: 'src/market/quote-lead.ts',
    text: 'const offMs = Math.abs(leadMs)',
    becomes: 'const offMs = leadMs',
    test: [
      'test/market/wrong-clock.test.ts',
      'F509 live: a clock that has been wrong from the start is told by the quotes',
    ],
  },
]
