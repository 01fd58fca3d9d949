import { dayOf, MISSING, price, shares } from '../shared/format.ts'
import { t } from './texts.ts'
import type { Decision } from './wire.ts'

const PRICES = [
  'price',
  'cost_price',
  'effective_cost_price',
  'highest_price',
  'breakout_highest_price',
] as const
const COUNTS = ['volume', 'available'] as const
const MARKS = ['profit_triggered', 'profit_breakout_triggered'] as const

/** What an evaluation rested on, as a person reads it. */
export function factsOf({ inputs, stock_code: code }: Decision) {
  const named = (name: Exclude<keyof Decision['inputs'], 'quote_time'>, value: string) => ({
    name: t(`decision.input.${name}`),
    value,
  })
  const { quote_time: quoted, ex_day: exDay } = inputs
  return [
    ...PRICES.map((name) => named(name, price(inputs[name], code))),
    ...COUNTS.map((name) => named(name, shares(inputs[name]))),
    ...MARKS.map((name) => named(name, t(inputs[name] ? 'word.yes' : 'word.no'))),
    {
      name: t('decision.input.quote_time'),
      value: dayOf(quoted) === '1970-01-01' ? MISSING : quoted,
    },
    ...(exDay ? [named('ex_day', price(exDay.highest_price_before, code))] : []),
  ]
}
