import { globSync, readFileSync } from 'node:fs'
import type { Config } from '../../config/schema.ts'
import { goodTokens, readTokenFile } from '../../config/token-file.ts'
import { type Finding, fail, fine, warn } from '../../domain/finding.ts'
import type { Text } from '../../domain/settings/row.ts'
import { passesOf } from './proxy-files.ts'

export type ProxyKind = 'nginx' | 'caddy' | 'frp' | 'cloudflared'

/** Where the configurations of proxies lie, as patterns. */
export type ProxyPlaces = Readonly<Record<ProxyKind, readonly string[]>>

const PLACES: ProxyPlaces = {
  nginx: [
    '/etc/nginx/{nginx.conf,conf.d/*.conf,sites-enabled/*}',
    '/{opt/homebrew,usr/local}/etc/nginx/{nginx.conf,servers/*}',
    'C:/nginx*/conf/*.conf',
    'C:/nginx*/nginx*/conf/*.conf',
  ],
  caddy: ['/etc/caddy/Caddyfile', '/{opt/homebrew,usr/local}/etc/Caddyfile', 'C:/caddy/Caddyfile'],
  frp: ['/etc/frp/frpc.{toml,ini}', 'C:/frp*/frpc.{toml,ini}'],
  cloudflared: ['/etc/cloudflared/config.{yml,yaml}', 'C:/cloudflared/config.{yml,yaml}'],
}
const BYTES_MAX = 1_048_576
const GUIDE = 'docs/proxies.md'
const SPEAK_NEW = 'proxy_http_version 1.1; proxy_set_header Connection "";'

/** A port of ours that a proxy may pass requests to. */
interface Target {
  readonly port: number
  readonly backend: 'gateway' | 'direct mode'
  /** Speaks HTTP/1.0 too. */
  readonly isForProxies: boolean
}

/** What the proxies on this computer do that pass requests on to this service. */
export function proxyFindings(config: Config, places: ProxyPlaces = PLACES): readonly Finding[] {
  const targets = targetsOf(config)
  return (Object.keys(places) as ProxyKind[]).flatMap((kind) =>
    places[kind].flatMap((pattern) =>
      globSync(pattern).flatMap((file) => findingsOf(config, targets, { kind, file })),
    ),
  )
}

function targetsOf({ gateway, direct, accounts }: Config): readonly Target[] {
  const row = (first: number, isForProxies: boolean): Target[] =>
    first === 0
      ? []
      : accounts.map((_, i) => ({ port: first + i, backend: 'direct mode', isForProxies }))
  return [
    { port: gateway.port, backend: 'gateway' as const, isForProxies: false },
    { port: gateway.proxy_port, backend: 'gateway' as const, isForProxies: true },
    ...row(direct.base_port, false),
    ...row(direct.proxy_base_port, true),
  ].filter(({ port }) => port !== 0)
}

function findingsOf(
  config: Config,
  targets: readonly Target[],
  { kind, file }: { readonly kind: ProxyKind; readonly file: string },
): Finding[] {
  return passesOf(kind, textOf(file)).flatMap(({ port, line, speaksOld }) => {
    const target = targets.find((each) => each.port === port)
    if (target === undefined) return []
    const where = whereOf(kind, target, `${file}:${line}`)
    return [verdict(where, target, { hasToken: hasToken(config, target), speaksOld })]
  })
}

const BACKENDS = { gateway: '网关', 'direct mode': '直连模式' } as const

/** What a proxy does, in both languages. */
const whereOf = (kind: ProxyKind, { backend }: Target, place: string): Text => [
  `${kind} 把请求转到${BACKENDS[backend]}（${place}）`,
  `${kind} passes requests to the ${backend} (${place})`,
]

function verdict(
  [zh, en]: Text,
  { port, isForProxies, backend }: Target,
  { hasToken, speaksOld }: { readonly hasToken: boolean; readonly speaksOld: boolean },
): Finding {
  const variable = backend === 'gateway' ? 'GW_API_TOKEN' : 'SVC_API_TOKEN'
  if (!hasToken) {
    const text = `${zh}，却没有令牌：代理放进来的人会被当作本机 (${en}, and there is no token: whoever the proxy lets in may look like this computer)`
    return fail('proxy', text, `请设置 ${variable}，见 ${GUIDE} (set ${variable}; see ${GUIDE})`)
  }
  if (speaksOld && !isForProxies) {
    const key = backend === 'gateway' ? 'gateway.proxy_port' : 'direct.proxy_base_port'
    const mend = `请在 proxy_pass 旁写 ${SPEAK_NEW} 或转到 ${key} 的端口，见 ${GUIDE} (beside its proxy_pass write: ${SPEAK_NEW} or pass to a port of ${key}; see ${GUIDE})`
    return warn(
      'proxy',
      `${zh}，用的是 HTTP/1.0（nginx 1.29.6 及以前），端口 ${port} 会回答 505 (${en} in HTTP/1.0 (up to nginx 1.29.6), which port ${port} answers with 505)`,
      mend,
    )
  }
  return fine('proxy', `${zh} (${en})`)
}

function hasToken({ data_dir, gateway, direct, tokens }: Config, { backend }: Target): boolean {
  if ((backend === 'gateway' ? gateway : direct).api_token !== '') return true
  const made = readTokenFile(data_dir)
  return goodTokens(tokens, made.ok ? made.value : undefined).length > 0
}

/** Empty for a file that this user may not read, or that is no configuration. */
function textOf(file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    return text.length > BYTES_MAX ? '' : text
  } catch {
    return ''
  }
}
