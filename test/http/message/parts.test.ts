import fc from 'fast-check'
import t from 'tap'
import {
  AddressList,
  isLoopback,
  loopbackOriginPort,
  parseHost,
} from '../../../http/access/address.ts'
import { RateLimit } from '../../../http/access/rate-limit.ts'
import { parseJsonObject, requestHash } from '../../../http/message/json-body.ts'
import { parseQuery, RouteTable, route } from '../../../http/message/routes.ts'

t.test('addresses: loopback in every notation, and nothing that only looks like it', (t) => {
  const local = [
    '127.0.0.1',
    '127.255.0.9',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
  ]
  const other = [
    '128.0.0.1',
    '::2',
    '::ffff:10.0.0.1',
    '0.0.0.0',
    '127.1',
    'localhost',
    '',
    '127.0.0.1 ',
  ]
  for (const address of local) t.equal(isLoopback(address), true, address)
  for (const address of other) t.equal(isLoopback(address), false, address)
  t.end()
})

t.test('address lists: single addresses and networks of both families', (t) => {
  const list = new AddressList(['10.0.0.0/8', '192.168.1.7', 'fd00::/8', '::ffff:172.16.0.0/108'])
  for (const inside of ['10.255.1.1', '192.168.1.7', 'fdff::1', '::ffff:10.0.0.1', '172.31.0.1']) {
    t.equal(list.has(inside), true, inside)
  }
  for (const outside of ['11.0.0.1', '192.168.1.8', 'fe80::1', '172.32.0.1', 'x']) {
    t.equal(list.has(outside), false, outside)
  }
  for (const bad of [
    '10.0.0.0/33',
    '10.0.0/8',
    'x',
    '',
    '10.0.0.1/',
    '10.0.0.1/8/8',
    '::1/129',
    '::1/-1',
  ]) {
    t.throws(() => new AddressList([bad]), RangeError, bad)
  }
  t.end()
})

t.test('hosts and origins', (t) => {
  t.strictSame(parseHost('LocalHost:5000'), { name: 'localhost', port: 5000 })
  t.strictSame(parseHost('[::1]:5000'), { name: '::1', port: 5000 })
  t.strictSame(parseHost('a.test'), { name: 'a.test', port: 80 })
  for (const bad of ['', 'a b', 'a:b', 'a@b', 'a/b', ':80', '[::1', 'a:123456']) {
    t.equal(parseHost(bad), undefined, bad)
  }
  t.equal(loopbackOriginPort('http://localhost:5000'), 5000)
  t.equal(loopbackOriginPort('http://[::1]'), 80)
  t.equal(loopbackOriginPort('https://127.0.0.1'), 443)
  for (const bad of [
    'null',
    '',
    'file://',
    'http://localhost.evil.test',
    'http://localhost:5000/x',
  ]) {
    t.equal(loopbackOriginPort(bad), undefined, bad)
  }
  t.end()
})

t.test('the rate limit: a full burst, then as fast as it refills', (t) => {
  const rate = new RateLimit({ perMinute: 60, addressesMax: 10 })
  for (let i = 0; i < 60; i++) t.equal(rate.take('a', 0), 0)
  t.equal(rate.take('a', 0), 1)
  t.equal(rate.take('b', 0), 0, 'another address has its own bucket')
  t.equal(rate.take('a', 999), 1)
  t.equal(rate.take('a', 1_000), 0)
  t.equal(rate.take('a', 1_000), 1)
  t.equal(new RateLimit({ perMinute: 0, addressesMax: 1 }).take('a', 0), 0, '0 is off')
  const slow = new RateLimit({ perMinute: 2, addressesMax: 1 })
  slow.take('a', 0)
  slow.take('a', 0)
  t.equal(slow.take('a', 0), 30)
  t.end()
})

t.test(
  'the rate limit never remembers more addresses than allowed, and forgets the oldest',
  (t) => {
    const rate = new RateLimit({ perMinute: 1, addressesMax: 3 })
    for (const address of ['a', 'b', 'c']) rate.take(address, 0)
    t.ok(rate.take('a', 0) > 0, 'a is empty, and now the one seen last')
    for (let i = 0; i < 2; i++) rate.take(`d${i}`, 0)
    t.equal(rate.size, 3)
    t.ok(rate.take('a', 0) > 0, 'still known')
    t.equal(rate.take('b', 0), 0, 'forgotten')
    t.end()
  },
)

const bytes = (text: string): Uint8Array => Buffer.from(text)
const upTo = (bodyDepthMax: number) => ({
  bodyDepthMax,
  bodyKeysMax: 1_000,
  bodyValuesMax: 4_000,
})

t.test('a body that JSON.stringify wrote comes back as it was', (t) => {
  const plain = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    .filter((value) => !/__proto__|constructor|prototype/.test(JSON.stringify(value)))
  fc.assert(
    fc.property(plain, (value) => {
      const text = JSON.stringify(value)
      t.equal(JSON.stringify(parseJsonObject(bytes(text), upTo(16))), text)
    }),
    { numRuns: 300, seed: 20_261_120 },
  )
  t.end()
})

t.test('any text is either an object or BAD_JSON, whatever its quotes and braces', (t) => {
  const text = fc.array(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a', '1', ' '))
  fc.assert(
    fc.property(text, (parts) => {
      try {
        t.type(parseJsonObject(bytes(parts.join('')), upTo(4)), 'object')
      } catch (error) {
        t.match(error, { code: 'BAD_JSON' })
      }
    }),
    { numRuns: 500, seed: 20_261_120 },
  )
  t.throws(() => parseJsonObject(bytes('{"a":{"b":[1]}}'), upTo(2)), { code: 'BAD_JSON' })
  t.strictSame(parseJsonObject(bytes('{"a":{"b":[1]}}'), upTo(3)), { a: { b: [1] } })
  t.strictSame(parseJsonObject(bytes('{"a":[{"x":1},{"x":2}],"b":"{\\"}:"}'), upTo(9)), {
    a: [{ x: 1 }, { x: 2 }],
    b: '{"}:',
  })
  t.end()
})

t.test('the hash of a request does not depend on the order of its keys', (t) => {
  const hash = requestHash({ a: 1, b: [1, { c: 'x', d: null }] })
  t.equal(requestHash({ b: [1, { d: null, c: 'x' }], a: 1, e: undefined }), hash)
  t.not(requestHash({ a: 1, b: [{ c: 'x', d: null }, 1] }), hash)
  t.not(requestHash({ a: '1', b: [1, { c: 'x', d: null }] }), hash)
  t.end()
})

t.test('the route table: exact before pattern, one route for a method and path', (t) => {
  const answer = { status: 200, body: '' }
  const row = (method: 'GET' | 'POST', path: string) =>
    route({ method, path, scope: 'open', summary: path, handle: () => answer })
  const table = new RouteTable([row('GET', '/a/{id}'), row('GET', '/a/b'), row('POST', '/a/{id}')])
  t.match(table.find('GET', '/a/b'), { kind: 'found', params: {} })
  t.match(table.find('GET', '/a/%E6%8C%81'), { kind: 'found', params: { id: '持' } })
  t.match(table.find('HEAD', '/a/x'), { kind: 'found', route: { method: 'GET' } })
  t.strictSame(table.find('PUT', '/a/x'), {
    kind: 'otherMethod',
    allow: 'GET, HEAD, POST, OPTIONS',
  })
  for (const path of ['/a', '/a/', '/a/x/y', '/a/x//', '', '/']) {
    t.strictSame(table.find('GET', path), { kind: 'notFound' }, path)
  }
  t.throws(() => table.find('GET', '/a/%'), { code: 'BAD_REQUEST' })
  t.throws(() => new RouteTable([row('GET', '/x'), row('GET', '/x')]), /two routes/)
  const rows = [row('GET', '/a/{id}/{b}'), row('POST', '/a/{id}/c')]
  for (const given of [rows, rows.toReversed()]) {
    const found = new RouteTable(given).find('POST', '/a/1/c')
    t.match(found, { route: { path: '/a/{id}/c' } }, 'the named segment goes first, in any order')
  }
  t.end()
})

t.test('F550 a query is a plain map, and has one value for each name', (t) => {
  const query = parseQuery('a=1&b=%E6%8C%81&a=1&__proto__=x&c')
  t.equal(query['a'], '1')
  t.equal(query['b'], '持')
  t.equal(query['c'], '')
  t.equal(Object.getPrototypeOf(query), null)
  t.equal(query['toString'], undefined)
  t.throws(() => parseQuery('enabled=false&b=1&enabled=true'), {
    code: 'VALIDATION',
    details: { enabled: [/^enabled: 只能给一个值 \(has more than one value\)$/] },
  })
  t.end()
})
