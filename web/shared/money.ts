import { amount, amountIn, MISSING, signedAmount } from './format.ts'
import { prefs } from './prefs.ts'
import { t } from './texts.ts'

const written = (yuan: number | null | undefined, as: typeof amount): string => {
  if (typeof yuan !== 'number' || !Number.isFinite(yuan)) return MISSING
  const { figure, unit } = amountIn(yuan, prefs.unit)
  return unit === 'yuan' ? as(figure) : t(`amount.${unit}`, { figure: as(figure) })
}

/** An amount of yuan in the unit of the reader's choice, which stands behind it: amounts in yuan stand beside it. */
export const money = (yuan: number | null | undefined): string => written(yuan, amount)

/** The same with its sign: profit and loss. */
export const signedMoney = (yuan: number | null | undefined): string => written(yuan, signedAmount)
