import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { bodyOf, nothingKept, read, readText } from '../../web/shared/read.ts'
import { unlessSame } from '../../web/shared/rows.ts'

/** A service with one block, its tag, and what it was asked. */
async function block(t: Test) {
  const state = { tag: '"one"', value: 1, isBroken: false }
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers['if-none-match'])
    if (state.isBroken) return void response.writeHead(503, JSON_TYPE).end('{"message":"busy"}')
    if (request.headers['if-none-match'] === state.tag) return void response.writeHead(304).end()
    response.writeHead(200, { ...JSON_TYPE, ...(state.tag !== '' && { ETag: state.tag }) })
    response.end(JSON.stringify({ value: state.value, path: request.url }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { state, asked, target: { base, token: '', accountId: 'A' } }
}
const JSON_TYPE = { 'Content-Type': 'application/json' }

t.test('what has not changed is not sent again, and is the same object', async (t) => {
  const { state, asked, target } = await block(t)
  const kept = nothingKept()
  const first = await read<object>(target, '/a', { kept })
  t.equal(await read(target, '/a', { kept }), first)
  Object.assign(state, { tag: '"two"', value: 2 })
  const second = await read(target, '/a', { kept })
  t.match(second, { value: 2 })
  t.equal(await read(target, '/a', { kept }), second)
  t.strictSame(asked, [undefined, '"one"', '"one"', '"two"'])
})

t.test('an answer is kept for what was asked, and for whom', async (t) => {
  const { asked, target } = await block(t)
  const kept = nothingKept()
  await read(target, '/a', { kept })
  t.match(await read(target, '/b', { kept }), { path: '/b' })
  await read({ ...target, accountId: 'B' }, '/b', { kept })
  await read({ ...target, accountId: 'B', token: 'x' }, '/b', { kept })
  t.strictSame(asked, [undefined, undefined, undefined, undefined])
})

t.test('a failed read keeps what was known, and an answer without a tag nothing', async (t) => {
  const { state, asked, target } = await block(t)
  const kept = nothingKept()
  const first = await read(target, '/a', { kept })
  state.isBroken = true
  await t.rejects(read(target, '/a', { kept }), /busy/)
  state.isBroken = false
  t.equal(await read(target, '/a', { kept }), first)
  Object.assign(state, { tag: '', value: 2 })
  await read(target, '/a', { kept })
  await read(target, '/a', { kept })
  t.strictSame(asked, [undefined, '"one"', '"one"', '"one"', undefined])
})

t.test(
  'F310 an answer that did not come in time is one thing of a read, another of an action',
  async (t) => {
    const answer = () =>
      new Response('{"code":"DEADLINE_EXCEEDED","message":"未知 (unknown)"}', {
        status: 504,
        headers: { 'Content-Type': 'application/json', 'X-Request-Id': 'r' },
      })
    const faultOf = (asked: Promise<unknown>) =>
      asked.then(
        () => undefined,
        (fault: unknown) => fault,
      )
    t.match(await faultOf(bodyOf(answer())), { kind: 'unheard', code: 'DEADLINE_EXCEEDED' })
    const server = createServer((_, response) => {
      response.writeHead(504, { ...JSON_TYPE, 'X-Request-Id': 'r' }).end('{"message":"late"}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const target = { base, token: '', accountId: '' }
    t.match(await faultOf(read(target, '/a')), { kind: 'late', status: 504, requestId: 'r' })
    t.match(await faultOf(readText(target, '/a')), { kind: 'late' })
  },
)

t.test('what the trading client says no to is a refusal, whatever its status', async (t) => {
  const answer = (body: object) => new Response(JSON.stringify(body), { headers: JSON_TYPE })
  const refused = { status: 'error', message: '撤单失败：已成', result: -1, order_id: '1' }
  await t.rejects(bodyOf(answer(refused)), /撤单失败：已成/)
  await t.rejects(bodyOf(answer({ success: false, message: 'no' })), /no/)
  const taken = { status: 'success', message: '', result: 0, order_id: '1' }
  t.strictSame(await bodyOf(answer(taken)), taken)
  t.strictSame(await bodyOf(answer({ status: 57 })), { status: 57 }, 'the state of an order')
})

t.test('an unchanged answer makes nothing new, but for the first time', async (t) => {
  const answer = { n: 1 }
  const load = unlessSame(
    async () => answer,
    ({ n }) => ({ doubled: n * 2 }),
  )
  const first = await load(undefined)
  t.strictSame(first, { doubled: 2 })
  t.equal(await load(first), first)
  t.strictSame(await load(undefined), first, 'whoever has nothing gets it')
})
