import { reactive } from 'vue'
import { bareCode, digitsOf } from './format.ts'

/** A row about a stock. */
export interface Named {
  readonly stock_code: string
  readonly stock_name?: string | null
}

/** What stocks are called, by the code that is shown of them: the same in every account, also when nothing is held any more. */
const names = reactive(new Map<string, string>())

const isName = (name: string | null | undefined, code: string): name is string =>
  name != null && name !== '' && digitsOf(name) !== digitsOf(code)

/** Remembers what rows call their stocks, the newest row first. `isNow`: they say it of today, not of then. */
export function learnNames(rows: readonly Named[], isNow = false): void {
  for (const { stock_code: code, stock_name: name } of rows) {
    const digits = bareCode(code)
    const before = names.get(digits)
    if (isName(name, code) && name !== before && (isNow || before === undefined))
      names.set(digits, name)
  }
}

/** What rows have called a stock; undefined: none has. */
export const learnedName = (code: string): string | undefined => names.get(bareCode(code))

/** The name of a stock: as this row has it, else as any row had it, else that code. */
export const stockName = ({ stock_code: code, stock_name: name }: Named): string =>
  isName(name, code) ? name : (learnedName(code) ?? bareCode(code))
