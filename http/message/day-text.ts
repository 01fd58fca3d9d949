import { z } from 'zod'
import { exchangeDay, exchangeDayStartMs } from '../../src/domain/exchange-time.ts'

const DAY_TEXT = '须为日期，例如 2026-08-11 (must be a day such as 2026-08-11)'
/** A day that there is: the thirtieth of February is none. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && exchangeDay(exchangeDayStartMs(text) || 0) === text

/** An exchange day in an address. */
export const dayText = z.string().refine(isDay, DAY_TEXT)
