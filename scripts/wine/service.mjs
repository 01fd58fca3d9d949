// A service that runs under Wine: started, asked, ended without a chance to say goodbye.
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand, runIn } from './prefix.mjs'

const POLL_MS = 500
const ANSWER_MS_MAX = 10_000
const GONE_MS_MAX = 30_000
const FILLED_MS_MAX = 30_000

/** Resolves with what the line "ready" says: addresses, version, process id. */
export async function startService(wine, { line, log, cwd, msMax }) {
  const running = runIn(wine, ['wine', 'cmd', '/c', line], { log, cwd })
  let isEnded = false
  running.ended.finally(() => (isEnded = true)).catch(() => undefined)
  const untilMs = Date.now() + msMax
  while (Date.now() < untilMs && !isEnded) {
    await sleep(POLL_MS)
    const ready = running
      .text()
      .split('\n')
      .find((text) => text.includes('"msg":"ready"'))
    if (ready !== undefined) return { ...running, ...JSON.parse(ready) }
  }
  throw new Error(`${log}: ${isEnded ? 'it ended' : 'not ready'}\n${lastLines(running.text())}`)
}

const lastLines = (text) => text.trimEnd().split('\n').slice(-20).join('\n')

/** JSON of an answer; rejects on a refusal. */
export async function ask(address, options = {}) {
  const answer = await fetch(address, { ...options, signal: AbortSignal.timeout(ANSWER_MS_MAX) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${text.slice(0, 300)}`)
  return /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}

/** Buys and waits for the fill; resolves with the order. */
export async function buy({ gateway, direct, account, key }) {
  const body = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
  const place = () =>
    ask(`${gateway}/api/v1/accounts/${account}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    })
  const { data } = await place()
  const again = await place()
  if (again.data.order_id !== data.order_id) throw new Error('one key bought twice')
  const untilMs = Date.now() + FILLED_MS_MAX
  while (Date.now() < untilMs) {
    const order = await findOrder(direct, data.order_id)
    if (order?.state === 'filled') return order
    await sleep(POLL_MS)
  }
  throw new Error(`order ${data.order_id} was not filled`)
}

export async function findOrder(direct, id) {
  const { data } = await ask(`${direct}/api/orders`)
  return data.find(({ order_id: each }) => each === String(id))
}

/** As the Task Manager does it. Resolves when the port is free again. */
export async function killService(wine, { pid, ended }, address) {
  await runCommand(wine, `taskkill /F /PID ${pid}`, { log: 'kill' })
  await ended
  await untilGone(address)
}

export async function untilGone(address) {
  const untilMs = Date.now() + GONE_MS_MAX
  while (Date.now() < untilMs) {
    if (await isGone(address)) return
    await sleep(POLL_MS)
  }
  throw new Error(`${address} still answers`)
}

const isGone = (address) =>
  fetch(address, { signal: AbortSignal.timeout(ANSWER_MS_MAX) }).then(
    () => false,
    () => true,
  )

/** So many ports in a row that nobody listens on. */
export async function freePorts(count) {
  for (let first = 20_000 + Math.floor(Math.random() * 10_000); ; first += count) {
    const ports = Array.from({ length: count }, (_, at) => first + at)
    const free = await Promise.all(ports.map(isFree))
    if (free.every(Boolean)) return ports
  }
}

const isFree = (port) =>
  new Promise((done) => {
    const server = createServer()
    server.on('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
