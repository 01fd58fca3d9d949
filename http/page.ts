import { createHash } from 'node:crypto'
import type { Reply } from './reply.ts'
import { type Route, route } from './routes.ts'

/** What a start page shows: texts and same-origin addresses, all of them our own constants. */
export interface StartPage {
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
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'self'; style-src 'sha256-${STYLE_HASH}'; script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
} as const

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** The start page, built once and answered from memory. */
export function startPage({ title, zh, en, tokenZh, tokenEn, links }: StartPage): Reply {
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
  return { status: 200, headers: PAGE_HEADERS, body: Buffer.from(body) }
}

/** The page at `/`, for whoever opens the address in a browser. */
export const startPageRoute = (page: Reply): Route =>
  route({
    method: 'GET',
    path: '/',
    scope: 'open',
    summary: '起始页 (start page)',
    produces: 'text/html',
    handle: () => page,
  })

/** The sentence about the token, the same on both pages. */
export const tokenTexts = (isNeeded: boolean): Pick<StartPage, 'tokenZh' | 'tokenEn'> =>
  isNeeded
    ? {
        tokenZh: '以下接口需要请求头 X-API-Token。',
        tokenEn: 'These addresses need the header X-API-Token.',
      }
    : {
        tokenZh: '未设置令牌：仅接受本机访问。',
        tokenEn: 'No token is set: only callers on this computer are accepted.',
      }
