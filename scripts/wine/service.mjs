// A service that runs under Wine: started, asked, ended without a chance to say goodbye.
import { createServer } from 'node:net'
import { until } from './patience.mjs'
import { runCommand, runIn } from './prefix.mjs'

/** Of one request: on a busy computer an order is decided by a thread that has to wait for a processor. */
const ANSWER_MS_MAX = 60_000
/** Of one look whether it is gone: one that is taken and never answered must leave time for another. */
const LOOK_MS_MAX = 5_000
const ANSWERED_MS_MAX = 120_000
const GONE_MS_MAX = 30_000
const FILLED_MS_MAX = 60_000

/** Resolves with what the line "ready" says: addresses, version, process id. */
export async function startService(wine, { line, log, cwd, msMax }) {
  const running = runIn(wine, ['wine', 'cmd', '/c', line], { log, cwd })
  let isEnded = false
  running.ended.finally(() => (isEnded = true)).catch(() => undefined)
  try {
    const ready = await until('ready', msMax, () => {
      const wasEnded = isEnded
      const found = running
        .text()
        .split('\n')
        .find((text) => text.includes('"msg":"ready"'))
      if (found === undefined && wasEnded) throw new Error('it ended')
      return found
    })
    return { ...running, ...JSON.parse(ready) }
  } catch (error) {
    throw new Error(`${log}: ${error.message}\n${lastLines(running.text())}`)
  }
}

const lastLines = (text) => text.trimEnd().split('\n').slice(-20).join('\n')

/** JSON of an answer; rejects on a refusal, with its status. */
export async function ask(address, options = {}) {
  const answer = await fetch(address, { ...options, signal: AbortSignal.timeout(ANSWER_MS_MAX) })
  const text = await answer.text()
  const { ok, status } = answer
  if (!ok) throw Object.assign(new Error(`${address}: ${status} ${text.slice(0, 300)}`), { status })
  return /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}

/** As {@link ask}, again and again until there is an answer. */
export async function untilAnswered(address) {
  let reason
  const answer = () =>
    ask(address).catch((error) => {
      reason = error
    })
  return until(address, ANSWERED_MS_MAX, answer).catch((error) => {
    throw new Error(`${error.message}: ${reason?.message}`)
  })
}

/** Too slow, and not sent: the same key may be sent again. */
const AGAIN = [503, 504]

/** Buys and waits for the fill; resolves with the order. */
export async function buy({ gateway, direct, account, key }) {
  const body = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 5, price: 0 }
  const place = () =>
    ask(`${gateway}/api/v1/accounts/${account}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    }).then(
      ({ data }) => data.order_id,
      (error) => {
        if (!AGAIN.includes(error.status)) throw error
      },
    )
  // In doubt, where the embedded client was too slow: what became of the key is asked with the same key.
  const id = await until('the number of an order', FILLED_MS_MAX, place)
  if ((await place()) !== id) throw new Error('one key bought twice')
  return until(`the fill of order ${id}`, FILLED_MS_MAX, async () => {
    const order = await findOrder(direct, id)
    return order?.state === 'filled' ? order : undefined
  })
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

export const untilGone = (address) =>
  until(`the end of ${address}`, GONE_MS_MAX, async () =>
    (await isGone(address)) ? true : undefined,
  )

/** Nobody listens there. One that does and does not answer is none that is gone. */
const isGone = (address) =>
  fetch(address, { signal: AbortSignal.timeout(LOOK_MS_MAX) }).then(
    () => false,
    ({ cause }) => cause?.code === 'ECONNREFUSED',
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
