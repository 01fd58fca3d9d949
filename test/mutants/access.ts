import type { Mutant } from './mutant.ts'

/** Who may ask, for which account, and how often. */
export const ACCESS_MUTANTS: readonly Mutant[] = [
  {
    id: 'any-token',
    cost: 'whoever sends some token may trade',
    file: 'http/access/tokens.ts',
    text: 'if (timingSafeEqual(kept.hash, given)) found ??= kept',
    becomes: 'if (timingSafeEqual(kept.hash, given) || text.length > 4) found ??= kept',
    test: [
      'test/http/access/security.test.ts',
      'direct mode with a token: nothing under /api without exactly that token',
    ],
  },
  {
    id: 'token-never-expires',
    cost: 'a token that was given for a month works for ever',
    file: 'http/access/tokens.ts',
    text: "expires !== '' && exchangeDay(this.#wallMs()) > expires",
    becomes: "expires !== '' && expires > exchangeDay(this.#wallMs())",
    test: [
      'test/http/access/tokens.test.ts',
      'an expired token is refused after its last day in Shanghai, and says why',
    ],
  },
  {
    id: 'token-of-another-account',
    cost: 'a token of one account trades on another',
    file: 'http/access/guard.ts',
    text: '    if (accountId !== undefined && only.has(accountId)) return accountId\n',
    becomes: '    if (accountId !== undefined) return accountId\n',
    test: ['test/http/access/tokens.test.ts', 'for a token of one account the others do not exist'],
  },
  {
    id: 'proxy-counts-as-here',
    cost: 'behind a proxy on this computer the whole network trades without a token',
    file: 'http/access/auth.ts',
    text: '  if (header === undefined) return\n',
    becomes: "  if (header !== 'never') return\n",
    test: [
      'test/http/access/security.test.ts',
      'gateway without a token: only the operator on this computer',
    ],
  },
  {
    id: 'loopback-by-its-looks',
    cost: 'a page elsewhere whose name begins like this computer reaches direct mode',
    file: 'http/access/address.ts',
    text: "=> name === 'localhost' || isLoopback(name)",
    becomes: "=> name.startsWith('localhost') || isLoopback(name)",
    test: ['test/http/message/parts.test.ts', 'hosts and origins'],
  },
  {
    id: 'rate-without-limit',
    cost: 'one caller keeps all others from being answered',
    file: 'http/access/rate-limit.ts',
    text: '    bucket.tokens -= 1\n',
    becomes: '',
    test: [
      'test/http/message/parts.test.ts',
      'the rate limit: a full burst, then as fast as it refills',
    ],
  },
  {
    id: 'settings-of-all',
    cost: 'a token of one account reads the numbers, paths and positions of the others',
    file: 'http/features/shown-settings.ts',
    text: 'if (section !== undefined) return own.has(section)',
    becomes: 'if (section !== undefined) return own.size > 0',
    test: [
      'test/service/limited-view.test.ts',
      'settings: each sees its own, an admin of all sees all',
    ],
  },
  {
    id: 'scans-for-nothing',
    cost: 'who may only look looks through journals without end',
    file: 'http/access/scan-budget.ts',
    text: '      account.rows -= rows\n',
    becomes: '',
    test: [
      'test/http/access/scan-budget.test.ts',
      'pages of the audit are paid for by what was looked at, on all listeners',
    ],
  },
  {
    id: 'kill-switch-shed',
    cost: 'whoever fills the places of the front keeps the operator from the kill switch',
    file: 'http/sockets/load.ts',
    text: '    if (route.isReserved && this.#reserved',
    becomes: '    if (!route.isReserved && this.#reserved',
    test: [
      'test/http/sockets/admission.test.ts',
      'kill switch, cancel and health are served when there is no room for others',
    ],
  },
  {
    id: 'stranger-spends-the-rate',
    cost: 'a hundred requests without a token, and the operator behind the same address waits',
    file: 'http/access/auth.ts',
    text: "return verdict.kind === 'good' ? verdict.digest : undefined",
    becomes: "return verdict.kind === 'expired' ? verdict.digest : undefined",
    test: [
      'test/http/sockets/admission.test.ts',
      'who has no token cannot spend the rate of one who has',
    ],
  },
  {
    id: 'connection-never-let-go',
    cost: 'connections that are long gone count on, until nobody gets in',
    file: 'http/sockets/exchange.ts',
    text: "    this.#options.settled('gone')\n",
    becomes: '',
    test: [
      'test/http/sockets/connections.test.ts',
      'whatever a first request comes to, nothing is held of its connection',
    ],
  },
  {
    id: 'last-token-opens',
    cost: 'withdrawing the last token lets everybody on this computer trade',
    file: 'http/access/tokens.ts',
    text: '    this.#isSet ||= isKept || this.#kept.length > 0\n',
    becomes: '    this.#isSet = this.#kept.length > 0\n',
    test: [
      'test/service/access/live-tokens.test.ts',
      'a token is good as soon as it is made, and bad as soon as it is withdrawn',
    ],
  },
  {
    id: 'stream-outlives-token',
    cost: 'a token that was withdrawn goes on watching for as long as its stream stays open',
    file: 'http/stream/event-clients.ts',
    text: 'if (!isStillGood(caller)) stream.end()',
    becomes: 'if (!isStillGood(caller)) continue',
    test: [
      'test/service/access/live-tokens.test.ts',
      'an event stream ends with its token, and only that one',
    ],
  },
  {
    id: 'old-proxy-is-local',
    cost: 'behind an nginx as it is installed everybody out there may trade',
    file: 'http/access/auth.ts',
    text: "  if (request.entrance === 'proxies') {\n",
    becomes: "  if (request.entrance === 'proxies' && request.path === '') {\n",
    test: [
      'test/http/sockets/proxy-port.test.ts',
      'without a token nobody is local by the port for proxies, listed or not',
    ],
  },
  {
    id: 'lost-name-stops-all',
    cost: 'a program that has lost the name of one grid stops all of them',
    file: 'http/message/routes.ts',
    text: 'return lacksName ? match :',
    becomes: "return lacksName && method === '' ? match :",
    test: [
      'test/http/sockets/naive-clients.test.ts',
      'a slash at the end changes nothing, where it cannot stand for a name that is missing',
    ],
  },
  {
    id: 'page-of-another-account',
    cost: 'a page left open while its port goes to another account orders for that one',
    file: 'http/access/guard.ts',
    text: 'if (page === undefined || accountId === undefined || page === accountId) return accountId',
    becomes: "if (page === undefined || accountId === undefined || page !== '') return accountId",
    test: [
      'test/http/access/page-account.test.ts',
      'the page of another account is told nothing, and nothing of it is done',
    ],
  },
  {
    id: 'switches-of-another',
    cost: 'the gateway shows the master switch of another account',
    file: 'http/gateway/probe.ts',
    text: "headers: { 'X-Page-Account': accountId, ",
    becomes: "headers: { 'X-Page-Account': '', ",
    test: [
      'test/http/gateway/probe.test.ts',
      'a port that serves another account by now tells nothing of this one',
    ],
  },
  {
    id: 'number-without-zeros',
    cost: 'a cancel under the number that was told finds no order, or another one',
    file: 'src/domain/ids.ts',
    text: ' && String(number) === text',
    becomes: ' && /^\\d+$/.test(text)',
    test: [
      'test/domain/ids.test.ts',
      'the number of an order is an integer while that says exactly the same',
    ],
  },
]
