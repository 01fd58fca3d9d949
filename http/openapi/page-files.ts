/** Light and dark as the system is; the colors of verbs and rights can be read in both. */
export const PAGE_STYLE = `:root{color-scheme:light dark;--page:#fff;--ink:#17202e;--soft:#4b576a;--line:#e1e5eb;--brand:#2456b3;--act:#8f5200}
@media (prefers-color-scheme:dark){:root{--page:#0c1118;--ink:#e8edf4;--soft:#b3bfce;--line:#263140;--brand:#7ea8f5;--act:#f0b357}}
body{margin:0 auto;max-width:1200px;padding:16px;background:var(--page);color:var(--ink);font:14px/1.6 "PingFang SC","Microsoft YaHei","Noto Sans CJK SC",system-ui,sans-serif}
h1{font-size:20px;margin:0}h2{font-size:15px;margin:20px 0 4px}p{margin:6px 0;color:var(--soft)}
a{color:var(--brand)}header p a{margin-right:16px}
#contents ul{margin:0;padding:0;list-style:none}
#contents li a{display:grid;grid-template-columns:56px minmax(220px,2fr) 3fr 48px;gap:0 10px;padding:5px 2px;border-top:1px solid var(--line);color:inherit;text-decoration:none}
#contents li a:hover code{text-decoration:underline}
#contents b{color:var(--act);font-size:12px}
#contents code{overflow-wrap:anywhere;color:var(--brand);font-family:ui-monospace,Consolas,monospace}
#contents i{color:var(--soft);font-style:normal;font-size:12px}
@media (max-width:700px){#contents li a{grid-template-columns:56px 1fr 40px}#contents span{grid-column:2}#contents i{grid-area:1/3}}
#viewer .swagger-ui{--verb:#2456b3}
#viewer .opblock-post{--verb:#0a7a4b}#viewer .opblock-put{--verb:#8f5200}#viewer .opblock-delete{--verb:#b42318}
#viewer .opblock .opblock-summary-method{background:var(--verb);color:#fff;text-shadow:none}
#viewer .info .title small{background:#4b576a}#viewer .info .title small.version-stamp{background:#0a7a4b}
#viewer .info .title small pre{color:#fff}
#viewer .info .base-url,#viewer .info .url,#viewer .parameter__in,#viewer .response-col_links i{color:var(--soft)}
#viewer .info a,#viewer .link{color:var(--brand)}
#viewer .header-col{color:var(--ink)}
#viewer .btn.authorize,#viewer .btn.authorize span{color:var(--ink)}
`

/**
 * The viewer weighs as much as everything else together thirty times over, so it comes when somebody opens an operation: by a row, or
 * by an address that names one. Dark where the system is, also when that changes.
 */
export const START = `const dark = window.matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
const viewer = document.getElementById('viewer')
const say = (text) => { viewer.querySelector('[role=status]').textContent = text }
const added = (name, properties) => new Promise((resolve, reject) => {
  const element = Object.assign(document.createElement(name), properties)
  element.onload = resolve
  element.onerror = reject
  document.head.append(element)
})
let isAsked = false
const open = async () => {
  if (isAsked || !location.hash.startsWith('#/')) return
  isAsked = true
  document.getElementById('contents').hidden = true
  viewer.hidden = false
  try {
    await Promise.all([
      added('link', { rel: 'stylesheet', href: '/docs/swagger-ui.css' }),
      added('script', { src: '/docs/swagger-ui-bundle.js' }),
    ])
  } catch {
    isAsked = false
    say('没有读到，请刷新本页 (it could not be loaded; reload this page)')
    return
  }
  window.SwaggerUIBundle({
    url: '/openapi.json', dom_id: '#viewer', validatorUrl: null, docExpansion: 'list', deepLinking: true,
  })
}
addEventListener('hashchange', open)
open()
`
