import type { BarsPage, MarketRequest } from './market.ts'

export type BarsRequest = Extract<MarketRequest, { kind: 'bars' }>

/** The pages of a stretch of history, one asked for after the other. Errors  those of `ask`. */
export async function* barPages(
  ask: (request: BarsRequest) => Promise<BarsPage>,
  query: Omit<BarsRequest, 'kind' | 'after'>,
): AsyncGenerator<BarsPage> {
  let after: string | null = null
  do {
    const request: BarsRequest = { kind: 'bars', ...query }
    const page: BarsPage = await ask(after === null ? request : { ...request, after })
    yield page
    after = page.next
  } while (after !== null)
}
