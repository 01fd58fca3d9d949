import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { serve } from '../service/fixture.ts'
import { type PageOptions, visit } from './pages.ts'

export const PLACE = '**/api/actions/place_order'

export const typed = (page: Page, name: string) => page.locator(`input[name=${name}]`).inputValue()
export const button = (page: Page) => page.locator('[data-test=place]')
export const passes = (page: Page) => page.getByText(/试算通过/)

/** A screen of the console of a running service, ready for keys. */
export async function openDesk(
  t: Test,
  browser: Browser,
  screen: string,
  options: PageOptions = {},
) {
  const { direct } = await serve(t)
  const seen = await visit(browser, `${direct[0]}/#/${screen}`, options)
  t.teardown(() => seen.context.close())
  await seen.page.locator('header').getByText('实时', { exact: true }).waitFor()
  return seen
}

/** What comes in its time. */
export async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}
