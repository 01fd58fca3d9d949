import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import { proxyFindings } from '../../../src/service/doctor/proxies.ts'
import { passesOf } from '../../../src/service/doctor/proxy-files.ts'
import { account, configFile } from '../fixture.ts'

t.test('what nginx passes on, and in which version of HTTP', async (t) => {
  const text = `
# proxy_pass http://127.0.0.1:1;
user www-data;
http {
  log_format main '{"a": "$request"; }'; # a brace and a semicolon in quotes
  upstream steward { server 127.0.0.1:8888; server [::1]:8889 backup; keepalive 4; }
  upstream far { server 10.0.0.1:8888; }
  server {
    listen 80;
    location / { proxy_pass http://127.0.0.1:5000; }
    location /new { proxy_pass http://localhost:5001/; proxy_http_version 1.1; }
    location /old { proxy_http_version "1.0"; proxy_pass https://127.1.2.3:5002; }
    location /up { proxy_pass http://steward; }
    location /far { proxy_pass http://far; }
    location /name { proxy_pass http://$host:5000; }
  }
  server {
    proxy_http_version 1.1;
    location / { location /deep { proxy_pass http://[::1]:5003; } }
  }
}}`
  t.strictSame(passesOf('nginx', text), [
    { port: 5000, line: 10, speaksOld: true },
    { port: 5001, line: 11, speaksOld: false },
    { port: 5002, line: 12, speaksOld: true },
    { port: 8888, line: 13, speaksOld: true },
    { port: 8889, line: 13, speaksOld: true },
    { port: 5003, line: 19, speaksOld: false },
  ])
  for (const broken of ['', '}}}{', '"', 'proxy_pass http://127.0.0.1:5000', ';;;']) {
    t.strictSame(passesOf('nginx', broken), [])
  }
})

t.test('what the others pass on', async (t) => {
  const caddy = `steward.test {
  # reverse_proxy 127.0.0.1:1
  reverse_proxy 127.0.0.1:8888
  handle /a/* {
    reverse_proxy /b http://localhost:5000 10.0.0.1:5001
  }
  reverse_proxy :8889
}`
  t.strictSame(
    passesOf('caddy', caddy).map(({ port, line }) => [port, line]),
    [
      [8888, 3],
      [5000, 5],
      [8889, 7],
    ],
  )
  const frp =
    '[[proxies]]\ntype = "tcp"\nlocalPort = 8888\n[old]\nlocal_port=5000\n# localPort = 1\n'
  t.strictSame(
    passesOf('frp', frp).map(({ port, line }) => [port, line]),
    [
      [8888, 3],
      [5000, 5],
    ],
  )
  const tunnel =
    'ingress:\n  - hostname: x\n    service: http://localhost:8888\n  - service: http_status:404\n'
  t.strictSame(passesOf('cloudflared', tunnel), [{ port: 8888, line: 3, speaksOld: false }])
})

t.test('the doctor names a proxy that cannot work, and one that lets everybody in', async (t) => {
  const pass = (port: number, more = '') =>
    `server { location / { proxy_pass http://127.0.0.1:${port}; ${more} } }`
  const folder = t.testdir({
    nginx: {
      'old.conf': pass(8888),
      'new.conf': pass(5000, 'proxy_http_version 1.1;'),
      'port.conf': pass(8889),
      'other.conf': pass(9999),
      'direct.conf': pass(5001),
    },
    Caddyfile: 'reverse_proxy localhost:8888',
  })
  const places = {
    nginx: [join(folder, 'nginx', '*.conf').replaceAll('\\', '/')],
    caddy: [join(folder, 'Caddyfile').replaceAll('\\', '/')],
    frp: [join(folder, 'frp', 'nothing', '*').replaceAll('\\', '/')],
    cloudflared: [],
  }
  const found = (token: string) => {
    const file = configFile(folder, {
      accounts: [account('10000001', []), account('10000002', [])],
      gateway: { host: '127.0.0.1', port: 8_888, proxy_port: 8_889, api_token: token },
      direct: { base_port: 5_000 },
    })
    const env = token === '' ? {} : { SVC_API_TOKEN: token }
    const loaded = loadConfig({ cwd: folder, env, options: { configFile: file } })
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return proxyFindings(loaded.value.config, places)
      .map(({ status, text, mend = '' }) => {
        const name = /([a-zA-Z]+(?:\.conf)?):\d+/.exec(text)?.[1]
        return `${name} ${status} ${/proxy_http_version|GW_API_TOKEN|SVC_API_TOKEN/.exec(mend)?.[0] ?? ''}`
      })
      .sort()
  }
  t.strictSame(found('a-token-of-thirty-two-characters'), [
    'Caddyfile ok ',
    'direct.conf warn proxy_http_version',
    'new.conf ok ',
    'old.conf warn proxy_http_version',
    'port.conf ok ',
  ])
  t.strictSame(found(''), [
    'Caddyfile fail GW_API_TOKEN',
    'direct.conf fail SVC_API_TOKEN',
    'new.conf fail SVC_API_TOKEN',
    'old.conf fail GW_API_TOKEN',
    'port.conf fail GW_API_TOKEN',
  ])
})
