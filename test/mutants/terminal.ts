import type { Mutant } from './mutant.ts'

const SCRIPT = [
  'test/drivers/bigqmt/script.test.ts',
  'the parts of the script keep their word',
] as const
const SIDECAR = [
  'test/drivers/xt/pythons.test.ts',
  'the parts of the sidecar keep their word',
] as const

/** What a trading client tells, and its sidecar or script makes of it. */
export const TERMINAL_MUTANTS: readonly Mutant[] = [
  {
    id: 'events-numbered-anew',
    cost: 'fills told after a holiday count as old ones, and a service that lived through it never hears of them',
    file: 'src/drivers/xt/sidecar/journal.py',
    text: '{"seq": self.seq}',
    becomes: '{"seq": 0}',
    test: SIDECAR,
  },
  {
    id: 'half-a-line-stays',
    cost: 'what a full disk took half of spoils the next record, and an order that was sent is not known after a restart',
    file: 'src/drivers/xt/sidecar/day_files.py',
    text: '            file.truncate(end)\n',
    becomes: '            pass\n',
    test: SIDECAR,
  },
  {
    id: 'cash-of-nothing',
    cost: 'cash that the trading client cannot tell counts as none, and the limit of the day’s loss ends all trading',
    file: 'src/drivers/xt/sidecar/rows.py',
    text: '"cash": amount(thing, "cash", None),',
    becomes: '"cash": number(need(thing, "cash")),',
    test: SIDECAR,
  },
  {
    id: 'fill-at-nothing',
    cost: 'a fill whose price the trading client cannot tell is taken for a bonus of shares, and dropped without a word',
    file: 'src/drivers/xt/sidecar/rows.py',
    text: '"price": amount(thing, "traded_price"),',
    becomes: '"price": number(need(thing, "traded_price")),',
    test: SIDECAR,
  },
  {
    id: 'alike-is-the-same',
    cost: 'of two fills that are alike and have no number one is booked, and the other shares are sold by nobody',
    file: 'src/drivers/xt/sidecar/fills.py',
    text: 'name if count == 1 else "%s#%d" % (name, count)',
    becomes: 'name',
    test: SCRIPT,
  },
  {
    id: 'nobody-asks-behind-a-fill-without-a-number',
    cost: 'the second of two fills that are alike is heard of with the next comparison, if there is one',
    file: 'src/drivers/bigqmt/script/trade.py',
    text: '        if is_named(row):  # or it is another one like it',
    becomes: '        if False:',
    test: SCRIPT,
  },
  {
    id: 'fill-without-a-number-is-none',
    cost: 'fills of a counter that numbers none are never booked',
    file: 'src/drivers/xt/sidecar/trader.py',
    text: '            row["deal_id"] = fill_name(row, row["order_id"])',
    becomes: '            pass',
    test: SIDECAR,
  },
  {
    id: 'last-row-of-a-stock',
    cost: 'of a stock on two shareholder’s numbers one part is guarded, or none when the other was sold',
    file: 'src/drivers/terminal/holdings.ts',
    text: 'same.reduce(sum)',
    becomes: 'same.reduce((_, last) => last)',
    test: [
      'test/drivers/terminal/holdings.test.ts',
      'F608 rows of one stock add up, at the cost of them all',
    ],
  },
  {
    id: 'part-of-a-holding-is-all-of-it',
    cost: 'the part of a stock that was sold on one shareholder’s number ends the holding, and its stop with it',
    file: 'src/drivers/terminal/driver.ts',
    text: 'if (this.#split.has(position.code))',
    becomes: 'if (this.#split.has(position.code) && position.quantity > 1e9)',
    test: [
      'test/drivers/terminal/holdings.test.ts',
      'F608 a push of one of the rows of a stock is no news of all of them',
    ],
  },
  {
    id: 'alike-orders-share-a-name',
    cost: 'of two orders of ours without a number the fills of both are booked on one, and the other is in doubt for ever',
    file: 'src/drivers/bigqmt/script/orders.py',
    text: 'stand_in_name(row, own)',
    becomes: 'stand_in_name(row)',
    test: SCRIPT,
  },
  {
    id: 'none-is-a-number',
    cost: 'orders whose number is the word None are taken for one and the same',
    file: 'src/drivers/xt/sidecar/names.py',
    text: 'found in NO_NUMBER or not found',
    becomes: 'not found',
    test: SCRIPT,
  },
  {
    id: 'any-negative-number-is-a-refusal',
    cost: 'an order whose number is negative in 32 bits is called refused, and sent once more',
    file: 'src/drivers/xt/sidecar/trader.py',
    text: 'elif rows.whole(order_id) != REFUSED:',
    becomes: 'elif rows.whole(order_id) >= 0:',
    test: SIDECAR,
  },
  {
    id: 'calendar-makes-orders-new',
    cost: 'a clock that jumps over days has the same order sent a second time',
    file: 'src/drivers/xt/sidecar/journal.py',
    text: 'if known is None and client_order_id in self._intended:',
    becomes: 'if False:',
    test: SIDECAR,
  },
  {
    id: 'days-to-come-hide-today',
    cost: 'after a restart beside files of a wrong calendar an order of today is not known, and is sent again',
    file: 'src/drivers/xt/sidecar/journal.py',
    text: '(set(days) & {today, yesterday})',
    becomes: 'set()',
    test: SIDECAR,
  },
]
