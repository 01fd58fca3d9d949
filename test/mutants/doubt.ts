import type { Mutant } from './mutant.ts'

/** Orders whose fate is unknown, and everything that must happen once. */
export const DOUBT_MUTANTS: readonly Mutant[] = [
  {
    id: 'break-uses-up-cancels',
    cost: 'an order that nobody can cancel at noon works on all afternoon at its old price',
    file: 'src/account/orders/cancels.ts',
    text: "isPersistent && sessionAt(nowMs) === 'closed'",
    becomes: "isPersistent && nowMs < 0 && sessionAt(nowMs) === 'closed'",
    test: [
      'test/account/strategies/stop-profit/noon.test.ts',
      'F530 a cancel that the break at noon refuses is tried again in the afternoon',
    ],
  },
  {
    id: 'small-subscription-explains-a-freeze',
    cost: 'a purchase that lives is taken for never arrived beside a subscription of no more, and is sent a second time',
    file: 'src/account/orders/freeze.ts',
    text: "row.side === 'buy' && !isSubscription(row.code)",
    becomes: "row.side === 'buy'",
    test: [
      'test/account/orders/freeze.test.ts',
      'F505 nor does one that is no more than what is frozen',
    ],
  },
  {
    id: 'subscription-explains-a-freeze',
    cost: 'a purchase that lives is taken for never arrived, and what wanted it buys a second time',
    file: 'src/account/orders/freeze.ts',
    text: 'const isTooMuch = explained * FREEZE_PART > frozen',
    becomes: 'const isTooMuch = false',
    test: [
      'test/account/orders/freeze.test.ts',
      'F505 a subscription of new shares freezes nothing, and explains nothing',
    ],
  },
  {
    id: 'late-purchase-of-several-passes-for-told',
    cost: 'a purchase of several stocks of which the caller never hears is made a second time',
    file: 'src/account/orders/untold.ts',
    text: '  markUntold(turn, ordersOf(turn.state, key).filter(isToMark), SERVICE)\n',
    becomes: '',
    test: [
      'test/account/orders/retries.test.ts',
      'one purchase for an amount is one order, where the news that nobody hears of it comes first',
    ],
  },
  {
    id: 'doubt-is-a-refusal',
    cost: 'an order whose answer is lost counts as refused, and its shares are sold again',
    file: 'src/domain/order-state.ts',
    text: "    doubt: 'inDoubt',",
    becomes: "    doubt: 'rejected',",
    test: ['test/domain/order-state.test.ts', 'the table allows these pairs and no other'],
  },
  {
    id: 'absent-without-settling',
    cost: 'one list that lags calls an order absent, and it is sent again beside itself',
    file: 'src/account/client/doubt.ts',
    text: '  if (askedMs - sinceMs < settleMsIn(turn, order, reports)) return\n',
    becomes: '',
    test: [
      'test/account/orders/orders.test.ts',
      'an order in doubt is absent only after complete lists have not shown it for long enough',
    ],
  },
  {
    id: 'absent-while-it-may-arrive',
    cost: 'a client that answers after half a minute has sold what was sold again meanwhile',
    file: 'src/account/client/doubt.ts',
    text: '  if (!cleared.has(clientOrderId)) return\n',
    becomes: '',
    test: [
      'test/account/client/clearance.test.ts',
      'an order whose call still stands is not sold a second time by lists',
    ],
  },
  {
    id: 'cleared-by-the-wrong-client',
    cost: 'an order that the computer before has begun counts as lost after a take-over, and is placed again',
    file: 'src/account/client/clearance.ts',
    text: ' || turn.isBarred || mayFormerArrive(turn)) return',
    becomes: ' || turn.isBarred) return',
    test: [
      'test/account/client/clearance.test.ts',
      'F210 what the owner before has begun is lost only once none of it can arrive',
    ],
  },
  {
    id: 'former-owner-forgotten',
    cost: 'an account in a cluster waits for nothing that another computer may have begun',
    file: 'src/service/settings/policy.ts',
    text: 'cluster === undefined ? 0 : doubtMs(timingOf(limits.cluster, callTimeoutMs))',
    becomes: '0',
    test: [
      'test/service/settings/policy.test.ts',
      'F210 what another computer may have begun is waited for in a cluster, by the times of its account',
    ],
  },
  {
    id: 'cleared-for-an-earlier-list',
    cost: 'a list that was asked for before the call ended calls its order absent',
    file: 'src/account/client/doubt.ts',
    text: '  if (!cleared.has(clientOrderId)) return\n',
    becomes:
      '  if (!cleared.has(clientOrderId) && !state.laneClearedMs.has(clientOrderId)) return\n',
    test: [
      'test/account/client/clearance.test.ts',
      'lists count from the clearance on, and only those asked for after it',
    ],
  },
  {
    id: 'clearance-of-another-connection',
    cost: 'what one session of the client had cleared counts for an order of the next',
    file: 'src/account/client/clearance.ts',
    text: '  state.laneClearedMs.clear()\n',
    becomes: '',
    test: [
      'test/account/client/clearance.test.ts',
      'the clearance of one connection does not count on the next',
    ],
  },
  {
    id: 'barrier-for-what-came-later',
    cost: 'an order that was sent after the question counts as cleared by its answer',
    file: 'src/account/client/clearance.ts',
    text: '  for (const id of call.clientOrderIds) state.laneClearedMs.set(id, inputs.wallMs)\n',
    becomes:
      '  for (const { clientOrderId: id } of state.orders.doubtful()) state.laneClearedMs.set(id, inputs.wallMs)\n',
    test: [
      'test/account/client/clearance.test.ts',
      'a barrier speaks for what was in doubt when it was asked for, and for nothing later',
    ],
  },
  {
    id: 'restore-waits-for-nobody',
    cost: 'after a backup was put back, a strategy sells again what it has sold since',
    file: 'src/account/orders/triggers.ts',
    text: '  if (restore === undefined || !isUnconfirmed(restore)) return undefined\n',
    becomes: '  if (restore === undefined || restore.comparedMs > 0) return undefined\n',
    test: [
      'test/account/client/restore-seen.test.ts',
      'compared books send nothing before a person has confirmed them',
    ],
  },
  {
    id: 'restore-lets-follow-ups-go',
    cost: 'after a restore a stop is canceled for its age, and what replaces it is held',
    file: 'src/account/strategies/run.ts',
    text: '  if (isUnconfirmed(turn.state.restore)) return\n',
    becomes: '',
    test: [
      'test/account/client/restore-seen.test.ts',
      'nothing of an order that waits too long is canceled before a person has looked',
    ],
  },
  {
    id: 'restore-cancels-a-stop',
    cost: 'after a restore a stop is canceled for one anew, which is held: nothing sells',
    file: 'src/account/orders/cancels.ts',
    text: '  if (isForAnother(order) && isUnconfirmed(state.restore)) return false\n',
    becomes: '',
    test: [
      'test/account/client/restore-seen.test.ts',
      'a cancel of before the backup, for the sake of a new order, waits as well',
    ],
  },
  {
    id: 'key-is-no-promise',
    cost: 'a request that comes again under its key is a second order',
    file: 'src/account/orders/orders.ts',
    text: '  if (earlier === undefined) return false\n  joinKnown(waiting, turn, earlier)\n',
    becomes:
      '  if (earlier === undefined || earlier.orderId) return false\n  joinKnown(waiting, turn, earlier)\n',
    test: ['test/account/orders/orders.test.ts', 'the same key is one order and one answer'],
  },
  {
    id: 'key-of-any-account',
    cost: 'one key of a caller is one remark in two accounts, and a row is taken for the wrong order',
    file: 'actors/account/keys.ts',
    text: 'orderIdOfKey(accountId, key, digest)',
    becomes: "orderIdOfKey('', accountId && key, digest)",
    test: [
      'test/actors/keys.test.ts',
      "a caller's key is one id in one account, and another in the next",
    ],
  },
  {
    id: 'batch-is-not-kept',
    cost: 'a purchase of several stocks that is asked for again buys those that were refused',
    file: 'src/account/orders/batches.ts',
    text: "  turn.emit({ kind: 'batchPlaced', key, batch, source })\n",
    becomes: '  void batch\n  void source\n',
    test: [
      'test/account/orders/batches.test.ts',
      'asked again, also after a restart, nothing is bought that could not be then',
    ],
  },
  {
    id: 'batch-is-not-loaded',
    cost: 'after a restart the same purchase of several stocks is made again',
    file: 'actors/account/rows.ts',
    text: '    state.batches.set(String(key), batch)\n',
    becomes: '    void batch\n',
    test: ['test/actors/loaded-state.test.ts', 'an account begins with all that its tables hold'],
  },
  {
    id: 'rest-before-its-fills',
    cost: 'the rest of a canceled order is sent again before its fills are known: too much is sold',
    file: 'src/account/orders/follow-up.ts',
    text: 'isOpen(order.status) || !isCaughtUp(order)) return',
    becomes: 'isOpen(order.status) || (order.filledQuantity > 0 && !isCaughtUp(order))) return',
    test: [
      'test/account/strategies/stop-profit/follow-up.test.ts',
      'nothing is sent again before the fills that the client counts are booked',
    ],
  },
  {
    id: 'rest-of-the-order-alone',
    cost: 'fills of the orders before it are forgotten, and an intent sells more than it wanted',
    file: 'src/account/strategies/stop-profit/follow-up.ts',
    text: 'if (other.chain?.rootClientOrderId === chain?.rootClientOrderId) rest -= other.filledQuantity',
    becomes: 'if (other.chain === chain) rest -= other.filledQuantity',
    test: [
      'test/account/strategies/stop-profit/follow-up.test.ts',
      'fills of all its orders together never exceed the intent',
    ],
  },
  {
    id: 'keys-forgotten-with-the-day',
    cost: 'a key of yesterday evening is forgotten at midnight and sells again',
    file: 'src/account/fold/apply.ts',
    text: '!isOpen(order.status) && order.createdMs < keepFromMs) {',
    becomes: '!isOpen(order.status) && order.day < day) {',
    test: [
      'test/account/turn/retention.test.ts',
      'a key of Friday evening is known on Saturday evening',
    ],
  },
  {
    id: 'ready-before-the-reports',
    cost: 'after a start orders go out on books that nobody has compared',
    file: 'src/account/client/reconcile.ts',
    text: '  if (REPORTS.some((what) => !state.reports.has(what))) return\n',
    becomes: '',
    test: [
      'test/account/failures-news.test.ts',
      'F25 the broker starts anew: four reports before anything is sent',
    ],
  },
  {
    id: 'settled-counts-as-told',
    cost: 'a script that took a 202 for a failure buys again once the order has been found',
    file: 'src/account/fold/order-fold.ts',
    text: "return requestHash === '' ? doubtEnded : { ...doubtEnded, untoldMs: updatedMs }",
    becomes: 'return requestHash === undefined ? order : doubtEnded',
    test: [
      'test/account/orders/retries.test.ts',
      'one purchase is one order, after a 202, and then the order is found',
    ],
  },
  {
    id: 'start-forgets-answers',
    cost: 'a script whose answer died with the service buys again after the restart',
    file: 'src/account/step.ts',
    text: '  answersLost(turn, lastMs, SERVICE)\n',
    becomes: '  if (lastMs > turn.inputs.nowMs) answersLost(turn, lastMs, SERVICE)\n',
    test: [
      'test/account/orders/retries.test.ts',
      'one sale is one order, after an account that dies right after it',
    ],
  },
  {
    id: 'caller-gone-unheard',
    cost: 'a script whose patience was shorter than the broker buys twice',
    file: 'http/orders.ts',
    text: '      telling.unknown() // what has left, its next request may repeat\n',
    becomes: '',
    test: [
      'test/http/tellings.test.ts',
      'who is gone before the answer was not told, and the account hears it at once',
    ],
  },
  {
    id: 'doubts-unheard',
    cost: 'after a restart slices of a day are refused as repetitions of answered ones, a sale among them',
    file: 'actors/account/account.actor.ts',
    text: '    if (this.#state.orders.untoldCount !== doubts) this.#deps.board.doubtAnswers(this.#deps.slot)\n',
    becomes: '',
    test: [
      'test/actors/doubts.test.ts',
      'an account says when it has come to doubt that an answer has arrived',
    ],
  },
  {
    id: 'batch-only-under-its-key',
    cost: 'execute_buy repeated with the client_order_id of its answer buys again',
    file: 'src/account/orders/batches.ts',
    text: '    for (const each of batches?.values() ?? []) if (each.clientOrderIds.includes(key)) return each\n',
    becomes: '',
    test: [
      'test/account/orders/retries.test.ts',
      'the same key asks for that purchase for an amount, after an answer that could not be delivered',
    ],
  },
  {
    id: 'key-not-withdrawn',
    cost: 'an order that was given up arrives at the other gateway late, and is bought beside the next one',
    file: 'src/account/orders/withdraw-key.ts',
    text: "    turn.emit({ kind: 'keyWithdrawn', clientOrderId: key, source, forgets: tooMany(state) })\n",
    becomes: '',
    test: [
      'test/account/orders/withdraw-key.test.ts',
      'a key that nothing came under is withdrawn, and what comes later is refused',
    ],
  },
  {
    id: 'first-profit-taken-twice-unlisted',
    cost: 'a first take-profit that fills while nothing is listed is taken again, of what is left',
    file: 'src/account/client/unheard-fills.ts',
    text: 'wouldBeRepeated(order) && movedAsBy(turn, order) > 0',
    becomes: 'isOfPerson(order) && movedAsBy(turn, order) > 0',
    test: [
      'test/account/strategies/stop-profit/half-unlisted.test.ts',
      'F917 a first profit that lists lack while shares are gone is not taken twice',
    ],
  },
]
