import type { Page } from 'playwright-core'

const PATIENT = 'AbortSignal.timeout = () => new AbortController().signal'

/**
 * What the page asks from now on waits for its answer as long as it takes. For a test that holds one back: a page gives a
 * question up after some seconds, and a busy computer may need more of them between two commands.
 */
export async function patient(page: Page): Promise<void> {
  await page.addInitScript(PATIENT)
  await page.evaluate(PATIENT)
}
