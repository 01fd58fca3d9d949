import { createHash } from 'node:crypto'
import type { Reply } from '../message/reply.ts'
import { type Route, route } from '../message/routes.ts'

/** What a start page shows: texts and same-origin addresses, all of them our own constants. */
interface StartPage {
  readonly title: string
  readonly zh: string
  readonly en: string
  /** What to say about the token. */
  readonly tokenZh: string
  readonly tokenEn: string
  readonly links: readonly { readonly href: string; readonly zh: string; readonly en: string }[]
}

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem}' +
  'code{font-size:.95em}li{margin:.3rem 0}.en{color:#666}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Headers of every page: nothing from elsewhere, no frame around it, no guessing of types. */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'self'; style-src 'sha256-${STYLE_HASH}'; script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
} as const

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** The page at `/`, for whoever opens the address in a browser: built once and answered from memory. */
function startPage({ title, zh, en, tokenZh, tokenEn, links }: StartPage): Route {
  const item = (link: StartPage['links'][number]): string =>
    `<li><a href="${escapeHtml(link.href)}"><code>${escapeHtml(link.href)}</code></a> ` +
    `${escapeHtml(link.zh)} <span class="en" lang="en">${escapeHtml(link.en)}</span></li>`
  const body = `<!doctype html>
<html lang="zh-CN"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(zh)}</p><p class="en" lang="en">${escapeHtml(en)}</p>
<p>${escapeHtml(tokenZh)}</p><p class="en" lang="en">${escapeHtml(tokenEn)}</p>
<ul>
${links.map(item).join('\n')}
</ul></body></html>
`
  const page: Reply = { status: 200, headers: PAGE_HEADERS, body: Buffer.from(body) }
  return route({
    method: 'GET',
    path: '/',
    scope: 'open',
    summary: '起始页 (start page)',
    produces: 'text/html',
    handle: () => page,
  })
}

/** The sentence about the token, the same on both pages. */
const tokenTexts = (isNeeded: boolean): Pick<StartPage, 'tokenZh' | 'tokenEn'> =>
  isNeeded
    ? {
        tokenZh: '以下接口需要请求头 X-API-Token。',
        tokenEn: 'These addresses need the header X-API-Token.',
      }
    : {
        tokenZh: '未设置令牌：仅接受本机访问。',
        tokenEn: 'No token is set: only callers on this computer are accepted.',
      }

const DIRECT_LINKS = [
  { href: '/api/connection/status', zh: '交易客户端连接', en: 'connection to the trading client' },
  { href: '/api/status', zh: '账户与开关', en: 'account and switches' },
  { href: '/api/positions-all', zh: '持仓', en: 'positions' },
  { href: '/api/orders', zh: '当日委托', en: "the day's orders" },
  { href: '/api/trade-records', zh: '成交记录', en: 'trade records' },
  { href: '/api/config', zh: '参数', en: 'parameters' },
  { href: '/api/stock_pool/list', zh: '股票池', en: 'stock pool' },
  { href: '/api/audit', zh: '审计日志', en: 'audit journal' },
  { href: '/api/sse', zh: '实时事件', en: 'event stream' },
  { href: '/docs', zh: '接口说明', en: 'description of the interface' },
] as const

const GATEWAY_LINKS = [
  { href: '/docs', zh: '接口说明', en: 'description of the interface' },
  { href: '/api/v1/health', zh: '健康状况（无需令牌）', en: 'health (no token needed)' },
  { href: '/api/v1/accounts', zh: '账户列表', en: 'accounts' },
  { href: '/api/status', zh: '账户与开关', en: 'account and switches' },
  { href: '/api/positions-all', zh: '持仓', en: 'positions' },
  { href: '/api/orders', zh: '当日委托', en: "the day's orders" },
  { href: '/api/trade-records', zh: '成交记录', en: 'trade records' },
  { href: '/api/v1/market/tick?stock_codes=600036.SH', zh: '实时行情', en: 'quotes' },
] as const

/** What somebody sees who opens the address of direct mode in a browser, while there is no console. */
export const directStartPage = (accountId: string, isTokenSet: boolean): Route =>
  startPage({
    title: `Steward · ${accountId}`,
    zh: '单账户直连服务正在运行。',
    en: 'The service of this one account is running.',
    ...tokenTexts(isTokenSet),
    links: DIRECT_LINKS,
  })

/** The same for the gateway. */
export const gatewayStartPage = (isTokenSet: boolean): Route =>
  startPage({
    title: 'Steward · Gateway',
    zh: '多账户网关正在运行。',
    en: 'The gateway for all accounts is running.',
    ...tokenTexts(isTokenSet),
    links: GATEWAY_LINKS,
  })
