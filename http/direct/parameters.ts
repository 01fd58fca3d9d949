import { z } from 'zod'
import { PARAMETERS, type Parameter } from '../../src/domain/settings/parameters.ts'
import type { ConfigChanges } from '../../src/protocol/account.ts'

const fieldOf = ({ range, label }: Parameter): z.ZodType<number | boolean> => {
  const value = range ? z.number().min(range.min).max(range.max) : z.boolean()
  return value.describe(label.join(' / '))
}

/** Checked like the others and then dropped: the file alone decides it. */
const connectPort = z.int().min(1).max(65_535)

/**
 * The form that the console sends whole: all or nothing, unknown fields are ignored. One error names
 * everything that is wrong with it.
 */
export const parameterForm = z
  .looseObject({
    ...Object.fromEntries(Array.from(PARAMETERS, ([name, one]) => [name, fieldOf(one)])),
    connectPort,
  })
  .partial()
  .meta({ examples: [{ globalAllowBuySell: true, stockStopLoss: 7.5 }] })

/** The parameters of a form that are kept. */
export const changesIn = (form: Readonly<Record<string, unknown>>): ConfigChanges =>
  Object.fromEntries(
    Array.from(PARAMETERS.values()).flatMap(({ name, offer }) => {
      const value = form[name]
      const isKept = typeof value === 'number' || typeof value === 'boolean'
      return isKept && offer.saved !== 'never' ? [[name, value]] : []
    }),
  )

/** Shown with the parameters and sent back by forms that send everything. */
const BESIDE: ReadonlySet<string> = new Set(['StopLossEnabled', 'connectPort', 'totalAccounts'])

/** Whether a form may rightly hold a field of this name, kept or not. */
export const isOfForm = (name: string): boolean => PARAMETERS.has(name) || BESIDE.has(name)
