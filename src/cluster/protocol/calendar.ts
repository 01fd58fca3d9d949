import { exchangeDay } from '../../domain/exchange-time.ts'

/** The days of the year before still matter to what is counted back in trading days; those of earlier years to nothing. */
export const calendarFrom = (wallMs: number): number => Number(exchangeDay(wallMs).slice(0, 4)) - 1

/** Whether two nodes have told the same closed days, each year as `2026:1f3a5b7c`, of every year from this one on. */
export function isSameCalendar(one: string, other: string, fromYear: number): boolean {
  const since = (told: string): string =>
    told
      .split(' ')
      .filter((year) => Number(year.slice(0, 4)) >= fromYear)
      .join(' ')
  return since(one) === since(other)
}
