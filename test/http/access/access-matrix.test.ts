import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { ScanBudget } from '../../../http/access/scan-budget.ts'
import { type FrontOptions, frontParts } from '../../../http/front.ts'
import type { Route } from '../../../http/message/routes.ts'
import type { NamedToken } from '../../../src/config/tokens.ts'
import { asked } from '../fixtures/fake-raw.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directOptions, FRONT_LIMITS, gatewayOptions } from '../fixtures/fronts.ts'

/**
 * Every route × every kind of token × every kind of address, against the rules as they are told to users.
 * The rules are written here once more, without a line of those that are tested.
 */

const named = (name: string, fields: Partial<NamedToken>): NamedToken => ({
  name,
  hash: `sha256:${createHash('sha256').update(name).digest('hex')}`,
  scope: 'admin',
  accounts: [],
  expires: '',
  ...fields,
})
const TOKENS = [
  named('view', { scope: 'view' }),
  named('trade', { scope: 'trade' }),
  named('admin', { scope: 'admin' }),
  named('of-b', { accounts: ['B'] }),
  named('expired', { expires: '2020-01-01' }),
]
const SENT = [undefined, 'wrong', 'single', ...TOKENS.map(({ name }) => name)] as const
type Sent = (typeof SENT)[number]
const RIGHTS: Readonly<Record<string, number>> = {
  view: 1,
  trade: 2,
  admin: 3,
  'of-b': 3,
  single: 3,
}
const NEEDS = { open: 0, view: 1, trade: 2, admin: 3 } as const

const PEERS = {
  here: '127.0.0.1',
  mapped: '::ffff:127.0.0.1',
  listed: '10.1.2.3',
  proxy: '10.9.9.9',
  stranger: '203.0.113.9',
} as const
type Peer = keyof typeof PEERS

const HEADERS = {
  none: {},
  forHere: { 'x-forwarded-for': '127.0.0.1' },
  forListed: { 'x-forwarded-for': '10.1.2.3' },
  forStranger: { 'x-forwarded-for': '203.0.113.9' },
  forwarded: { forwarded: 'for=10.1.2.3' },
  host: { host: 'steward.test' },
  origin: { origin: 'https://evil.test' },
  otherPort: { origin: 'http://localhost:1' },
  ownPage: { origin: 'http://localhost:5000', host: 'localhost:5000' },
} as const satisfies Record<string, Readonly<Record<string, string>>>
type Extra = keyof typeof HEADERS

interface Cell {
  readonly route: Route
  readonly sent: Sent
  readonly peer: Peer
  readonly extra: Extra
}

const speaksForAnother = (extra: Extra): boolean =>
  ['forHere', 'forListed', 'forStranger', 'forwarded'].includes(extra)
const isHere = (peer: Peer): boolean => ['here', 'mapped'].includes(peer)

/** Whom the gateway takes the caller for. */
function clientOf({ peer, extra }: Cell): 'here' | 'listed' | 'stranger' | 'proxy' {
  if (peer === 'proxy' && extra === 'forHere') return 'here'
  if (peer === 'proxy' && extra === 'forListed') return 'listed'
  if (peer === 'proxy' && extra === 'forStranger') return 'stranger'
  return isHere(peer) ? 'here' : (peer as 'listed' | 'stranger' | 'proxy')
}

/** What the token itself is refused for, on both backends. */
function byToken({ route, sent }: Cell): string {
  const rights = RIGHTS[sent ?? ''] ?? 0
  if (rights === 0) return 'UNAUTHORIZED'
  return rights < NEEDS[route.scope] ? 'SCOPE_REFUSED' : ''
}

/** The gateway with tokens, a list of addresses (10.0.0.0/8) and a proxy (10.9.9.9). Empty = it may. */
function guarded(cell: Cell): string {
  const { route, sent, peer, extra } = cell
  const client = clientOf(cell)
  const isListed = client === 'listed' || client === 'proxy'
  const isOperatorsPlace = client === 'here' && (peer === 'proxy' || !speaksForAnother(extra))
  if (!isListed && !isOperatorsPlace) return 'ADDRESS_REFUSED'
  if (route.scope === 'open') return ''
  const refused = byToken(cell)
  if (refused !== '' || sent !== 'of-b' || route.confinesItself) return refused
  if (route.path.includes('{account_id}')) return 'UNKNOWN_ACCOUNT'
  return route.accountIn === 'none' ? 'SCOPE_REFUSED' : ''
}

/** The gateway without any token: this computer alone. */
function unguarded(cell: Cell): string {
  const { route, peer, extra } = cell
  if (route.scope === 'open') return ''
  if (peer !== 'proxy' && speaksForAnother(extra)) return 'FORWARDED_REFUSED'
  if (clientOf(cell) !== 'here') return 'UNAUTHORIZED'
  return byPage(extra, ['origin'])
}

/** A page of somebody else, or a name that is not this computer's. */
const byPage = (extra: Extra, foreign: readonly Extra[]): string => {
  if (extra === 'host') return 'HOST_REFUSED'
  return foreign.includes(extra) ? 'ORIGIN_REFUSED' : ''
}

/** Direct mode of account A, with tokens or without. */
const direct =
  (hasTokens: boolean) =>
  (cell: Cell): string => {
    const { route, sent, extra } = cell
    // Another program's page on this computer is a stranger here.
    const refused = byPage(extra, ['origin', 'otherPort'])
    if (refused !== '' || route.scope === 'open') return refused
    if (!hasTokens) return speaksForAnother(extra) ? 'FORWARDED_REFUSED' : ''
    return byToken(cell) || (sent === 'of-b' ? 'SCOPE_REFUSED' : '')
  }

const REFUSALS =
  /"code":"(UNAUTHORIZED|SCOPE_REFUSED|ADDRESS_REFUSED|FORWARDED_REFUSED|HOST_REFUSED|ORIGIN_REFUSED|UNKNOWN_ACCOUNT|PUBLIC_MODE|RATE_LIMITED|OVERLOADED)"/

const pathOf = ({ path }: Route): string =>
  path.replace('{account_id}', 'A').replace(/\{\w+\}/g, '7')

const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(record) as K[]

const cellsOf = (routes: readonly Route[]): Cell[] =>
  routes.flatMap((route) =>
    SENT.flatMap((sent) =>
      keysOf(PEERS).flatMap((peer) =>
        keysOf(HEADERS).map((extra): Cell => ({ route, sent, peer, extra })),
      ),
    ),
  )

/** Every cell of a front; says of each whether it is as the rules say. */
async function compare(
  t: Test,
  options: FrontOptions,
  rule: (cell: Cell) => string,
): Promise<number> {
  const { dispatcher, routes, close } = frontParts(options, { port: 5_000 })
  t.teardown(close)
  const cells = cellsOf(routes)
  const wrong: string[] = []
  for (const cell of cells) {
    const { route, sent, peer, extra } = cell
    const { status, text } = await asked(dispatcher, {
      method: route.method,
      path: pathOf(route),
      peer: PEERS[peer],
      headers: { ...HEADERS[extra], ...(sent !== undefined && { 'x-api-token': sent }) },
      ...(route.bodyUse !== 'none' && { body: '{}' }),
    })
    const told = REFUSALS.exec(text)?.[1] ?? ''
    const expected = rule(cell)
    if (told === expected && (expected !== '' || (status !== 401 && status !== 403))) continue
    const name = `${route.method} ${route.path} ${sent} ${peer} ${extra}`
    wrong.push(`${name}: ${status} ${told}, not ${expected || 'let in'}`)
  }
  t.strictSame(wrong.slice(0, 20), [], `${wrong.length} of ${cells.length} cells`)
  return cells.length
}

/** Nobody asks too much: that is another rule than who may ask. */
const scans = new ScanBudget({
  ...FRONT_LIMITS,
  scanRowsPerS: 1, // what a failed one costs
  scanRowsSavedMax: 1_000_000_000,
})

/** A fake service whose accounts stay, also when they are asked to go. */
const steady = <T extends FrontOptions>(options: T): T => {
  Object.assign(options.service, { unregister: async () => {} })
  return { ...options, scans, log: { warn: () => {}, error: () => {} } }
}

const links = () => [new FakeLink('A'), new FakeLink('B')]
const withTokens = { token: 'single', tokens: TOKENS }
const behindProxy = { trustProxy: true, proxies: ['10.9.9.9'] }

t.test('the gateway with tokens: every route, token and address', async (t) => {
  const allowedIps = ['10.0.0.0/8']
  const options = gatewayOptions(links(), { ...withTokens, ...behindProxy, allowedIps })
  t.ok((await compare(t, steady(options), guarded)) > 10_000)
})

t.test('the gateway without a token: every route, token and address', async (t) => {
  t.ok((await compare(t, steady(gatewayOptions(links(), behindProxy)), unguarded)) > 10_000)
})

t.test('direct mode with tokens: every route, token and address', async (t) => {
  t.ok(
    (await compare(t, steady(directOptions(new FakeLink('A'), withTokens)), direct(true))) > 10_000,
  )
})

t.test('direct mode without a token: every route, token and address', async (t) => {
  t.ok((await compare(t, steady(directOptions(new FakeLink('A'), {})), direct(false))) > 10_000)
})
