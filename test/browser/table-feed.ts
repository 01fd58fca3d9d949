import type { Page } from 'playwright-core'

/** What a page is told instead of what the service says: many fills, and many holdings whose prices move. */
interface Feed {
  readonly fills: number
  readonly positions: number
}

declare const location: { readonly origin: string }

/**
 * Feeds a page from within, before it is opened: thousands of updates then cost what the page makes of them, and not the
 * way of an answer. Everything else is asked once and answered from
 * memory. `fed` of the page counts how often each was asked.
 */
export const feed = (page: Page, amounts: Feed): Promise<unknown> =>
  page.addInitScript(({ fills, positions }) => {
    const fed = { positions: 0, fills: 0 }
    Object.assign(globalThis, { fed })
    const json = (body: object) =>
      new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })
    const fillOf = (id: number) => ({
      id,
      stock_code: String(600_000 + (id % 300)),
      stock_name: `股票${id % 300}`,
      trade_time: `2026-08-${String(1 + Math.floor((id * 28) / (fills + 1))).padStart(2, '0')} 10:00:00`,
      trade_type: id % 2 === 0 ? 'BUY' : 'SELL',
      price: 10 + (id % 100) / 100,
      volume: 100,
      amount: 1_000 + (id % 100),
      trade_id: `d${id}`,
      order_id: String(id),
      commission: 5,
      strategy: 'grid',
      strategy_label: '网格',
      is_simulated: false,
    })
    const sum = { count: fills, buy: 1, sell: 2, net: 1, fees: 5 * fills, without_fee: 0 }
    const none = { count: 0, buy: 0, sell: 0, net: 0, fees: 0, without_fee: 0 }
    const pageOf = (query: URLSearchParams) => {
      fed.fills += 1
      const limit = Number(query.get('limit'))
      const newest = Number(query.get('before') ?? fills + 1) - 1
      const count = Math.max(0, Math.min(limit, newest))
      const next = newest > limit ? newest - limit + 1 : null
      return {
        from: null,
        to: null,
        fills: Array.from({ length: count }, (_, index) => fillOf(newest - index)),
        sums: query.has('before') ? null : { real: sum, simulated: none },
        sums_reason: query.has('before') ? 'later_page' : null,
        strategies: [{ strategy: 'grid', strategy_label: '网格' }],
        pagination: { limit, next_before: next, has_more: next !== null },
      }
    }
    const positionOf = (index: number, version: number) => ({
      stock_code: String(600_000 + index),
      stock_name: `股票${index}`,
      volume: 1_000,
      available: 1_000,
      cost_price: 9,
      base_cost_price: 9,
      current_price: 10 + ((index * 7 + version) % 100) / 100,
      market_value: 10_000 + ((index * 7 + version) % 100) * 10,
      profit_amount: 1_000 + ((index * 7 + version) % 100) * 10,
      profit_ratio: 11 + ((index * 7 + version) % 100) / 9,
      change_percentage: ((index + version) % 20) / 10,
      is_priced: true,
      open_date: '2026-08-03 00:00:00',
      last_update: '2026-08-03 10:00:00',
      profit_triggered: false,
      highest_price: 11,
      stop_loss_price: index === 3 ? 0 : 8 + (index % 7) / 10,
      profit_breakout_triggered: false,
      breakout_highest_price: 0,
      stop_profit_enabled: true,
      grid_session_active: false,
    })
    const known = new Map<string, Promise<readonly [string, ResponseInit]>>()
    const real = globalThis.fetch
    globalThis.fetch = async (input, init) => {
      const url = new URL(String(input), location.origin)
      if (url.pathname === '/api/positions-all') {
        fed.positions += 1
        const version = fed.positions
        const data = Array.from({ length: positions }, (_, index) => positionOf(index, version))
        return json({ status: 'success', data, data_version: version, no_change: false })
      }
      if (url.pathname === '/api/fills')
        return json({ status: 'success', data: pageOf(url.searchParams) })
      if (init?.method !== undefined || url.pathname === '/api/sse') return real(input, init)
      const asked = known.get(url.href)
      const answer =
        asked ??
        real(input, { headers: init?.headers ?? {} }).then(
          async (response) =>
            [
              await response.text(),
              { status: response.status, headers: { 'Content-Type': 'application/json' } },
            ] as const,
        )
      known.set(url.href, answer)
      const [text, options] = await answer
      return new Response(text, options)
    }
  }, amounts)
