import type { Backend } from '../message/errors.ts'
import type { Route } from '../message/routes.ts'
import { INFO, operationId, PAGES, tagOf } from './document.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => ESCAPES[char] ?? char)

/** As the viewer names the operations that it can be opened at. */
const addressOf = ({ method, path }: Route): string =>
  `#/${encodeURIComponent(tagOf(path))}/${encodeURIComponent(operationId(method, path))}`

const rowOf = (route: Route): string =>
  `<li><a href="${escaped(addressOf(route))}"><b>${route.method}</b> <code>${escaped(route.path)}</code> <span>${escaped(route.doc.summary)}</span> <i>${route.scope}</i></a></li>`

/** Everything that is served, as a page that needs nothing else: each row opens the viewer at it. Pure. */
export function contentsPage(backend: Backend, routes: readonly Route[]): string {
  const byTag = Map.groupBy(routes, ({ path }) => tagOf(path))
  const pagesLast = [...byTag].sort(([one], [other]) => +(one === PAGES) - +(other === PAGES))
  const sections = pagesLast.map(
    ([tag, rows]) =>
      `<section><h2>${escaped(tag)}</h2><ul>${rows.map(rowOf).join('\n')}</ul></section>`,
  )
  return `<!doctype html>
<html lang="zh-CN"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Steward · 接口说明</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/page.css"></head>
<body><header><h1>${escaped(INFO[backend].title)}</h1>
<p><a href="#/">交互式说明 (interactive)</a> <a href="/docs">目录 (contents)</a> <a href="/openapi.json">openapi.json</a></p></header>
<main id="contents"><p>点一行，即打开它的参数、回答和试用；首次约 0.5 MB。 (A row opens its parameters, its answers and a form to try it; about 0.5 MB the first time.)</p>
${sections.join('\n')}</main>
<main id="viewer" hidden><p role="status">正在读取 (loading)…</p></main>
<script src="/docs/start.js"></script></body></html>
`
}
