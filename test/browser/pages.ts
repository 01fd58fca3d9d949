import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'

const { findBrowser } = (await import(
  new URL('../../scripts/test-needs.mjs', import.meta.url).href
)) as { findBrowser: () => string | undefined }

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
/** For a machine with other work; a page that is fine is never near it. */
export const PATIENCE_MS = 90_000

declare const document: Dom
declare const location: { readonly hash: string; assign(hash: string): void }

/** What functions that run in the page use of it; the tests themselves run where there is no document. */
export interface Dom {
  readonly title: string
  readonly body: { readonly textContent: string }
  querySelector(selector: string): {
    readonly textContent: string
    readonly firstChild: { readonly textContent: string } | null
  } | null
}

export interface PageOptions {
  readonly language?: 'zh-CN' | 'en'
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  readonly token?: string
  /** Faults that the test provokes; matched against what the browser writes into its console. */
  readonly expected?: RegExp
  /** Without a worker the page's files come over the line each time. */
  readonly serviceWorkers?: 'allow' | 'block'
  /** It gives up no question, however long the test, or a busy computer, keeps the answer back. */
  readonly isPatient?: boolean
}

/** A page, and everything that a good page does not do. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** What it wrote into the console, and errors that nobody caught. */
  readonly complaints: string[]
  /** Requests to another host than that of the page. */
  readonly strays: string[]
  readonly requests: { readonly method: string; readonly url: string }[]
}

/** One browser for a test file. */
export async function startBrowser(t: Test): Promise<Browser> {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('no browser: npm test says what to install')
  const browser = await chromium.launch({ executablePath, args: FLAGS })
  t.teardown(() => browser.close())
  return browser
}

/** A busy computer may be late with answers, and a page asks again: no fault of either. One that never has an answer fails by what it shows. */
const LATE = /the server responded with a status of 504/

/** Opens an address in a fresh profile. */
export async function visit(
  browser: Browser,
  url: string,
  {
    language = 'zh-CN',
    theme = 'light',
    width = 1_440,
    height = 900,
    token,
    expected,
    serviceWorkers = 'allow',
    isPatient = false,
  }: PageOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    serviceWorkers,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  handOverAtOnce(context, page)
  const { origin } = new URL(url)
  const seen: Visit = { page, context, complaints: [], strays: [], requests: [] }
  const complain = (text: string): void => {
    if (expected?.test(text) !== true && !LATE.test(text)) seen.complaints.push(text)
  }
  page.on('console', (message) => {
    const isOfPage = !message.location().url.endsWith(PROBE)
    if (isOfPage && ['error', 'warning'].includes(message.type())) complain(message.text())
  })
  page.on('pageerror', (error) => complain(error.message))
  page.on('request', (request) => {
    if (request.url().endsWith(PROBE)) return
    seen.requests.push({ method: request.method(), url: request.url() })
    const isHere = request.url().startsWith(origin) || request.url().startsWith('data:')
    if (!isHere) seen.strays.push(request.url())
  })
  await page.addInitScript(
    ([prefs, kept]) => {
      localStorage.setItem('steward.prefs', prefs ?? '')
      if (kept !== undefined && localStorage.getItem('steward.token') === null) {
        localStorage.setItem('steward.token', JSON.stringify(kept))
      }
    },
    [JSON.stringify({ language, theme }), token] as const,
  )
  if (isPatient) await patient(page)
  await page.goto(url)
  return seen
}

/** Asked by the tests themselves, and never by a page. */
const PROBE = '/api/is-handed-over'
const HANDED_OVER = 299
const TRIES_MAX = 1_000

/**
 * A browser that is told to hand requests of a page over does so some moments later, and what the page asks in between
 * passes by: one of forty on a busy computer. So each page is asked whether it is so by now.
 */
function handOverAtOnce(context: BrowserContext, first: Page): void {
  const sure = new WeakSet<Page>()
  const routeAll = context.route.bind(context)
  const makeSure = async (): Promise<void> => {
    const shown = context.pages().filter((page) => !sure.has(page) && page.url() !== 'about:blank')
    if (shown.length === 0) return
    await routeAll(`**${PROBE}`, (route) => route.fulfill({ status: HANDED_OVER }))
    for (const page of shown) {
      sure.add(page)
      await page.evaluate(askUntil, { path: PROBE, status: HANDED_OVER, triesMax: TRIES_MAX })
    }
  }
  for (const one of [context, first]) {
    const route = one.route.bind(one)
    const routeSurely: typeof route = async (...given) => {
      const registered = await route(...given)
      await makeSure().catch(() => undefined) // it is loading, or has gone: what comes next is handed over
      return registered
    }
    Object.assign(one, { route: routeSurely })
  }
}

/** Runs in the page, whose timers a test may have stopped. */
async function askUntil(probe: {
  readonly path: string
  readonly status: number
  readonly triesMax: number
}): Promise<void> {
  for (let tries = 0; tries < probe.triesMax; tries++) {
    const answer = await fetch(probe.path).catch(() => undefined)
    if (answer?.status === probe.status) return
  }
}

const PATIENT = 'AbortSignal.timeout = () => new AbortController().signal'
/**
 * What the page asks from now on waits for its answer as long as it takes. For a test that holds one back: a page gives a
 * question up after some seconds, and a busy computer may need more of them between two commands.
 */
export async function patient(page: Page): Promise<void> {
  await page.addInitScript(PATIENT)
  await page.evaluate(PATIENT)
}

/** Findings of axe that keep people out: serious and critical ones. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE) // a script tag is what the policy of the pages forbids
  const violations = (await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: Result[] }> }
    }
    return (await axe.run()).violations
  })) as Result[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

/** The page has heard of what was done to its window, and has been drawn anew: what follows a width is drawn by then. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))
  })`)

/** Pixels by which the page is wider than its window. */
export async function sidewaysScroll(page: Page): Promise<number> {
  await drawn(page)
  return page.evaluate('document.scrollingElement.scrollWidth - innerWidth')
}

/** Answers the question that is open with yes. */
export const confirm = async (page: Page): Promise<void> => {
  await page.locator('[data-test=confirm]:enabled').click()
  await page.locator('[data-test=confirm]').waitFor({ state: 'hidden' })
}
/** Another screen of the console. */
export const go = (page: Page, screen: string) => page.evaluate(`location.hash = '#/${screen}'`)
/**
 * Another screen, behind the load of a page: that may still be on its way to the screen before, and takes that for the
 * newer wish. It is told again.
 */
export const arrive = async (page: Page, screen: string): Promise<void> => {
  await go(page, screen)
  await page.waitForFunction((hash) => {
    if (location.hash !== hash) {
      location.assign(hash)
      return false
    }
    const isThere = document.querySelector(`.rail a[aria-current=page][href="${hash}"]`) !== null
    return isThere && document.querySelector('main h1') !== null
  }, `#/${screen}`)
}
/** The screen is drawn, and no block of it still waits for its first answer. */
export const settle = async (page: Page, screen: string): Promise<void> => {
  await arrive(page, screen)
  try {
    await page.waitForFunction(
      () => !/读取中|Loading/.test(document.querySelector('main')?.textContent ?? ''),
    )
  } catch (error) {
    const shown = String(await page.evaluate(`document.querySelector('main').innerText`))
    throw new Error(`${screen} goes on waiting and shows: ${shown}`, { cause: error })
  }
}

/**
 * Changes what the service answers on its way to the page: a service as hostile as one that is older or broken. The
 * page gets no tag of it: one that asks with the tag of what was changed would be told that nothing has changed.
 */
export const rewrite = (
  context: BrowserContext,
  path: string,
  to: (body: Record<string, unknown>) => object,
): Promise<unknown> =>
  context.route(path, async (route) => {
    try {
      const { 'if-none-match': _, ...asked } = route.request().headers()
      const response = await route.fetch({ headers: asked })
      const { etag: __, ...headers } = response.headers()
      const body = await response.json()
      // What a service says that has no time on a busy computer has nothing to change.
      await route.fulfill({ response, headers, json: response.ok() ? to(body) : body })
    } catch {
      await route.abort().catch(() => undefined) // the service or the page has gone
    }
  })
